// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "fabric/arbiter.h"
#include "fabric/bits.h"
#include "fabric/fillings.h"
#include "fabric/flit.h"
#include "fabric/meter.h"

namespace plumb::fabric {

struct SwitchConfig {
  Queueing queueing = Queueing::separate;
  std::uint32_t depth = 1;                  ///< flits per input and channel; per output too where separate
  bool multi_read = false;                  ///< one input may feed several outputs in one round
  std::uint32_t response_depth = 0;         ///< of the response channel, where it is another; 0: as `depth`
  Allocator allocator = Allocator::greedy;  ///< who gets which output, where an input gives one flit a round
  std::uint32_t passes = 1;                 ///< of Allocator::matched
};

/// Input-buffered crossbars: the one element that GPCARB ingress, the planes and GPCARB egress are made of.
///
/// In a round each output takes at most one flit and, unless `multi_read`, each input gives at most one.
/// Outputs choose in round robin among the inputs of a channel, and take the two channels in turn. Greedy
/// outputs choose one after the other among the inputs that are left, and which is first rotates. Matched
/// ones all choose at once, an input that was chosen by several takes one of them, and those that are left
/// try again, `passes` times in all: the scheme of iSLIP (McKeown 1999), pointers move by the first pass
/// alone. A flit without room behind its output never holds up the other channel.
///
/// All crossbars of a stage (its units) live in one object of a shape that the compiler knows, so that a
/// round is one loop over the set bits of one mask. Output `o` of unit `u` is lane o * Units + u: rotating
/// the lanes by whole outputs then moves all units on alike. There is a queue for each input, channel and
/// output; with Queueing::fifo only the first of each channel is used, and its head alone asks for an output.
///
/// The functions on the way of a flit exist twice: for any configuration, and compiled for the usual one
/// (`Usual`, to be used only where usual() says so), which is about half the instructions.
template <Stage S, std::uint32_t Units, std::uint32_t Inputs, std::uint32_t Outputs, std::uint32_t Capacity,
          Queueing UsualQueueing = Queueing::shared, bool UsualMultiRead = false, bool UsualMatched = false>
class Switch {
 public:
  static constexpr std::uint32_t kPorts = Inputs * kChannels;  ///< of a unit; a port is a channel of an input
  static constexpr std::uint32_t kLanes = Units * Outputs;
  /// Queues of a port. A power of two, so that a queue's number falls into port and output without a
  /// division.
  static constexpr std::uint32_t kWidth = std::bit_ceil(Outputs);
  static constexpr std::uint32_t kQueues = Units * kPorts * kWidth;
  static_assert(kPorts < 16 && kLanes < 32 && Outputs < 8 && Units * kPorts <= 64, "masks are so wide");
  static constexpr std::uint32_t kSlotMask = Capacity - 1;
  static_assert(kQueues <= Flit::kMaxQueues && std::has_single_bit(Capacity));

  explicit Switch(const SwitchConfig& config)
      : split_(config.queueing != Queueing::fifo),
        pooled_(config.queueing != Queueing::separate),
        depth_{config.depth, config.response_depth == 0 ? config.depth : config.response_depth},
        matched_(config.allocator == Allocator::matched && !config.multi_read),
        passes_(config.passes),
        busy_mask_(static_cast<Ports>(config.multi_read ? 0 : ~0)) {
    assert(depth_[0] <= Capacity && depth_[1] <= Capacity);
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      const std::uint32_t port = q / kWidth;
      queues_[q] = {.lane = static_cast<std::uint8_t>(q % kWidth * Units + port / kPorts),
                    .port_bit = static_cast<Ports>(bit(port % kPorts))};
    }
    for (std::uint32_t turn = 0; turn < 2 * kLanes; ++turn) {
      const std::uint32_t lane = turn % kLanes;
      const std::uint32_t unit = lane % Units;
      turns_[turn] = {.lane = static_cast<std::uint8_t>(lane),
                      .unit = static_cast<std::uint8_t>(unit),
                      .first_queue = static_cast<std::uint16_t>(unit * kPorts * kWidth + lane / Units)};
    }
  }

