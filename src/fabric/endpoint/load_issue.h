// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "fabric/bits.h"
#include "fabric/endpoint/unit.h"

namespace plumb::fabric {

/// Loads of one flow: each warp issues `in_flight` accesses of 512 bytes back to back and then waits for all
/// of them, warps interleaved over the payload. An access is one read command per response quantum.
class LoadFlow {
 public:
  LoadFlow(std::uint32_t index, const Flow& flow, Cycle first, int turnaround)
      : index_(index), flow_(flow), turnaround_(turnaround) {
    for (int w = 0; w < flow.warps; ++w) {
      Warp& warp = warps_.emplace_back();
      warp.access = w;
      warp.ready = first + flow.delay;
      begin_batch(warp, warp.ready);
    }
  }

  /// Bit `warp` is set where it may issue at `now`; `wake` becomes the first cycle at which a resting one
  /// may.
  [[nodiscard]] std::uint32_t willing(Cycle now, Cycle& wake) const noexcept {
    std::uint32_t mask = 0;
    for_each_bit(issuing_, [&](std::uint32_t w) {
      if (warps_[w].ready <= now) {
        mask |= bit(w);
      } else {
        wake = std::min(wake, warps_[w].ready);
      }
    });
    return mask;
  }

  /// Which of the warps that may issue does. `warps` != 0. Accesses queue in front of the memory pipe in the
  /// order in which warps become ready. Of those that become ready together, as all do at the start, the four
  /// sub-partitions take turns access by access, and in each the scheduler stays with a warp for its batch.
  [[nodiscard]] std::uint32_t choose(std::uint32_t warps) const noexcept {
    if (warps_[current_].part != 0) return current_;
    Cycle oldest = kNever;
    std::uint32_t together = 0;
    for_each_bit(warps, [&](std::uint32_t w) {
      const Cycle ready = warps_[w].ready;
      if (ready < oldest) together = 0;
      oldest = std::min(oldest, ready);
      together |= only_if(ready == oldest, bit(w));
    });
    for (std::uint32_t k = 1; k < kSubPartitions; ++k) {
      const std::uint32_t s = (current_ + k) % kSubPartitions;
      if (const std::uint32_t mine = together & (kOfFirst << s); mine != 0) return pick(mine, latest_[s]);
    }
    return pick(together, current_);
  }

  /// The next read command of a warp.
  [[nodiscard]] Tag peek(std::uint32_t w, std::int64_t quantum) const noexcept {
    const Warp& warp = warps_[w];
    const std::int64_t start = warp.access * kWarpBytes + warp.part;
    const std::int64_t end = std::min((warp.access + 1) * kWarpBytes, segment(flow_));
    return {.flow = index_, .warp = w, .bytes = std::min(quantum, end - start), .offset = warp.base + start};
  }

  void issued(const Tag& tag) noexcept {
    Warp& warp = warps_[tag.warp];
    current_ = tag.warp;
    latest_[tag.warp % kSubPartitions] = tag.warp;
    warp.waiting += tag.bytes;
    warp.part += tag.bytes;
    const std::int64_t end = std::min(kWarpBytes, segment(flow_) - warp.access * kWarpBytes);
    if (warp.part < end) return;
    warp.part = 0;
    warp.access += flow_.warps;
    if (--warp.batch == 0 || warp.access * kWarpBytes >= segment(flow_)) issuing_ &= ~bit(tag.warp);
  }

  /// Data of a warp came back.
  void returned(Cycle now, const Tag& tag) noexcept {
    Warp& warp = warps_[tag.warp];
    warp.waiting -= tag.bytes;
    if (warp.waiting != 0 || (issuing_ & bit(tag.warp)) != 0) return;
    warp.ready = now + turnaround_;
    begin_batch(warp, warp.ready);
  }

 private:
  static constexpr std::int64_t kWarpBytes = 32 * kAccessBytes;
  static constexpr std::uint32_t kSubPartitions = 4;
  static constexpr std::uint32_t kOfFirst = 0x1111'1111;  ///< warps of the first

