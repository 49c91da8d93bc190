// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fabric/endpoint/unit.h"

namespace plumb::fabric {

/// The store side of an SM's memory pipe. Stores are fire and forget: warps wait for nothing but the window
/// of unacknowledged bytes, so the flow is one walk over its payload in short writes.
class StoreIssue {
 public:
  explicit StoreIssue(const Parameters& p) : rate_(p.store_issue), window_(p.store_window) {}

  std::size_t add(std::uint32_t index, const Flow& flow, Cycle first) {
    flows_.push_back({.index = index, .warps = flow.warps, .walk = Walk(flow, first)});
    return flows_.size() - 1;
  }
  [[nodiscard]] bool idle() const noexcept { return flows_.empty(); }
  [[nodiscard]] std::int64_t outstanding() const noexcept { return outstanding_; }

  Issue issue(World& world, Cycle now) {
    if (flows_.empty() || outstanding_ >= window_) return {};
    if (rate_.ready() > now) return {.wake = rate_.ready()};
    Issue answer;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const std::size_t mine = next_;
      Stream& stream = flows_[mine];
      next_ = next_ + 1 == flows_.size() ? 0 : next_ + 1;
      if (stream.walk.done()) continue;
      if (stream.walk.ready() <= now) {
        const Issue sent = send(world, now, stream);
        if (sent.state == Issue::State::full) next_ = mine;  // it keeps its turn
        return sent;
      }
      answer.wake = std::min(answer.wake, stream.walk.ready());
    }
    return answer;
  }

  /// Warps of the flows that still have something to store.
  [[nodiscard]] int busy_warps() const noexcept {
    int warps = 0;
    for (const Stream& stream : flows_) warps += stream.walk.done() ? 0 : stream.warps;
    return warps;
  }

  void acknowledged(std::int64_t bytes) noexcept { outstanding_ -= bytes; }

 private:
  struct Stream {
    std::uint32_t index = 0;
    int warps = 0;
    Walk walk;
  };

  Issue send(World& world, Cycle now, Stream& stream) {
    const FlowState& state = world.flows[stream.index];
    const Tag tag{.flow = stream.index,
                  .bytes = stream.walk.bytes(world.p.write_quantum),
                  .offset = stream.walk.offset()};
    const bool sent =
        world.engine.offer({.source = state.flow.source,
                            .destination = state.flow.destination,
                            .channel = Channel::request,
                            .kind = PacketKind::short_write,
                            .flits = world.flits(tag.bytes) + world.p.short_write_header_flits,
                            .leading_flits = world.p.short_write_header_flits,
                            .address = static_cast<std::uint64_t>(state.place.destination + tag.offset),
                            .tag = tag.pack()});
    if (!sent) return {.state = Issue::State::full};
    stream.walk.advance(now, tag.bytes);
    outstanding_ += tag.bytes;
    rate_.pass(now, tag.bytes);
    return {.state = Issue::State::sent};
  }

  Throttle rate_;
  std::int64_t window_;
  std::int64_t outstanding_ = 0;
  std::vector<Stream> flows_;
  std::size_t next_ = 0;
};

}  // namespace plumb::fabric
