// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#include "fabric/bits.h"
#include "fabric/flit.h"
#include "fabric/meter.h"

namespace plumb::fabric {

struct SwitchConfig {
  Queueing queueing = Queueing::separate;
  std::uint32_t depth = 1;  ///< flits per input and channel; per output too where separate
  bool multi_read = false;  ///< one input may feed several outputs in one round
};

/// Input-buffered crossbars: the one element that GPCARB ingress, the planes and GPCARB egress are made of.
///
/// In a round each output takes at most one flit and, unless `multi_read`, each input gives at most one.
/// Outputs choose among the inputs and channels in round robin; which output chooses first rotates. A flit
/// without room behind its output never holds up the other channel.
///
/// All crossbars of a stage (its units) live in one object of a shape that the compiler knows, so that a
/// round is one loop over the set bits of one mask. Output `o` of unit `u` is lane o * Units + u: rotating
/// the lanes by whole outputs then moves all units on alike. There is a queue for each input, channel and
/// output; with Queueing::fifo only the first of each channel is used, and its head alone asks for an output.
///
/// The functions on the way of a flit exist twice: for any configuration, and compiled for the usual one
/// (`Usual`, to be used only where usual() says so), which is about half the instructions.
template <Stage S, std::uint32_t Units, std::uint32_t Inputs, std::uint32_t Outputs, std::uint32_t Capacity,
          Queueing UsualQueueing = Queueing::shared, bool UsualMultiRead = false>
class Switch {
 public:
  static constexpr std::uint32_t kPorts = Inputs * kChannels;  ///< of a unit; a port is a channel of an input
  static constexpr std::uint32_t kLanes = Units * Outputs;
  static constexpr std::uint32_t kQueues = Units * kPorts * Outputs;
  static_assert(kPorts <= 32 && kLanes < 32 && Units * kPorts <= 64, "masks are so wide");
  static_assert(kQueues <= Flit::kMaxQueues && std::has_single_bit(Capacity));

  explicit Switch(const SwitchConfig& config)
      : split_(config.queueing != Queueing::fifo),
        pooled_(config.queueing != Queueing::separate),
        depth_(config.depth),
        slot_mask_(std::bit_ceil(config.depth) - 1),
        busy_mask_(config.multi_read ? 0 : ~std::uint64_t{0}) {
    assert(depth_ <= Capacity);
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      Queue& queue = queues_[q];
      queue.port = static_cast<std::uint16_t>(q / Outputs);
      queue.lane = static_cast<std::uint16_t>(q % Outputs * Units + queue.port / kPorts);
      queue.port_bit = std::uint64_t{1} << queue.port;
      queue.lane_bit = bit(queue.lane);
    }
    for (std::uint32_t turn = 0; turn < 2 * kLanes; ++turn) {
      const std::uint32_t o = turn % kLanes;
      turns_[turn] = {.lane = static_cast<std::uint16_t>(o),
                      .output = static_cast<std::uint16_t>(o / Units),
                      .lane_bit = bit(o)};
    }
  }

  [[nodiscard]] static constexpr std::uint32_t queue(std::uint32_t unit, std::uint32_t input,
                                                     std::uint32_t channel, std::uint32_t output) noexcept {
    return ((unit * Inputs + input) * kChannels + channel) * Outputs + output;
  }
  /// Whether the configuration is the usual one.
  [[nodiscard]] bool usual() const noexcept {
    return split_ && pooled_ == kUsualPooled && (busy_mask_ == 0) == UsualMultiRead;
  }

  /// Whether the depth counts all flits of a port together: then roomy() says all about credits.
  [[nodiscard]] bool pooled() const noexcept { return pooled_; }
  /// Bit `port` (over all units) is set where a pool has room. Kept for the egress stage alone; says nothing
  /// where queues are separate.
  [[nodiscard]] std::uint64_t roomy() const noexcept { return roomy_; }

  /// Credit check of the sender.
  template <bool Usual = false>
  [[nodiscard]] bool accepts(Flit flit) const noexcept {
    const Queue& q = queues_[flit.queue(S)];
    return (pools<Usual>() ? ports_[q.port].size() : q.size()) < depth_;
  }

  /// Returns whether the flit's pool has room for another; means nothing where queues are separate.
  template <bool Usual = false>
  bool push(Cycle now, Flit flit) noexcept {
    const std::uint32_t q = flit.queue(S);
    const Queue& named = queues_[q];
    const bool split = Usual || split_;
    const std::uint32_t i = split ? q : named.port * Outputs;
    Queue& queue = queues_[i];
    assert(queue.size() <= slot_mask_);
    if (split || queue.head == queue.tail) ask(named);  // asking again changes nothing
    slots_[i * Capacity + (queue.tail & slot_mask_)] = flit;
    ++queue.tail;
    const std::uint32_t filling = ports_[queue.port].arrive(now);
    if (!pools<Usual>()) return true;
    const bool full = filling >= depth_;
    if (kAnnounces) roomy_ &= ~only_if(full, queue.port_bit);
    return !full;
  }

