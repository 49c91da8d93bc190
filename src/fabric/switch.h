// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/bits.h"
#include "fabric/meter.h"
#include "fabric/rings.h"

namespace plumb::fabric {

struct SwitchConfig {
  std::uint32_t inputs = 0;   ///< up to 16
  std::uint32_t outputs = 0;  ///< up to 16
  Queueing queueing = Queueing::separate;
  std::uint32_t depth = 1;  ///< flits per input and channel; per output too where separate
  bool multi_read = false;
};

/// An input-buffered crossbar: the one element that GPCARB ingress, the planes and GPCARB egress are made of.
///
/// In a round each output takes at most one flit and, unless `multi_read`, each input gives at most one.
/// Outputs choose among the inputs and channels in round robin; which output chooses first rotates. A flit
/// without room behind its output never holds up the other channel. `Output` names the output of a flit.
template <auto Output>
class Switch {
 public:
  explicit Switch(const SwitchConfig& config)
      : ports_(config.inputs * kChannels),
        outputs_(config.outputs),
        split_(config.queueing != Queueing::fifo),
        pooled_(config.queueing != Queueing::separate),
        depth_(config.depth),
        multi_read_(config.multi_read),
        rings_(ports_ * (split_ ? outputs_ : 1), config.depth),
        want_(outputs_),
        next_(outputs_),
        filling_(ports_),
        meters_(ports_),
        lanes_(outputs_) {}

  /// A port is one channel of one input.
  [[nodiscard]] static std::uint32_t port(std::uint32_t input, std::uint32_t channel) noexcept {
    return input * kChannels + channel;
  }

  /// Credit check of the sender.
  [[nodiscard]] bool accepts(std::uint32_t input, Flit flit) const noexcept {
    const std::uint32_t p = port(input, flit.channel());
    return (pooled_ ? filling_[p] : rings_.size(queue(p, (flit.*Output)()))) < depth_;
  }

  void push(Cycle now, std::uint32_t input, Flit flit) noexcept {
    const std::uint32_t p = port(input, flit.channel());
    const std::uint32_t output = (flit.*Output)();
    const std::uint32_t q = queue(p, output);
    if (rings_.empty(q)) want_[output] |= bit(p);
    rings_.push(q, flit);
    ++flits_;
    meters_[p].arrive(now, ++filling_[p]);
  }

  /// One round. `room(output, flit)`: whether the next stage takes it. `deliver(port, output, flit)` hands
  /// over.
  template <class Room, class Deliver>
  void serve(Cycle now, Room&& room, Deliver&& deliver) {
    if (flits_ == 0) return;
    std::uint32_t busy = 0;  // ports whose input has already given a flit in this round
    std::uint32_t output = first_;
    for (std::uint32_t i = 0; i < outputs_; ++i, output = output + 1 == outputs_ ? 0 : output + 1) {
      std::uint32_t candidates = want_[output] & ~busy;
      if (candidates == 0) continue;
      do {
        const std::uint32_t p = pick(candidates, next_[output]);
        const Flit flit = rings_.front(queue(p, output));
        if (room(output, flit)) {
          remove(now, p, output);
          if (!multi_read_) busy |= bit(p | 1U) | bit(p & ~1U);
          deliver(p, output, flit);
          break;
        }
        candidates &= ~bit(p);
      } while (candidates != 0);
      if (candidates == 0) ++lanes_[output].blocked;
    }
    first_ = first_ + 1 == outputs_ ? 0 : first_ + 1;
  }

  /// Where the round robin of an output begins.
  void start_at(std::uint32_t output, std::uint32_t first_port) noexcept { next_[output] = first_port; }

  [[nodiscard]] std::uint32_t ports() const noexcept { return ports_; }
  [[nodiscard]] std::uint32_t flits() const noexcept { return flits_; }
  [[nodiscard]] std::uint32_t filling(std::uint32_t p) const noexcept { return filling_[p]; }
  [[nodiscard]] const Meter& meter(std::uint32_t p) const noexcept { return meters_[p]; }
  [[nodiscard]] const LaneMeter& lane(std::uint32_t output) const noexcept { return lanes_[output]; }
  /// Flits that ever left it.
  [[nodiscard]] std::uint64_t served() const noexcept { return served_; }
  void clear_statistics(Cycle now) {
    for (std::uint32_t p = 0; p < ports_; ++p) meters_[p].clear(now, filling_[p]);
    lanes_.assign(outputs_, {});
  }

  /// Calls `visit(port, output, flit)` for the head of every queue.
  template <class Visit>
  void for_each_head(Visit&& visit) const {
    for (std::uint32_t output = 0; output < outputs_; ++output) {
      for_each_bit(want_[output], [&](std::uint32_t p) { visit(p, output, rings_.front(queue(p, output))); });
    }
  }

  /// Recounts everything. Calls `fail(text)` where fillings, queues and occupancy masks disagree.
  template <class Fail>
  void audit(Fail&& fail) const {
    std::uint32_t total = 0;
    for (std::uint32_t p = 0; p < ports_; ++p) {
      std::uint32_t held = 0;
      for (std::uint32_t output = 0; output < (split_ ? outputs_ : 1); ++output) {
        const std::uint32_t q = queue(p, output);
        held += rings_.size(q);
        if (rings_.size(q) > depth_) fail("a queue is over its depth");
        if (!rings_.empty(q) && (want_[(rings_.front(q).*Output)()] & bit(p)) == 0)
          fail("a head flit is not in its output's occupancy mask");
      }
      if (pooled_ && held > depth_) fail("a pool is over its depth");
      if (held != filling_[p]) fail("the credits of an input do not match its queues");
      total += held;
    }
    for (std::uint32_t output = 0; output < outputs_; ++output) {
      for_each_bit(want_[output], [&](std::uint32_t p) {
        const std::uint32_t q = queue(p, output);
        if (rings_.empty(q) || (rings_.front(q).*Output)() != output) fail("an occupancy mask has no flit");
      });
    }
    if (total != flits_) fail("a flit was lost or doubled");
  }

 private:
  [[nodiscard]] std::uint32_t queue(std::uint32_t p, std::uint32_t output) const noexcept {
    return split_ ? p * outputs_ + output : p;
  }
  void remove(Cycle now, std::uint32_t p, std::uint32_t output) noexcept {
    const std::uint32_t q = queue(p, output);
    rings_.pop(q);
    if (rings_.empty(q)) {
      want_[output] &= ~bit(p);
    } else if (!split_) {
      want_[output] &= ~bit(p);
      want_[(rings_.front(q).*Output)()] |= bit(p);
    }
    next_[output] = p + 1 == ports_ ? 0 : p + 1;
    --filling_[p];
    --flits_;
    ++served_;
    meters_[p].leave(now);
    ++lanes_[output].flits;
  }

  std::uint32_t ports_;
  std::uint32_t outputs_;
  bool split_;
  bool pooled_;
  std::uint32_t depth_;
  bool multi_read_;
  std::uint32_t flits_ = 0;
  std::uint32_t first_ = 0;
  std::uint64_t served_ = 0;
  Rings rings_;
  std::vector<std::uint32_t> want_;     // by output: ports with a head flit for it
  std::vector<std::uint32_t> next_;     // by output: port that has the first turn
  std::vector<std::uint32_t> filling_;  // by port
  std::vector<Meter> meters_;           // by port
  std::vector<LaneMeter> lanes_;        // by output
};

using IngressSwitch = Switch<&Flit::route>;
using PlaneSwitch = Switch<&Flit::block>;
using EgressSwitch = Switch<&Flit::port>;

}  // namespace plumb::fabric
