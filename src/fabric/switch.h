// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

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
/// without room behind its output never holds up the other channel. `Output` names the output of a flit.
///
/// All crossbars of a stage live in one object, so that a round is one loop over the set bits of one mask,
/// and their shape is known to the compiler. Output `o` of unit `u` has the number o * Units + u: rotating
/// the numbers by whole outputs then moves all units on alike.
template <auto Output, std::uint32_t Units, std::uint32_t Inputs, std::uint32_t Outputs>
class Switch {
 public:
  static constexpr std::uint32_t kPorts = Inputs * kChannels;  ///< of a unit; a port is a channel of an input
  static constexpr std::uint32_t kTotal = Units * Outputs;
  static_assert(kPorts <= 32 && kTotal < 32, "masks are 32 bits wide");

  explicit Switch(const SwitchConfig& config)
      : split_(config.queueing == Queueing::fifo ? 0 : ~std::uint32_t{0}),
        pooled_(config.queueing != Queueing::separate),
        depth_(config.depth),
        busy_mask_(config.multi_read ? 0 : ~std::uint32_t{0}),
        mask_(std::bit_ceil(config.depth) - 1),
        shift_(static_cast<std::uint32_t>(std::bit_width(std::bit_ceil(config.depth)) - 1)),
        slots_(std::size_t{kQueues} << shift_) {}

  [[nodiscard]] static constexpr std::uint32_t port(std::uint32_t input, std::uint32_t channel) noexcept {
    return input * kChannels + channel;
  }

  /// Credit check of the sender.
  [[nodiscard]] bool accepts(std::uint32_t unit, std::uint32_t input, Flit flit) const noexcept {
    const std::uint32_t p = unit * kPorts + port(input, flit.channel());
    return (pooled_ ? ports_[p].filling : queues_[index(p, (flit.*Output)())].size) < depth_;
  }

  void push(Cycle now, std::uint32_t unit, std::uint32_t input, Flit flit) noexcept {
    const std::uint32_t within = port(input, flit.channel());
    const std::uint32_t p = unit * kPorts + within;
    const std::uint32_t output = (flit.*Output)();
    const std::uint32_t q = index(p, output);
    Queue& queue = queues_[q];
    assert(queue.size <= mask_);
    // Where one queue serves all outputs only its head asks; elsewhere asking again changes nothing.
    if (split_ != 0 || queue.size == 0) ask(output * Units + unit, within);
    slots_[(std::size_t{q} << shift_) + ((queue.head + queue.size) & mask_)] = flit;
    ++queue.size;
    Port& from = ports_[p];
    from.meter.arrive(now, ++from.filling);
  }

  /// One round. `room(unit, output, flit)`: whether the next stage takes it. `deliver(unit, output, flit)`
  /// hands it over.
  template <class Room, class Deliver>
  void serve(Cycle now, Room&& room, Deliver&& deliver) {
    if (asked_ == 0) return;
    std::array<std::uint32_t, Units> busy{};  // by unit: ports whose input has given a flit in this round
    const std::uint32_t busy_mask = busy_mask_;
    const std::uint32_t start = first_ * Units;
    std::uint32_t waiting = ((asked_ >> start) | (asked_ << (kTotal - start))) & (bit(kTotal) - 1);
    first_ = first_ + 1 == Outputs ? 0 : first_ + 1;
    for (; waiting != 0; waiting &= waiting - 1) {
      std::uint32_t o = static_cast<std::uint32_t>(std::countr_zero(waiting)) + start;
      o -= o >= kTotal ? kTotal : 0;
      const std::uint32_t unit = o % Units;
      const std::uint32_t output = o / Units;
      Lane& lane = lanes_[o];
      for (std::uint32_t candidates = lane.want & ~busy[unit]; candidates != 0;) {
        const std::uint32_t within = pick(candidates, lane.next);
        const std::uint32_t p = unit * kPorts + within;
        Queue& queue = queues_[index(p, output)];
        const Flit flit = queue_head(queue, index(p, output));
        if (room(unit, output, flit)) {
          busy[unit] |= (3U << (within & ~1U)) & busy_mask;
          lane.next = within + 1 == kPorts ? 0 : within + 1;
          ++lane.meter.flits;
          remove(now, unit, within, o, queue);
          deliver(unit, output, flit);
          break;
        }
        candidates &= ~bit(within);
        if (candidates == 0) ++lane.meter.blocked;
      }
    }
  }

  /// Where the round robin of an output begins.
  void start_at(std::uint32_t unit, std::uint32_t output, std::uint32_t first_port) noexcept {
    lanes_[output * Units + unit].next = first_port;
  }

  [[nodiscard]] bool empty() const noexcept { return asked_ == 0; }
  [[nodiscard]] std::uint32_t flits() const noexcept {
    std::uint32_t sum = 0;
    for (const Port& p : ports_) sum += p.filling;
    return sum;
  }
  /// Flits that ever left, since the statistics were cleared.
  [[nodiscard]] std::uint64_t served() const noexcept {
    std::uint64_t sum = 0;
    for (const Lane& lane : lanes_) sum += lane.meter.flits;
    return sum;
  }
  [[nodiscard]] QueueStatistics filling(std::uint32_t unit, std::uint32_t p, Cycle now, Cycle cycles) const {
    const Port& from = ports_[unit * kPorts + p];
    return from.meter.read(now, cycles, from.filling);
  }
  [[nodiscard]] const LaneMeter& lane(std::uint32_t unit, std::uint32_t output) const noexcept {
    return lanes_[output * Units + unit].meter;
  }
  void clear_statistics(Cycle now) {
    for (Port& p : ports_) p.meter.clear(now, p.filling);
    for (Lane& lane : lanes_) lane.meter = {};
  }