  /// One round. `open(lane)` is the mask of ports (over all units) from which the next stage could take a
  /// flit, `room(flit)` whether it takes this one. (Two questions, since a mask costs no branch and branches
  /// that go either way are what a round spends its time on.) `deliver(lane, flit)` hands the flit over.
  template <bool Usual = false, class Open, class Room, class Deliver>
  void serve(Cycle now, Open&& open, Room&& room, Deliver&& deliver) {
    if (asked_ == 0) return;
    if (Usual || split_) {
      round<Usual, true>(now, open, room, deliver);
    } else {
      round<false, false>(now, open, room, deliver);
    }
  }

  /// Where the round robin of an output begins.
  void start_at(std::uint32_t unit, std::uint32_t output, std::uint32_t first_port) noexcept {
    lanes_[output * Units + unit].turn = ~std::uint64_t{0} << (unit * kPorts + first_port);
  }

  /// Whether a pool has room for a flit.
  [[nodiscard]] bool room(std::uint32_t unit, std::uint32_t input, std::uint32_t channel) const noexcept {
    return ports_[queue(unit, input, channel, 0) / Outputs].size() < depth_;
  }
  [[nodiscard]] bool empty() const noexcept { return asked_ == 0; }
  [[nodiscard]] std::uint32_t flits() const noexcept {
    std::uint32_t sum = 0;
    for (const Meter& p : ports_) sum += p.size();
    return sum;
  }
  /// Flits that left since the statistics were cleared.
  [[nodiscard]] std::uint64_t served() const noexcept {
    std::uint64_t sum = 0;
    for (const Lane& lane : lanes_) sum += lane.meter.flits;
    return sum;
  }
  [[nodiscard]] QueueStatistics filling(std::uint32_t unit, std::uint32_t input, std::uint32_t channel,
                                        Cycle now, Cycle cycles) const {
    return ports_[queue(unit, input, channel, 0) / Outputs].read(now, cycles);
  }
  [[nodiscard]] const LaneMeter& lane(std::uint32_t unit, std::uint32_t output) const noexcept {
    return lanes_[output * Units + unit].meter;
  }
  void clear_statistics(Cycle now) {
    for (Meter& p : ports_) p.clear(now);
    for (Lane& lane : lanes_) lane.meter = {};
  }