  [[nodiscard]] static constexpr std::uint32_t queue(std::uint32_t unit, std::uint32_t input,
                                                     std::uint32_t channel, std::uint32_t output) noexcept {
    return port(unit, input, channel) * kWidth + output;
  }
  /// Counted over all units.
  [[nodiscard]] static constexpr std::uint32_t port(std::uint32_t unit, std::uint32_t input,
                                                    std::uint32_t channel) noexcept {
    return (unit * Inputs + input) * kChannels + channel;
  }
  /// Whether the configuration is the usual one.
  [[nodiscard]] bool usual() const noexcept {
    return split_ && pooled_ == kUsualPooled && (busy_mask_ == 0) == UsualMultiRead &&
           matched_ == UsualMatched;
  }

  /// Whether the depth counts all flits of a port together: then roomy() says all about credits.
  [[nodiscard]] bool pooled() const noexcept { return pooled_; }
  /// Bit `port` (over all units) is set where a pool has room. Says nothing where queues are separate.
  [[nodiscard]] std::uint64_t roomy() const noexcept { return ports_.at_most(depth_[0] - 1, depth_[1] - 1); }

  /// Credit check of the sender.
  template <bool Usual = false>
  [[nodiscard]] bool accepts(Flit flit) const noexcept {
    const std::uint32_t q = flit.queue(S);
    return (pools<Usual>() ? ports_[q / kWidth] : ends_[q].size) < depth_of(q / kWidth);
  }

  /// Returns whether the flit's pool has room for another; means nothing where queues are separate.
  template <bool Usual = false>
  bool push(Flit flit) noexcept {
    const std::uint32_t named = flit.queue(S);
    const bool split = Usual || split_;
    const std::uint32_t q = split ? named : first_of_port(named);
    Ends& ends = ends_[q];
    assert(ends.size <= kSlotMask);
    if (split || ends.size == 0) ask(named);  // asking again changes nothing
    slots_[q * Capacity + ((ends.head + ends.size) & kSlotMask)] = flit;
    ++ends.size;
    const std::uint32_t filling = ports_.arrive(q / kWidth);
    return !pools<Usual>() || filling < depth_of(q / kWidth);
  }

  /// One round. `open(lane)` is the mask of a unit's ports from which the next stage could take a flit,
  /// `room(flit)` whether it takes this one. (Two questions, since a mask costs no branch and branches that
  /// go either way are what a round spends its time on.) `deliver(lane, flit)` hands the flit over.
  template <bool Usual = false, class Open, class Room, class Deliver>
  void serve(Open&& open, Room&& room, Deliver&& deliver) {
    const std::uint64_t asked = nonzero(want_);
    if (asked == 0) return;
    if (Usual ? UsualMatched : matched_) {
      if (Usual || split_) {
        match<Usual, true>(asked, open, room, deliver);
      } else {
        match<false, false>(asked, open, room, deliver);
      }
    } else if (Usual || split_) {
      round<Usual, true>(asked, open, room, deliver);
    } else {
      round<false, false>(asked, open, room, deliver);
    }
  }

  /// Where the round robin of an output begins.
  void start_at(std::uint32_t unit, std::uint32_t output, std::uint32_t first_port) noexcept {
    arbiters_[output * Units + unit].start_at(first_port);
  }

  /// Where the round robin of an input begins, which only matched outputs ask for.
  void accept_from(std::uint32_t unit, std::uint32_t input, std::uint32_t first_output) noexcept {
    accept_[unit].start_at(input, first_output);
  }

