// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "plumb/core/traffic.h"
#include "plumb/fabric/packet.h"

namespace plumb::fabric {

/// One flow of the plan while it runs.
struct FlowState {
  FlowState(const Flow& plan, Placement placement)
      : flow(plan), place(placement), arrivals(static_cast<std::size_t>(footprint(plan) / kAccessBytes)) {}

  Flow flow;
  Placement place;
  Cycle start = 0;                      ///< start stamp at the observer
  Cycle stop = kNever;                  ///< stop stamp at the observer, once done
  std::size_t issue_slot = 0;           ///< which of the issuer's load flows it is
  std::size_t ack_account = 0;          ///< which of the destination's accounts it is
  std::int64_t arrived = 0;             ///< payload bytes at the destination
  std::int64_t acknowledged = 0;        ///< payload bytes that the source knows to have arrived
  std::vector<std::uint16_t> arrivals;  ///< per 16 bytes of the footprint: how often they arrived, modulo
                                        ///< 2^16; narrow, since every payload passes through the cache here

  /// Counts a payload in at the destination.
  void arrive(std::int64_t offset, std::int64_t bytes) noexcept {
    constexpr std::int64_t kAtOnce = 8;  // a register, and the usual packet
    std::uint16_t* times = arrivals.data() + offset / kAccessBytes;
    std::int64_t left = bytes / kAccessBytes;
    for (; left >= kAtOnce; left -= kAtOnce, times += kAtOnce) {
      for (std::int64_t i = 0; i < kAtOnce; ++i) ++times[i];
    }
    for (; left > 0; --left, ++times) ++*times;
    arrived += bytes;
  }
  void finish(Cycle at) noexcept { stop = at; }
  [[nodiscard]] bool done() const noexcept { return stop != kNever; }
  /// Bytes of the footprint that arrived more or less often than the plan walks over them, times how often.
  [[nodiscard]] std::int64_t bad_bytes() const noexcept {
    const auto walks = static_cast<std::uint16_t>(flow.bytes / footprint(flow));
    std::int64_t wrong = 0;
    for (const std::uint16_t times : arrivals) wrong += std::abs(static_cast<std::int16_t>(times - walks));
    return wrong * kAccessBytes;
  }
};

/// Walks through a flow's payload in pieces: segment by segment, with a pause after each burst but the last.
class Walk {
 public:
  Walk(const Flow& flow, Cycle first)
      : footprint_(footprint(flow)),
        segment_(segment(flow)),
        gap_(flow.burst != 0 ? flow.gap : 0),
        left_(flow.bytes),
        segment_left_(segment_),
        ready_(first + flow.delay) {}

  [[nodiscard]] bool done() const noexcept { return left_ == 0; }
  [[nodiscard]] Cycle ready() const noexcept { return ready_; }
  /// Offset in the footprint of the next piece.
  [[nodiscard]] std::int64_t offset() const noexcept { return offset_; }
  /// Its size: up to `most` and not across the end of a segment.
  [[nodiscard]] std::int64_t bytes(std::int64_t most) const noexcept { return std::min(most, segment_left_); }
  void advance(Cycle now, std::int64_t bytes) noexcept {
    left_ -= bytes;
    offset_ += bytes;
    segment_left_ -= bytes;
    if (offset_ == footprint_) offset_ = 0;
    if (segment_left_ != 0) return;
    segment_left_ = segment_;
    if (gap_ != 0) ready_ = std::max(ready_, now + gap_);
  }

 private:
  std::int64_t footprint_;
  std::int64_t segment_;
  Cycle gap_;
  std::int64_t left_;
  std::int64_t segment_left_;
  std::int64_t offset_ = 0;
  Cycle ready_;
};

}  // namespace plumb::fabric
