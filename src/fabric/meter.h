// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "plumb/fabric/parameters.h"
#include "plumb/fabric/statistics.h"

namespace plumb::fabric {

/// Filling of one buffer over time. The area under it grows by the cycle of each departure and shrinks by
/// that of each arrival, which costs one addition per movement and nothing per cycle.
class Meter {
 public:
  void arrive(Cycle now, std::uint32_t size_after, std::uint32_t flits = 1) noexcept {
    area_ -= now * static_cast<Cycle>(flits);
    peak_ = std::max(peak_, size_after);
  }
  void leave(Cycle now) noexcept { area_ += now; }

  void clear(Cycle now, std::uint32_t size) noexcept {
    area_ = -now * static_cast<Cycle>(size);
    peak_ = size;
  }
  [[nodiscard]] QueueStatistics read(Cycle now, Cycle cycles, std::uint32_t size) const noexcept {
    const Cycle area = area_ + now * static_cast<Cycle>(size);
    return {.mean = cycles == 0 ? 0.0 : static_cast<double>(area) / static_cast<double>(cycles),
            .peak = static_cast<int>(peak_)};
  }

 private:
  std::int64_t area_ = 0;
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