  /// Calls `visit(unit, output, flit)` for the head of every queue.
  template <class Visit>
  void for_each_head(Visit&& visit) const {
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      if (queues_[q].size() == 0) continue;
      const Queue& named = queues_[head(q).queue(S)];
      visit(named.lane % Units, named.lane / Units, head(q));
    }
  }

  /// Recounts everything. Calls `fail(text)` where fillings, queues and masks disagree.
  template <class Fail>
  void audit(Fail&& fail) const {
    std::array<std::uint32_t, std::size_t{Units} * kPorts> held{};
    std::array<std::uint64_t, kLanes> want{};
    for (std::uint32_t i = 0; i < kQueues; ++i) {
      const Queue& q = queues_[i];
      held[q.port] += q.size();
      if (q.size() > depth_) fail("a queue is over its depth");
      if (q.size() == 0) continue;
      const Queue& named = queues_[head(i).queue(S)];
      if (named.port != q.port) fail("a flit is in another input's queue");
      want[named.lane] |= named.port_bit;
    }
    for (std::uint32_t p = 0; p < held.size(); ++p) {
      if (kAnnounces && pooled_ && ((roomy_ >> p) & 1U) != (ports_[p].size() < depth_ ? 1U : 0U))
        fail("the mask of roomy ports is wrong");
      if (pooled_ && held[p] > depth_) fail("a pool is over its depth");
      if (held[p] != ports_[p].size()) fail("the credits of an input do not match its queues");
    }
    for (std::uint32_t o = 0; o < kLanes; ++o) {
      if (want[o] != lanes_[o].want) fail("an output is not asked for just what is there");
      if (((asked_ & bit(o)) != 0) != (want[o] != 0)) fail("the mask of asked outputs is wrong");
    }
  }

 private:
  static constexpr bool kAnnounces = S == Stage::egress;
  static constexpr bool kUsualPooled = UsualQueueing != Queueing::separate;
  static_assert(UsualQueueing != Queueing::fifo, "a fifo is not compiled for");

  // Masks are kept ready in memory: without BMI2 a shift by a variable costs three times a load.
  struct Queue {  // Its flits are in slots_. Both ends count up for ever; the low bits pick the slot.
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    std::uint32_t lane_bit = 0;
    std::uint16_t lane = 0;
    std::uint16_t port = 0;  // counted over all units
    std::uint64_t port_bit = 0;
    [[nodiscard]] std::uint32_t size() const noexcept { return tail - head; }
  };
  struct Lane {                              // of one output
    std::uint64_t want = 0;                  // ports with a head flit for it
    std::uint64_t turn = ~std::uint64_t{0};  // ports that come before the others
    LaneMeter meter;
  };
  struct Turn {
    std::uint16_t lane = 0;
    std::uint16_t output = 0;
    std::uint32_t lane_bit = 0;
  };

  template <bool Usual>
  [[nodiscard]] bool pools() const noexcept {
    return Usual ? kUsualPooled : pooled_;
  }
  [[nodiscard]] Flit head(std::uint32_t q) const noexcept {
    return slots_[q * Capacity + (queues_[q].head & slot_mask_)];
  }
  void ask(const Queue& named) noexcept {
    lanes_[named.lane].want |= named.port_bit;
    asked_ |= named.lane_bit;
  }

  template <bool Usual, bool Split, class Open, class Room, class Deliver>
  void round(Cycle now, Open& open, Room& room, Deliver& deliver) {
    std::uint64_t free = ~std::uint64_t{0};  // ports whose input has given no flit in this round
    const std::uint32_t start = first_ * Units;
    first_ = first_ + 1 == Outputs ? 0 : first_ + 1;
    std::uint32_t waiting = ((asked_ >> start) | (asked_ << (kLanes - start))) & (bit(kLanes) - 1);
    std::uint32_t cleared = 0;  // lanes that nobody asks for any more
    for (; waiting != 0; waiting &= waiting - 1) {
      const Turn& turn = turns_[lowest(waiting) + start];
      Lane& lane = lanes_[turn.lane];
      const std::uint64_t idle = lane.want & free;
      std::uint64_t candidates = idle & open(turn.lane);
      if (candidates == 0) {
        lane.meter.blocked += static_cast<std::uint64_t>(idle != 0);
        continue;
      }
      for (;;) {
        const std::uint64_t first = candidates & lane.turn;
        const std::uint32_t port = lowest(first != 0 ? first : candidates);
        const std::uint32_t q = port * Outputs + (Split ? turn.output : 0);
        Queue& queue = queues_[q];
        const Flit flit = head(q);
        if (room(flit)) {
          if (!Usual) {
            free &= ~((std::uint64_t{3} << (port & ~1U)) & busy_mask_);
          } else if (!UsualMultiRead) {
            free &= ~(std::uint64_t{3} << (port & ~1U));
          }
          lane.turn = 0 - 2 * queue.port_bit;  // none after the last port of the unit: the first comes next
          ++lane.meter.flits;
          ports_[port].leave(now);
          if (kAnnounces && pools<Usual>()) roomy_ |= queue.port_bit;
          ++queue.head;
          const bool empty = queue.head == queue.tail;
          lane.want ^= only_if(!Split || empty, queue.port_bit);
          if (Split) {
            cleared |= only_if(lane.want == 0, turn.lane_bit);
          } else {
            asked_ &= ~only_if(lane.want == 0, turn.lane_bit);
            if (!empty) ask(queues_[head(q).queue(S)]);
          }
          deliver(turn.lane, flit);
          break;
        }
        candidates &= ~queue.port_bit;
        if (candidates != 0) continue;
        ++lane.meter.blocked;
        break;
      }
    }
    asked_ &= ~cleared;
  }

  bool split_;   // each output has a queue of its own
  bool pooled_;  // the depth counts all queues of a port together
  std::uint32_t depth_;
  std::uint32_t slot_mask_;
  std::uint64_t busy_mask_;
  std::uint32_t first_ = 0;
  std::uint64_t roomy_ = ~std::uint64_t{0};
  std::uint32_t asked_ = 0;                            // lanes with any candidate
  std::array<Turn, std::size_t{2} * kLanes> turns_{};  // the lanes twice in a row
  std::array<Lane, kLanes> lanes_{};
  std::array<Meter, std::size_t{Units} * kPorts> ports_{};
  std::array<Queue, kQueues> queues_{};
  std::array<Flit, std::size_t{kQueues} * Capacity> slots_{};
};

using IngressSwitch = Switch<Stage::ingress, 3, 6, 4, 16, Queueing::shared, false>;
using PlaneSwitch = Switch<Stage::plane, 2, 6, 6, 16, Queueing::separate, true>;
using EgressSwitch = Switch<Stage::egress, 6, 3, 3, 32, Queueing::shared, true>;

}  // namespace plumb::fabric
