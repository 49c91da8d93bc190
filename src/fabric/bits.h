// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace plumb::fabric {

/// Index of the lowest set bit. `mask` != 0, which saves the test that std::countr_zero makes for it.
[[nodiscard]] inline std::uint32_t lowest(std::uint64_t mask) noexcept {
  return static_cast<std::uint32_t>(__builtin_ctzll(mask));
}

/// The first set bit at or above `from`, else the first set bit: one step of a round robin. `mask` != 0.
[[nodiscard]] inline std::uint32_t pick(std::uint32_t mask, std::uint32_t from) noexcept {
  const std::uint32_t above = mask & (~std::uint32_t{0} << from);
  return lowest(above != 0 ? above : mask);
}

[[nodiscard]] constexpr std::uint32_t bit(std::uint32_t index) noexcept { return std::uint32_t{1} << index; }

/// `mask` where `condition` holds, else 0. Spelled so that no compiler makes a branch of it: most conditions
/// of a switch are coin tosses to the processor.
template <class Mask>
[[nodiscard]] constexpr Mask only_if(bool condition, Mask mask) noexcept {
  return mask & (Mask{0} - static_cast<Mask>(condition));
}

template <class Visit>
inline void for_each_bit(std::uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(lowest(mask));
}

/// 32 counters that count the set bits of masks. Kept as bit planes, since adding a whole mask then costs
/// two operations per carry instead of one memory access per set bit.
class BitCounters {
 public:
  void add(std::uint32_t mask) noexcept {
    // How far a carry runs is a coin toss, so it always runs through the first planes.
    std::size_t i = 0;
    for (; i < kEasy; ++i) {
      const std::uint32_t carry = planes_[i] & mask;
      planes_[i] ^= mask;
      mask = carry;
    }
    for (; mask != 0; ++i) {
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
  static constexpr std::size_t kEasy = 6;
  std::array<std::uint32_t, 64> planes_{};  // a counter would need centuries to leave them
};

}  // namespace plumb::fabric
