// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace plumb::fabric {
namespace {

/// Largest value that falls into a bin.
Cycle edge_of(std::size_t bin) {
  constexpr int kSubBits = std::bit_width(static_cast<unsigned>(Histogram::kSubBins)) - 1;
  const std::size_t row = bin >> kSubBits;
  if (row < 2) return static_cast<Cycle>(bin);
  const std::size_t octave = row - 1;
  const std::size_t mantissa = bin - (octave << kSubBits);
  return static_cast<Cycle>(((mantissa + 1) << octave) - 1);
}

}  // namespace

double Histogram::mean() const noexcept {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

Cycle Histogram::quantile(double q) const noexcept {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    seen += bins_[bin];
    if (seen != 0 && seen >= wanted) return std::min(edge_of(bin), largest_);
  }
  return 0;
}

}  // namespace plumb::fabric
