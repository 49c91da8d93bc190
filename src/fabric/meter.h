// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "plumb/fabric/parameters.h"
#include "plumb/fabric/statistics.h"

namespace plumb::fabric {

/// Filling of one buffer, now and over time. The area under it grows by the cycle of each departure and
/// shrinks by that of each arrival, which costs nothing per cycle. Area and filling share a word, so that a
/// movement costs one addition: the filling is the low 16 bits, the area (modulo 2^48) the others.
class Meter {
 public:
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint16_t>(word_); }

  /// Returns the new filling.
  std::uint32_t arrive(Cycle now, std::uint32_t flits = 1) noexcept {
    word_ -= flits * one(now);
    const std::uint32_t after = size();
    if (after > peak_) peak_ = after;
    return after;
  }
  /// Returns the new filling.
  std::uint32_t leave(Cycle now) noexcept {
    word_ += one(now);
    return size();
  }

  void clear(Cycle now) noexcept {
    peak_ = size();
    word_ = 0 - peak_ * one(now);
  }
  [[nodiscard]] QueueStatistics read(Cycle now, Cycle cycles) const noexcept {
    const std::uint64_t area = (word_ + size() * (one(now) + 1)) >> kFilling;
    return {.mean = cycles == 0 ? 0.0 : static_cast<double>(area) / static_cast<double>(cycles),
            .peak = static_cast<int>(peak_)};
  }

 private:
  static constexpr std::uint32_t kFilling = 16;

  /// What a flit that leaves adds.
  static std::uint64_t one(Cycle now) noexcept { return (static_cast<std::uint64_t>(now) << kFilling) - 1; }

  std::uint64_t word_ = 0;
  std::uint32_t peak_ = 0;
};

/// One lane's traffic.
struct LaneMeter {
  std::uint64_t flits = 0;
  std::uint64_t blocked = 0;

  [[nodiscard]] LaneStatistics read(Cycle cycles, Ratio rate) const noexcept {
    const double room = static_cast<double>(cycles) * rate.numerator / rate.denominator;
    return {.flits = flits,
            .blocked = blocked,
            .utilisation = room == 0 ? 0.0 : static_cast<double>(flits) / room};
  }
};

}  // namespace plumb::fabric
