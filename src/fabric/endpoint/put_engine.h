// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fabric/endpoint/unit.h"

namespace plumb::fabric {

/// The TMA of an SM: one bulk-copy command after the other, flows in round robin, each command cut into long
/// writes. Setting a command up takes time that overlaps with the data of the one before it.
class PutEngine {
 public:
  explicit PutEngine(const Parameters& p) : setup_(p.put_setup), window_(p.put_window) {}

  std::size_t add(std::uint32_t index, const Flow& flow, Cycle first) {
    flows_.push_back({.index = index, .walk = Walk(flow, first), .command = flow.command});
    return flows_.size() - 1;
  }
  [[nodiscard]] bool idle() const noexcept { return flows_.empty(); }
  [[nodiscard]] std::int64_t outstanding() const noexcept { return outstanding_; }

  Issue issue(World& world, Cycle now) {
    if (flows_.empty() || outstanding_ >= window_) return {};
    if (left_ == 0) {
      if (next_command_ > now) return {.wake = next_command_};
      if (const Cycle wake = begin_command(now); wake > now) return {.wake = wake};
    }
    return send(world, now);
  }

  void acknowledged(std::int64_t bytes) noexcept { outstanding_ -= bytes; }

 private:
  struct Stream {
    std::uint32_t index = 0;
    Walk walk;
    std::int64_t command = 0;
  };

  /// Returns `now`, or the first cycle at which a flow has a command.
  Cycle begin_command(Cycle now) {
    Cycle wake = kNever;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      current_ = next_;
      next_ = next_ + 1 == flows_.size() ? 0 : next_ + 1;
      const Stream& stream = flows_[current_];
      if (stream.walk.done()) continue;
      if (stream.walk.ready() <= now) {
        left_ = stream.walk.bytes(stream.command);
        fresh_ = true;
        next_command_ = now + setup_;
        return now;
      }
      wake = std::min(wake, stream.walk.ready());
    }
    return wake;
  }

  Issue send(World& world, Cycle now) {
    Stream& stream = flows_[current_];
    const FlowState& state = world.flows[stream.index];
    const std::int64_t bytes = std::min<std::int64_t>(world.p.write_quantum, left_);
    const int leading = fresh_ ? world.p.long_write_command_flits : 0;
    const int flits = world.flits(bytes) + leading;
    if (!world.engine.admits(static_cast<std::uint32_t>(state.flow.source), Channel::request, flits))
      return {.state = Issue::State::full};
    const Tag tag{.flow = stream.index, .bytes = bytes, .offset = stream.walk.offset()};
    world.engine.accept({.source = state.flow.source,
                         .destination = state.flow.destination,
                         .channel = Channel::request,
                         .kind = PacketKind::long_write,
                         .flits = flits,
                         .leading_flits = leading,
                         .address = static_cast<std::uint64_t>(state.place.destination + tag.offset),
                         .tag = tag.pack()});
    stream.walk.advance(now, tag.bytes);
    left_ -= tag.bytes;
    outstanding_ += tag.bytes;
    fresh_ = false;
    return {.state = Issue::State::sent};
  }

  Cycle setup_;
  std::int64_t window_;
  std::int64_t outstanding_ = 0;
  std::vector<Stream> flows_;
  std::size_t current_ = 0;
  std::size_t next_ = 0;
  std::int64_t left_ = 0;   ///< bytes of the current command that are not sent
  bool fresh_ = false;      ///< nothing of the current command is sent
  Cycle next_command_ = 0;  ///< when the next one is set up
};

}  // namespace plumb::fabric
