// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plumb::fabric {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit moves every output bit.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// SplitMix64: a counter and a strong mixer. Passes BigCrush; a plain xorshift biases queueing results.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(mix64(seed + kStep)) {}

  constexpr std::uint64_t next() noexcept { return mix64(state_ += kStep); }

  /// Uniform in 0 .. limit - 1 (the bias, limit / 2^32, is below what a run can show).
  constexpr std::uint32_t below(std::uint32_t limit) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32U) * limit) >> 32U);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  std::uint64_t state_;
};

}  // namespace plumb::fabric
