// SPDX-License-Identifier: Apache-2.0
#include "stats/resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <utility>

namespace plumb::stats {
namespace {

constexpr std::uint64_t kSeed = 20260100;

/// Places of n ordered values, from and to, that the center is the mean of; the ends count by their parts.
std::pair<double, double> window(std::size_t n, Center center) {
  const auto count = static_cast<double>(n);
  if (center == Center::midmean) return {count / 4, count - count / 4};
  return n % 2 == 1 ? std::pair{(count - 1) / 2, (count + 1) / 2} : std::pair{count / 2 - 1, count / 2 + 1};
}

}  // namespace

const Resamples& Resamples::of(std::size_t n, Center center) {
  if (n == 0) throw std::invalid_argument("resamples of no values");
  static std::mutex mutex;
  static std::map<std::pair<std::size_t, Center>, std::unique_ptr<const Resamples>> made;
  const std::lock_guard lock(mutex);
  auto& it = made[{n, center}];
  if (it == nullptr) it.reset(new Resamples(n, center));
  return *it;
}

Resamples::Resamples(std::size_t n, Center center) : n_(n) {
  std::mt19937_64 random(kSeed + n);
  const auto [from, to] = window(n, center);
  struct Part {
    std::size_t draw, value;
    double weight;
  };
  std::vector<Part> parts;  // of many values, those that a median ever is are few
  std::vector<std::size_t> times(n);
  for (std::size_t r = 0; r < kResamples; ++r) {
    std::fill(times.begin(), times.end(), 0);
    // The upper half of the product is uniform enough (bias below n / 2^32) and needs no division.
    for (std::size_t d = 0; d < n; ++d) ++times[((random() >> 32) * n) >> 32];
    double place = 0.0;
    for (std::size_t i = 0; i < n && place < to; ++i) {
      const double next = place + static_cast<double>(times[i]);
      const double part = std::max(0.0, std::min(next, to) - std::max(place, from));
      if (part > 0.0) parts.push_back({r, i, part / (to - from)});
      place = next;
    }
  }
  const auto by_value = [](const Part& a, const Part& b) { return a.value < b.value; };
  const auto [least, most] = std::minmax_element(parts.begin(), parts.end(), by_value);
  first_ = least->value;
  weights_.resize((most->value - first_ + 1) * kResamples);
  for (const Part& p : parts) weights_[(p.value - first_) * kResamples + p.draw] = p.weight;
}

std::vector<double> Resamples::centers(std::span<const double> values, std::size_t shift) const {
  if (values.size() != n_) throw std::invalid_argument("another count of values than the resamples are for");
  std::vector<double> ordered(values.begin(), values.end());
  std::sort(ordered.begin(), ordered.end());
  // Counted from the least, so that equal values give equal centers to the last bit.
  const double origin = ordered.front();
  std::array<double, kResamples> sums{};
  for (std::size_t column = 0; column * kResamples < weights_.size(); ++column) {
    const double value = ordered[first_ + column] - origin;
    if (value == 0.0) continue;
    const double* weight = weights_.data() + column * kResamples;
    for (std::size_t r = 0; r < kResamples; ++r) sums[r] += weight[r] * value;
  }
  for (double& s : sums) s += origin;
  std::vector<double> out(kResamples);
  const auto at = static_cast<std::ptrdiff_t>(shift % kResamples);
  std::rotate_copy(sums.begin(), sums.end() - at, sums.end(), out.begin());
  return out;
}

}  // namespace plumb::stats
