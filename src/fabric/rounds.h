// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include "plumb/fabric/packet.h"
#include "plumb/fabric/parameters.h"

namespace plumb::fabric {

[[nodiscard]] constexpr Ratio operator*(Ratio a, Ratio b) noexcept {
  const int n = a.numerator * b.numerator;
  const int d = a.denominator * b.denominator;
  const int common = std::gcd(n, d);
  return {n / common, d / common};
}

/// Turns SM clocks into service rounds of a stage that runs at another rate: 5/4 gives rounds of 1 1 1 2.
class Rounds {
 public:
  explicit Rounds(Ratio per_cycle) noexcept : rate_(per_cycle) {}

  /// Rounds in the next SM clock.
  int next() noexcept {
    if (rate_.numerator == rate_.denominator) {
      ++total_;
      return 1;
    }
    return static_cast<int>(skip(1));
  }
  /// Rounds in the next `cycles` clocks.
  std::int64_t skip(Cycle cycles) noexcept {
    const std::int64_t sum = part_ + cycles * rate_.numerator;
    part_ = sum % rate_.denominator;
    const std::int64_t rounds = sum / rate_.denominator;
    total_ += rounds;
    return rounds;
  }
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }
  [[nodiscard]] Ratio rate() const noexcept { return rate_; }

 private:
  Ratio rate_;
  std::int64_t part_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace plumb::fabric
