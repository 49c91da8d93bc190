// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace plumb::fabric {

/// The first set bit at or above `from`, else the first set bit: one step of a round robin. `mask` != 0.
[[nodiscard]] inline std::uint32_t pick(std::uint32_t mask, std::uint32_t from) noexcept {
  const std::uint32_t above = mask & (~std::uint32_t{0} << from);
  return static_cast<std::uint32_t>(std::countr_zero(above != 0 ? above : mask));
}

[[nodiscard]] constexpr std::uint32_t bit(std::uint32_t index) noexcept { return std::uint32_t{1} << index; }

template <class Visit>
inline void for_each_bit(std::uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

/// 32 counters that count the set bits of masks. Kept as bit planes, since adding a whole mask then costs
/// two operations per carry instead of one memory access per set bit.
class BitCounters {
 public:
  void add(std::uint32_t mask) noexcept {
    for (std::size_t i = 0; mask != 0; ++i) {
      const std::uint32_t carry = planes_[i] & mask;
      planes_[i] ^= mask;
      mask = carry;
    }
  }
  [[nodiscard]] std::uint64_t count(std::uint32_t index) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < planes_.size(); ++i)
      sum |= static_cast<std::uint64_t>((planes_[i] >> index) & 1U) << i;
    return sum;
  }

 private:
  std::array<std::uint32_t, 64> planes_{};  // a counter would need centuries to leave them
};

}  // namespace plumb::fabric