  /// Calls `visit(unit, output, flit)` for the head of every queue.
  template <class Visit>
  void for_each_head(Visit&& visit) const {
    for (std::uint32_t o = 0; o < kTotal; ++o) {
      for_each_bit(lanes_[o].want, [&](std::uint32_t within) {
        visit(o % Units, o / Units, head(index(o % Units * kPorts + within, o / Units)));
      });
    }
  }

  /// Recounts everything. Calls `fail(text)` where fillings, queues and masks disagree.
  template <class Fail>
  void audit(Fail&& fail) const {
    for (std::uint32_t p = 0; p < Units * kPorts; ++p) {
      std::uint32_t held = 0;
      for (std::uint32_t output = 0; output < (split_ != 0 ? Outputs : 1); ++output) {
        const std::uint32_t q = index(p, output);
        held += queues_[q].size;
        if (queues_[q].size > depth_) fail("a queue is over its depth");
        if (queues_[q].size == 0) continue;
        const std::uint32_t o = (head(q).*Output)() * Units + p / kPorts;
        if ((lanes_[o].want & bit(p % kPorts)) == 0) fail("a head flit does not ask for its output");
      }
      if (pooled_ && held > depth_) fail("a pool is over its depth");
      if (held != ports_[p].filling) fail("the credits of an input do not match its queues");
    }
    for (std::uint32_t o = 0; o < kTotal; ++o) {
      if (((asked_ & bit(o)) != 0) != (lanes_[o].want != 0)) fail("the mask of asked outputs is wrong");
      for_each_bit(lanes_[o].want, [&](std::uint32_t within) {
        const std::uint32_t q = index(o % Units * kPorts + within, o / Units);
        if (queues_[q].size == 0 || (head(q).*Output)() != o / Units)
          fail("an output is asked without a flit");
      });
    }
  }

 private:
  static constexpr std::uint32_t kQueues = Units * kPorts * Outputs;

  struct alignas(32) Lane {  // of one output
    std::uint32_t want = 0;  // ports of the unit with a head flit for it
    std::uint32_t next = 0;  // port that has the first turn
    LaneMeter meter;
  };
  struct Port {
    std::uint32_t filling = 0;
    Meter meter;
  };
  struct Queue {
    std::uint32_t head = 0;  // counts up for ever; its low bits pick the slot
    std::uint32_t size = 0;
  };

  [[nodiscard]] std::uint32_t index(std::uint32_t p, std::uint32_t output) const noexcept {
    return p * Outputs + (output & split_);
  }
  [[nodiscard]] Flit queue_head(const Queue& queue, std::uint32_t q) const noexcept {
    return slots_[(std::size_t{q} << shift_) + (queue.head & mask_)];
  }
  [[nodiscard]] Flit head(std::uint32_t q) const noexcept { return queue_head(queues_[q], q); }
  void ask(std::uint32_t o, std::uint32_t within) noexcept {
    lanes_[o].want |= bit(within);
    asked_ |= bit(o);
  }
  void remove(Cycle now, std::uint32_t unit, std::uint32_t within, std::uint32_t o, Queue& queue) noexcept {
    ++queue.head;
    --queue.size;
    Port& from = ports_[unit * kPorts + within];
    --from.filling;
    from.meter.leave(now);
    // Without a branch: whether a queue runs empty is a coin toss to the processor.
    Lane& lane = lanes_[o];
    const bool drop = split_ == 0 || queue.size == 0;
    lane.want &= ~(static_cast<std::uint32_t>(drop) << within);
    asked_ &= ~(static_cast<std::uint32_t>(lane.want == 0) << o);
    if (split_ != 0 || queue.size == 0) return;
    const Flit next = queue_head(queue, static_cast<std::uint32_t>(&queue - queues_.data()));
    ask((next.*Output)() * Units + unit, within);
  }

  std::uint32_t split_;  // all ones where each output has a queue of its own
  bool pooled_;          // the depth counts all queues of a port together
  std::uint32_t depth_;
  std::uint32_t busy_mask_;
  std::uint32_t mask_;
  std::uint32_t shift_;
  std::uint32_t first_ = 0;
  std::uint32_t asked_ = 0;  // outputs with any candidate
  std::array<Lane, kTotal> lanes_{};
  std::array<Port, std::size_t{Units} * kPorts> ports_{};
  std::array<Queue, kQueues> queues_{};
  std::vector<Flit> slots_;
};

using IngressSwitch = Switch<&Flit::route, 3, 6, 4>;
using PlaneSwitch = Switch<&Flit::block, 2, 6, 6>;
using EgressSwitch = Switch<&Flit::port, 6, 3, 3>;

}  // namespace plumb::fabric