  struct Warp {
    std::int64_t access = 0;   ///< next one, counted in the segment
    std::int64_t segment = 0;  ///< which segment
    std::int64_t base = 0;     ///< its offset in the footprint
    std::int64_t part = 0;     ///< bytes of the access that are issued
    std::int64_t waiting = 0;  ///< bytes asked for and not here
    int batch = 0;             ///< accesses that may still be issued before it waits
    Cycle ready = 0;
  };

  void begin_batch(Warp& warp, Cycle now) noexcept {
    const auto w = static_cast<std::uint32_t>(&warp - warps_.data());
    const std::int64_t segments = flow_.bytes / segment(flow_);
    if (warp.access * kWarpBytes >= segment(flow_)) {
      if (++warp.segment >= segments) return;
      warp.base = warp.segment * segment(flow_) % footprint(flow_);
      warp.access = w;
      if (flow_.burst != 0) warp.ready = now + flow_.gap;
      // A warp without a share of so short a segment never issues.
      if (warp.access * kWarpBytes >= segment(flow_)) return;
    }
    warp.batch = flow_.in_flight;
    issuing_ |= bit(w);
  }

  std::uint32_t index_;
  Flow flow_;
  Cycle turnaround_;
  std::vector<Warp> warps_;
  std::uint32_t issuing_ = 0;                                     ///< warps with accesses left in their batch
  std::uint32_t current_ = 0;                                     ///< the warp that issued last
  std::array<std::uint32_t, kSubPartitions> latest_{0, 1, 2, 3};  ///< in each sub-partition
};

/// The load side of an SM's memory pipe, at the issue rate and within the window.
class LoadIssue {
 public:
  explicit LoadIssue(const Parameters& p)
      : rate_(p.load_issue), window_(p.load_window), turnaround_(p.load_turnaround) {}

  std::size_t add(std::uint32_t index, const Flow& flow, Cycle first) {
    flows_.emplace_back(index, flow, first, turnaround_);
    return flows_.size() - 1;
  }
  [[nodiscard]] bool idle() const noexcept { return flows_.empty(); }
  [[nodiscard]] std::int64_t outstanding() const noexcept { return outstanding_; }

  Issue issue(World& world, Cycle now) {
    if (flows_.empty() || outstanding_ >= window_) return {};
    if (rate_.ready() > now) return {.wake = rate_.ready()};
    Issue answer;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      LoadFlow& flow = flows_[next_flow_];
      if (const std::uint32_t warps = flow.willing(now, answer.wake); warps != 0)
        return send(world, now, flow, flow.choose(warps));
      next_flow_ = next_flow_ + 1 == flows_.size() ? 0 : next_flow_ + 1;
    }
    return answer;
  }

  /// Warps that may issue at `now`.
  [[nodiscard]] int ready_warps(Cycle now) const noexcept {
    int warps = 0;
    Cycle ignored = kNever;
    for (const LoadFlow& flow : flows_) warps += std::popcount(flow.willing(now, ignored));
    return warps;
  }

  void returned(Cycle now, const Tag& tag, std::size_t slot) noexcept {
    outstanding_ -= tag.bytes;
    flows_[slot].returned(now, tag);
  }

 private:
  Issue send(World& world, Cycle now, LoadFlow& flow, std::uint32_t warp) {
    const Tag tag = flow.peek(warp, world.p.response_quantum);
    const FlowState& state = world.flows[tag.flow];
    const bool sent =
        world.engine.offer({.source = state.flow.destination,
                            .destination = state.flow.source,
                            .channel = Channel::request,
                            .kind = PacketKind::read_command,
                            .flits = world.p.read_command_flits,
                            .leading_flits = world.p.read_command_flits,
                            .address = static_cast<std::uint64_t>(state.place.source + tag.offset),
                            .tag = tag.pack()});
    if (!sent) return {.state = Issue::State::full};
    flow.issued(tag);
    outstanding_ += tag.bytes;
    rate_.pass(now, tag.bytes);
    next_flow_ = next_flow_ + 1 == flows_.size() ? 0 : next_flow_ + 1;
    return {.state = Issue::State::sent};
  }

  Throttle rate_;
  std::int64_t window_;
  int turnaround_;
  std::int64_t outstanding_ = 0;
  std::vector<LoadFlow> flows_;
  std::size_t next_flow_ = 0;
};

}  // namespace plumb::fabric
