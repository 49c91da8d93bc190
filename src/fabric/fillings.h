// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "plumb/fabric/parameters.h"
#include "plumb/fabric/statistics.h"

namespace plumb::fabric {

/// Fillings of the buffers of a stage, now and over time. A movement changes one count; the areas under all
/// fillings and their peaks are kept up once per cycle, eight buffers to a register. Within a cycle a buffer
/// first gives and then takes, so that its filling at the end of the cycle is the largest of the cycle.
template <std::size_t Buffers, std::size_t Most>
class Fillings {
 public:
  [[nodiscard]] std::uint32_t operator[](std::size_t buffer) const noexcept { return size_[buffer]; }

  /// Returns the new filling.
  std::uint32_t arrive(std::size_t buffer) noexcept { return ++size_[buffer]; }
  void leave(std::size_t buffer) noexcept { --size_[buffer]; }
  /// Bit i is set where buffer i holds at most `even`, or `odd` where i is odd.
  [[nodiscard]] std::uint64_t at_most(std::uint32_t even, std::uint32_t odd) const noexcept {
    return fabric::at_most(size_, even, odd);
  }

  /// At the end of each cycle in which any buffer holds anything.
  void tick() noexcept {
    for (std::size_t i = 0; i < kPadded; ++i) {
      area_[i] = static_cast<std::uint16_t>(area_[i] + size_[i]);
      peak_[i] = std::max(peak_[i], static_cast<std::int16_t>(size_[i]));
    }
    if (++ticks_ == kTicks) gather();
  }

  void clear() noexcept {
    gather();
    areas_ = {};
    for (std::size_t i = 0; i < kPadded; ++i) peak_[i] = static_cast<std::int16_t>(size_[i]);
  }
  [[nodiscard]] QueueStatistics read(std::size_t buffer, Cycle cycles) const noexcept {
    const auto area = static_cast<double>(areas_[buffer] + area_[buffer]);
    return {.mean = cycles == 0 ? 0.0 : area / static_cast<double>(cycles), .peak = peak_[buffer]};
  }

 private:
  static constexpr std::size_t kPadded = (Buffers + 7) / 8 * 8;
  /// So many cycles fit 16 bits of area.
  static constexpr std::uint32_t kTicks = std::numeric_limits<std::uint16_t>::max() / Most;
  static_assert(Most <= std::numeric_limits<std::int16_t>::max() && kTicks > 0);

  void gather() noexcept {
    for (std::size_t i = 0; i < Buffers; ++i) areas_[i] += area_[i];
    area_ = {};
    ticks_ = 0;
  }

  alignas(16) std::array<std::uint16_t, kPadded> size_{};
  alignas(16) std::array<std::uint16_t, kPadded> area_{};  // of the last ticks
  alignas(16) std::array<std::int16_t, kPadded> peak_{};   // signed: that is what has a vector maximum
  std::uint32_t ticks_ = 0;
  std::array<std::uint64_t, Buffers> areas_{};  // of all ticks before
};

}  // namespace plumb::fabric
