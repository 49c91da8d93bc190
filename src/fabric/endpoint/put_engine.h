// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "fabric/endpoint/unit.h"

namespace plumb::fabric {

/// The TMA of an SM: one bulk-copy command after the other, each cut into long writes. It takes commands from
/// the four sub-partitions in turn, and those of a sub-partition, whose warps issue one flow each, in round
/// robin (dsm/fan-out: of six flows, the two that have a sub-partition to themselves are 1.5 times as fast).
/// Both begin at the other end than one would think (dsm/fan-out): of the warps of a sub-partition the last
/// is first, and of the sub-partitions that of warp 0 has the last turn. Setting a command up takes time that
/// overlaps with the data of the one before it.
class PutEngine {
 public:
  explicit PutEngine(const Parameters& p)
      : setup_(p.put_setup),
        issue_(p.put_issue),
        window_(p.put_window),
        pair_mask_(static_cast<std::uint64_t>(2 * p.flit_bytes) - 1) {}

  std::size_t add(std::uint32_t index, const Flow& flow, Cycle first) {
    flows_.push_back({.index = index, .walk = Walk(flow, first), .command = flow.command});
    return flows_.size() - 1;
  }
  [[nodiscard]] bool idle() const noexcept { return flows_.empty(); }
  [[nodiscard]] std::int64_t outstanding() const noexcept { return outstanding_; }

  Issue issue(World& world, Cycle now) {
    if (flows_.empty() || outstanding_ >= window_) return {};
    if (now == refused_) return {.state = Issue::State::full};
    if (left_ == 0) {
      if (next_command_ > now) return {.wake = next_command_};
      if (const Cycle wake = begin_command(world, now); wake > now) return {.wake = wake};
    }
    return send(world);
  }

  /// After a packet was sent: whether the injection queue surely has no room for the next one in the next
  /// cycle. Otherwise half of all offers would be made to be refused. For an SM whose requests come from this
  /// unit alone.
  bool stops(World& world, Cycle now) noexcept {
    if (left_ == 0 || outstanding_ >= window_ || world.answers == Channel::request) return false;
    if (!world.engine.refuses_next(static_cast<std::uint32_t>(packet_.source), Channel::request,
                                   packet_.flits))
      return false;
    refused_ = now + 1;
    return true;
  }

  void acknowledged(std::int64_t bytes) noexcept { outstanding_ -= bytes; }

 private:
  static constexpr std::size_t kSubPartitions = 4;
  static constexpr std::array<std::size_t, kSubPartitions> kOrder{1, 3, 2, 0};  ///< in which they have turns

  struct Stream {
    std::uint32_t index = 0;
    Walk walk;
    std::int64_t command = 0;
  };

  /// Returns `now`, or the first cycle at which a flow has a command.
  Cycle begin_command(const World& world, Cycle now) {
    Cycle wake = kNever;
    for (std::size_t part = 0; part < kSubPartitions; ++part) {
      const std::size_t mine = kOrder[next_part_];
      next_part_ = (next_part_ + 1) % kSubPartitions;
      for (std::size_t i = mine; i < flows_.size(); i += kSubPartitions) {
        const std::size_t last = flows_.size() - 1 - (flows_.size() - 1 - mine) % kSubPartitions;
        current_ = std::min(next_[mine], last);
        next_[mine] = current_ >= kSubPartitions ? current_ - kSubPartitions : last;
        const Stream& stream = flows_[current_];
        if (stream.walk.done()) continue;
        if (stream.walk.ready() <= now) {
          begin(world, stream);
          issued_ = now + issue_;
          next_command_ = now + setup_;
          return now;
        }
        wake = std::min(wake, stream.walk.ready());
      }
    }
    return wake;
  }

  /// What the packets of a command have in common is worked out once.
  void begin(const World& world, const Stream& stream) {
    const FlowState& state = world.flows[stream.index];
    command_ = stream.walk.bytes(stream.command);
    left_ = command_;
    leading_ = world.p.long_write_command_flits;
    packet_ = {.source = state.flow.source,
               .destination = state.flow.destination,
               .channel = Channel::request,
               .kind = PacketKind::long_write,
               .address = static_cast<std::uint64_t>(state.place.destination + stream.walk.offset())};
    tag_ = {.flow = stream.index, .offset = stream.walk.offset()};
    set_size(world);
  }
  /// Of the next packet.
  void set_size(const World& world) noexcept {
    tag_.bytes = std::min<std::int64_t>(world.p.write_quantum, left_);
    // A payload that begins in the middle of a pair of flits travels with one more.
    const bool across = (packet_.address & pair_mask_) != 0;
    packet_.leading_flits = leading_ + (across ? world.p.unaligned_write_flits : 0);
    packet_.flits = world.flits(tag_.bytes) + packet_.leading_flits;
  }

  Issue send(World& world) {
    if (!world.engine.admits(static_cast<std::uint32_t>(packet_.source), Channel::request, packet_.flits))
      return {.state = Issue::State::full};
    packet_.tag = tag_.pack();
    world.engine.accept(packet_);
    outstanding_ += tag_.bytes;
    left_ -= tag_.bytes;
    packet_.address += static_cast<std::uint64_t>(tag_.bytes);
    tag_.offset += tag_.bytes;
    leading_ = 0;
    set_size(world);
    if (left_ == 0) flows_[current_].walk.advance(issued_, command_);
    return {.state = Issue::State::sent};
  }

  Cycle setup_;
  Cycle issue_;
  std::int64_t window_;
  std::uint64_t pair_mask_;  ///< of an address: its place in a pair of flits, whose size is a power of two
  std::int64_t outstanding_ = 0;
  std::vector<Stream> flows_;
  std::size_t current_ = 0;
  std::size_t next_part_ = 0;
  /// Of each sub-partition; beyond its last flow: that one.
  std::array<std::size_t, kSubPartitions> next_{kMaxFlows, kMaxFlows, kMaxFlows, kMaxFlows};
  std::int64_t left_ = 0;     ///< bytes of the current command that are not sent
  std::int64_t command_ = 0;  ///< all of its bytes
  int leading_ = 0;           ///< flits that its next packet begins with
  Cycle refused_ = kNever;    ///< the cycle whose offer is refused and counted already
  Packet packet_;             ///< its next packet
  Tag tag_;                   ///< of that packet
  Cycle issued_ = 0;          ///< when the thread that issued it goes on
  Cycle next_command_ = 0;    ///< when the next one is set up
};

}  // namespace plumb::fabric