  /// Whether a pool has room for a flit.
  [[nodiscard]] bool room(std::uint32_t unit, std::uint32_t input, std::uint32_t channel) const noexcept {
    return ports_[port(unit, input, channel)] < depth_[channel];
  }
  [[nodiscard]] bool empty() const noexcept { return nonzero(want_) == 0; }
  [[nodiscard]] std::uint32_t flits() const noexcept {
    std::uint32_t sum = 0;
    for (std::uint32_t p = 0; p < Units * kPorts; ++p) sum += ports_[p];
    return sum;
  }
  /// Flits that left since the statistics were cleared.
  [[nodiscard]] std::uint64_t served() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t flits : flits_) sum += flits;
    return sum;
  }
  [[nodiscard]] QueueStatistics filling(std::uint32_t unit, std::uint32_t input, std::uint32_t channel,
                                        Cycle cycles) const {
    return ports_.read(port(unit, input, channel), cycles);
  }
  [[nodiscard]] LaneMeter lane(std::uint32_t unit, std::uint32_t output) const noexcept {
    const std::uint32_t lane = output * Units + unit;
    return {.flits = flits_[lane], .blocked = blocked_.count(lane)};
  }
  /// At the end of each cycle in which there are flits.
  void tick() noexcept { ports_.tick(); }
  void clear_statistics() {
    ports_.clear();
    flits_ = {};
    blocked_ = {};
  }

  /// Calls `visit(unit, output, flit)` for the head of every queue.
  template <class Visit>
  void for_each_head(Visit&& visit) const {
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      if (ends_[q].size == 0) continue;
      const std::uint32_t lane = queues_[head(q).queue(S)].lane;
      visit(lane % Units, lane / Units, head(q));
    }
  }

  /// Recounts everything. Calls `fail(text)` where fillings, queues and masks disagree.
  template <class Fail>
  void audit(Fail&& fail) const {
    std::array<std::uint32_t, std::size_t{Units} * kPorts> held{};
    std::array<std::uint32_t, kLanes> want{};
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      const std::uint32_t size = ends_[q].size;
      held[q / kWidth] += size;
      if (size > depth_of(q / kWidth)) fail("a queue is over its depth");
      if (size == 0) continue;
      const std::uint32_t named = head(q).queue(S);
      if (named / kWidth != q / kWidth) fail("a flit is in another input's queue");
      want[queues_[named].lane] |= queues_[named].port_bit;
    }
    for (std::uint32_t p = 0; p < held.size(); ++p) {
      if (pooled_ && held[p] > depth_of(p)) fail("a pool is over its depth");
      if (held[p] != ports_[p]) fail("the credits of an input do not match its queues");
    }
    for (std::uint32_t o = 0; o < kLanes; ++o) {
      if (want[o] != want_[o]) fail("an output is not asked for just what is there");
    }
  }

 private:
  static constexpr bool kUsualPooled = UsualQueueing != Queueing::separate;
  static_assert(UsualQueueing != Queueing::fifo, "a fifo is not compiled for");

  using Accept = InputMatch<Inputs>;
  /// Ports of both channels, by the mask of their inputs.
  static constexpr auto kPortsOf = [] {
    std::array<std::uint16_t, std::size_t{1} << Inputs> masks{};
    for (std::uint32_t inputs = 0; inputs < masks.size(); ++inputs) {
      for (std::uint32_t input = 0; input < Inputs; ++input)
        masks[inputs] =
            static_cast<std::uint16_t>(masks[inputs] | (inputs >> input & 1U) * (3U << 2 * input));
    }
    return masks;
  }();

  /// Lanes of unit 0, by the mask of their outputs.
  static constexpr auto kLanesOf = [] {
    std::array<std::uint32_t, std::size_t{1} << Outputs> masks{};
    for (std::uint32_t outputs = 0; outputs < masks.size(); ++outputs)
      for (std::uint32_t output = 0; output < Outputs; ++output)
        masks[outputs] |= (outputs >> output & 1U) << output * Units;
    return masks;
  }();

  /// Ports of one unit. So narrow that one word holds the masks of four lanes, where that is enough.
  using Ports = std::conditional_t<kPorts <= kFieldBits, std::uint16_t, std::uint32_t>;
  using Count = std::conditional_t < Capacity<256, std::uint8_t, std::uint16_t>;

  struct Queue {  // what never changes, for the lane behind it
    std::uint8_t lane = 0;
    Ports port_bit = 0;
  };
  struct Ends {      // of a queue; its flits are in slots_
    Count head = 0;  // counts up for ever, the low bits pick the slot
    Count size = 0;
  };
  struct Turn {  // what never changes about a lane
    std::uint8_t lane = 0;
    std::uint8_t unit = 0;
    std::uint16_t first_queue = 0;  // that of its unit's first port
  };

  /// Ports alternate between the channels.
  [[nodiscard]] std::uint32_t depth_of(std::uint32_t port) const noexcept { return depth_[port & 1U]; }
  template <bool Usual>
  [[nodiscard]] bool pools() const noexcept {
    return Usual ? kUsualPooled : pooled_;
  }
  [[nodiscard]] static constexpr std::uint32_t first_of_port(std::uint32_t q) noexcept {
    return q & ~(kWidth - 1);
  }
  [[nodiscard]] Flit head(std::uint32_t q) const noexcept {
    return slots_[q * Capacity + (ends_[q].head & kSlotMask)];
  }
  void ask(std::uint32_t named) noexcept {
    const Queue& queue = queues_[named];
    want_[queue.lane] = static_cast<Ports>(want_[queue.lane] | queue.port_bit);
  }

  template <bool Usual, bool Split, class Open, class Room, class Deliver>
  void round(std::uint64_t asked, Open& open, Room& room, Deliver& deliver) {
    std::array<std::uint32_t, Units> free;  // ports whose input has given no flit in this round
    free.fill(~std::uint32_t{0});
    std::uint32_t blocked = 0;
    const std::uint32_t start = first_ * Units;
    first_ = first_ + 1 == Outputs ? 0 : first_ + 1;
    const Turn* const turns = &turns_[start];
    std::uint64_t waiting = ((asked | asked << kLanes) >> start) & ((std::uint64_t{1} << kLanes) - 1);
    for (; waiting != 0; waiting &= waiting - 1) {
      const Turn turn = turns[lowest(waiting)];
      const std::uint32_t want = want_[turn.lane];
      const std::uint32_t idle = Usual && UsualMultiRead ? want : want & free[turn.unit];
      const std::uint32_t candidates =
          with_room<Usual, Split>(turn, idle & static_cast<std::uint32_t>(open(turn.lane)), room);
      if (candidates == 0) {
        blocked |= only_if(idle != 0, bit(turn.lane));
        continue;
      }
      const std::uint32_t choice = arbiters_[turn.lane].choose(candidates * spread_);
      const std::uint32_t port = Arbiter<kPorts>::port_of(choice);
      if (!Usual || !UsualMultiRead) free[turn.unit] &= ~(Usual ? both(port) : both(port) & busy_mask_);
      arbiters_[turn.lane].served(choice);
      give<Split>(turn, port, deliver);
    }
    blocked_.add(blocked);
  }

  template <bool Usual, bool Split, class Open, class Room, class Deliver>
  void match(std::uint64_t asked, Open& open, Room& room, Deliver& deliver) {
    std::array<Ports, kLanes> could;  // by lane: ports with a flit that it may take
    std::array<std::uint8_t, kLanes> chosen;
    std::array<Offers, Units> offers;
    std::array<std::uint32_t, Units> free;  // ports whose input has given no flit in this round
    free.fill(~std::uint32_t{0});
    // The first pass asks all lanes, since which of them want nothing is a coin toss.
    for (std::uint32_t unit = 0; unit < Units; ++unit) {
      Offers all = 0;
      for (std::uint32_t output = 0; output < Outputs; ++output) {
        const std::uint32_t lane = output * Units + unit;
        could[lane] = static_cast<Ports>(with_room<Usual, Split>(
            turns_[lane], want_[lane] & static_cast<std::uint32_t>(open(lane)), room));
        const std::uint32_t choice = arbiters_[lane].choose_or_none(could[lane] * spread_);
        chosen[lane] = static_cast<std::uint8_t>(choice);
        all |= Accept::offer(Arbiter<kPorts>::port_of(choice) / kChannels, output);
      }
      offers[unit] = all;
    }
    const auto take = [&](std::uint32_t lane) {
      give<Split>(turns_[lane], Arbiter<kPorts>::port_of(chosen[lane]), deliver);
    };
    std::uint64_t matched = 0;
    for (std::uint32_t pass = 0;;) {
      for (std::uint32_t unit = 0; unit < Units; ++unit) {
        const Offers taken = accept_[unit].choose(offers[unit]);
        if (pass == 0) accept_[unit].served(taken);
        free[unit] &= ~std::uint32_t{kPortsOf[Accept::inputs_of(taken)]};
        matched |= std::uint64_t{kLanesOf[Accept::outputs_of(taken)]} << unit;
        if (Usual) continue;  // all together below, since one loop of an unknown length is better than two
        for (Offers one = taken; one != 0; one &= one - 1) take(lowest(one) % 8 * Units + unit);
      }
      if (pass == 0) {
        for (std::uint64_t lanes = matched; lanes != 0; lanes &= lanes - 1)
          arbiters_[lowest(lanes)].served(chosen[lowest(lanes)]);
      }
      if (++pass == passes_) break;
      offers.fill(0);
      for (std::uint64_t lanes = asked ^ matched; lanes != 0; lanes &= lanes - 1) {
        const std::uint32_t lane = lowest(lanes);
        const std::uint32_t unit = lane % Units;
        const std::uint32_t choice = arbiters_[lane].choose_or_none((could[lane] & free[unit]) * spread_);
        chosen[lane] = static_cast<std::uint8_t>(choice);
        offers[unit] |= Accept::offer(Arbiter<kPorts>::port_of(choice) / kChannels, lane / Units);
      }
    }
    if (Usual) {
      for (std::uint64_t lanes = matched; lanes != 0; lanes &= lanes - 1) take(lowest(lanes));
    }
    blocked_.add(static_cast<std::uint32_t>(asked ^ matched));
  }

  /// Those of a lane's candidates whose first flit has room behind it. With pools `open` said so before.
  template <bool Usual, bool Split, class Room>
  [[nodiscard]] std::uint32_t with_room(const Turn& turn, std::uint32_t candidates, Room& room) const {
    if (Usual) return candidates;
    std::uint32_t mask = 0;
    for_each_bit(candidates, [&](std::uint32_t port) {
      mask |= only_if(room(head(queue_of<Split>(turn, port))), bit(port));
    });
    return mask;
  }

  /// Both channels of a port's input.
  [[nodiscard]] static constexpr std::uint32_t both(std::uint32_t port) noexcept {
    return std::uint32_t{3} << (port & ~1U);
  }

  /// The head of a queue leaves.
  template <bool Split, class Deliver>
  [[gnu::always_inline]] void give(const Turn& turn, std::uint32_t port, Deliver& deliver) {
    const std::uint32_t q = queue_of<Split>(turn, port);
    const Flit flit = head(q);
    ++flits_[turn.lane];
    ports_.leave(q / kWidth);
    Ends& ends = ends_[q];
    const bool empty = --ends.size == 0;
    // A queue that is empty begins at its first slot again, so that a deep one stays in the cache.
    ends.head = static_cast<Count>(empty ? 0 : ends.head + 1);
    const std::uint32_t want = want_[turn.lane];
    want_[turn.lane] = static_cast<Ports>(want ^ (static_cast<std::uint32_t>(!Split || empty) << port));
    if (!Split && !empty) ask(head(q).queue(S));
    deliver(turn.lane, flit);
  }

  /// Where a port keeps its flits for a lane.
  template <bool Split>
  [[nodiscard]] std::uint32_t queue_of(const Turn& turn, std::uint32_t port) const noexcept {
    const std::uint32_t q = turn.first_queue + port * kWidth;
    return Split ? q : first_of_port(q);
  }
  bool split_;   // each output has a queue of its own
  bool pooled_;  // the depth counts all queues of a port together
  std::array<std::uint32_t, kChannels> depth_;
  std::uint32_t first_ = 0;
  std::uint64_t spread_ = kInEveryField;  // in memory: of a constant compilers make four operations
  bool matched_;
  std::uint32_t passes_;
  Ports busy_mask_;  // none where one input may feed several outputs
  // By lane: ports with a head flit for it. Apart, because which lanes are asked at all is found four at a
  // time.
  std::array<Ports, (std::size_t{kLanes} + 3) / 4 * 4> want_{};
  std::array<Arbiter<kPorts>, kLanes> arbiters_{};     // by lane
  std::array<Accept, Units> accept_{};                 // whose turn it is at each input
  std::array<Turn, std::size_t{2} * kLanes> turns_{};  // the lanes twice in a row
  std::array<Queue, kQueues> queues_{};
  std::array<Ends, kQueues> ends_{};
  std::array<std::uint64_t, kLanes> flits_{};  // by lane: that left
  BitCounters blocked_;                        // by lane
  Fillings<std::size_t{Units} * kPorts, std::size_t{Outputs} * Capacity> ports_;
  alignas(64) std::array<Flit, std::size_t{kQueues} * Capacity> slots_{};
};

using IngressSwitch = Switch<Stage::ingress, 3, 6, 4, 16, Queueing::shared, false>;
using PlaneSwitch = Switch<Stage::plane, 2, 6, 6, 128, Queueing::shared, false, true>;
using EgressSwitch = Switch<Stage::egress, 6, 3, 3, 32, Queueing::shared, true>;

}  // namespace plumb::fabric
