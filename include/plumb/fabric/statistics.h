// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "plumb/fabric/packet.h"

namespace plumb::fabric {

/// Counts of cycles in bins that are exact below 16 and 1/16 of an octave wide above: a quantile is at most
/// 6.25 % above the true one.
class Histogram {
 public:
  static constexpr int kSubBins = 16;
  static constexpr int kBins = kSubBins * 32;

  void add(Cycle value) noexcept {
    const auto v = static_cast<std::uint64_t>(std::max<Cycle>(value, 0));
    const int octave = std::max(0, static_cast<int>(std::bit_width(v)) - 1 - kSubBits);
    const std::uint64_t bin = (static_cast<std::uint64_t>(octave) << kSubBits) + (v >> octave);
    ++bins_[std::min<std::size_t>(bin, kBins - 1)];
    ++count_;
    sum_ += value;
    largest_ = std::max(largest_, value);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] double mean() const noexcept;
  [[nodiscard]] Cycle largest() const noexcept { return largest_; }
  /// Upper edge of the bin that holds the `q` quantile, 0 <= q <= 1; 0 where nothing was counted.
  [[nodiscard]] Cycle quantile(double q) const noexcept;

  bool operator==(const Histogram&) const = default;

 private:
  static constexpr int kSubBits = std::bit_width(static_cast<unsigned>(kSubBins)) - 1;

  std::array<std::uint32_t, kBins> bins_{};
  std::uint64_t count_ = 0;
  std::int64_t sum_ = 0;
  Cycle largest_ = 0;
};

/// A buffer's filling over the run, flits.
struct QueueStatistics {
  double mean = 0.0;
  int peak = 0;

  bool operator==(const QueueStatistics&) const = default;
};

/// One direction of one 32-byte lane.
struct LaneStatistics {
  std::uint64_t flits = 0;
  std::uint64_t blocked = 0;  ///< cycles in which a flit waited for the lane and none could move
  double utilisation = 0.0;   ///< flits per cycle that the lane can carry, 0 to 1

  bool operator==(const LaneStatistics&) const = default;
};

struct SmStatistics {
  std::array<std::uint64_t, kChannels> sent{};      ///< flits injected, per channel
  std::array<std::uint64_t, kChannels> received{};  ///< flits ejected, per channel
  std::uint64_t packets_sent = 0;
  std::uint64_t packets_received = 0;
  std::uint64_t shaper_stalls = 0;   ///< cycles in which a flit could go and the shaper held it
  std::uint64_t ingress_stalls = 0;  ///< cycles in which flits waited and the ingress buffer had no room
  std::uint64_t port_stalls = 0;     ///< cycles lost to the other direction of a half-duplex port
  std::uint64_t offer_stalls = 0;    ///< offers refused because the injection queue was full
  std::array<QueueStatistics, kChannels> injection{};
  std::array<QueueStatistics, kChannels> ingress{};

  bool operator==(const SmStatistics&) const = default;
};

/// What a network has done since it was built or since its statistics were cleared.
struct Statistics {
  Cycle cycles = 0;
  Cycle skipped = 0;                          ///< of them jumped over because nothing could move
  std::vector<SmStatistics> sms;              ///< by rank
  std::vector<LaneStatistics> ingress_lanes;  ///< cpc * 4 + route: from GPCARB ingress into a plane
  std::vector<LaneStatistics> egress_lanes;   ///< block * 2 + plane: from a plane into GPCARB egress
  std::vector<LaneStatistics> sm_lanes;       ///< by rank: from GPCARB egress to the SM
  std::vector<QueueStatistics> plane_inputs;  ///< (cpc * 4 + route) * 2 + channel
  std::vector<QueueStatistics> egress_pools;  ///< (block * 2 + plane) * 2 + channel
  std::array<Histogram, kChannels> latency;   ///< offer to delivery of packets, cycles

  bool operator==(const Statistics&) const = default;
};

}  // namespace plumb::fabric
