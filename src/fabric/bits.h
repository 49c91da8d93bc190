// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

/// Fields of 16 bits, four at a time: `question(word)` answers for the four of a word in the top bit of each,
/// and bit i of the result is the answer for fields[i]. One multiplication gathers sixteen answers.
template <std::size_t N, class Question>
[[nodiscard]] inline std::uint64_t ask_fields(const std::array<std::uint16_t, N>& fields,
                                              Question&& question) noexcept {
  static_assert(N % 4 == 0 && N <= 64 && std::endian::native == std::endian::little);
  std::uint64_t mask = 0;
  for (std::size_t group = 0; group < N; group += 16) {
    std::uint64_t answers = 0;  // bit 16 * j + 4 * k: of field 4 * k + j
    for (std::size_t k = 0; k < 4 && group + 4 * k < N; ++k) {
      std::uint64_t four = 0;
      std::memcpy(&four, &fields[group + 4 * k], sizeof four);
      answers |= (question(four) & 0x8000'8000'8000'8000U) >> (15 - 4 * k);
    }
    mask |= ((answers * 0x0001'0002'0004'0008U) >> 48U) << group;
  }
  return mask;
}
inline constexpr std::uint32_t kFieldBits = 15;  ///< the functions below are for fields below 2 to this
inline constexpr std::uint64_t kInEveryField = 0x0001'0001'0001'0001U;

/// Bit i is set where fields[i] is not 0.
template <std::size_t N>
[[nodiscard]] inline std::uint64_t nonzero(const std::array<std::uint16_t, N>& fields) noexcept {
  return ask_fields(fields, [](std::uint64_t four) { return four + 0x7fff * kInEveryField; });
}
/// Bit i is set where fields[i] is at most `even`, or `odd` where i is odd.
template <std::size_t N>
[[nodiscard]] inline std::uint64_t at_most(const std::array<std::uint16_t, N>& fields, std::uint32_t even,
                                           std::uint32_t odd) noexcept {
  const std::uint64_t above =
      ((0x8000U + even) | std::uint64_t{0x8000U + odd} << 16U) * 0x0000'0001'0000'0001U;
  return ask_fields(fields, [above](std::uint64_t four) { return above - four; });
}
template <std::size_t N>
[[nodiscard]] inline std::uint64_t at_most(const std::array<std::uint16_t, N>& fields,
                                           std::uint32_t limit) noexcept {
  return at_most(fields, limit, limit);
}
template <std::size_t N>
[[nodiscard]] inline std::uint64_t nonzero(const std::array<std::uint32_t, N>& fields) noexcept {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < N; ++i) mask |= static_cast<std::uint64_t>(fields[i] != 0) << i;
  return mask;
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
