// SPDX-License-Identifier: Apache-2.0
#include "dsm/legs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "stats/describe.h"

namespace plumb::dsm {
namespace {

constexpr int kResamples = 400;

/// The normal equations of the fit: on the diagonal how many pairs an SM is in, beside it how many join two
/// SMs. Cholesky's factor of it stands in the lower triangle.
class NormalEquations {
 public:
  /// None where the matrix is singular.
  static std::optional<NormalEquations> of(std::span<const PairTimes> pairs, std::size_t sms) {
    NormalEquations n(sms);
    for (const PairTimes& p : pairs) {
      n.at(p.from, p.from) += 1;
      n.at(p.to, p.to) += 1;
      n.at(p.from, p.to) += 1;
      n.at(p.to, p.from) += 1;
    }
    if (!n.factor()) return std::nullopt;
    return n;
  }

  /// Solves in place.
  void solve(std::vector<double>& x) const {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= at(i, k) * x[k];
      x[i] /= at(i, i);
    }
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t k = i + 1; k < size_; ++k) x[i] -= at(k, i) * x[k];
      x[i] /= at(i, i);
    }
  }

 private:
  explicit NormalEquations(std::size_t size) : size_(size), values_(size * size, 0.0) {}

  double& at(std::size_t i, std::size_t j) { return values_[i * size_ + j]; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return values_[i * size_ + j]; }

  bool factor() {
    constexpr double kLeastPivot = 1e-9;  // counts: what is not zero is far larger
    for (std::size_t j = 0; j < size_; ++j) {
      double pivot = at(j, j);
      for (std::size_t k = 0; k < j; ++k) pivot -= at(j, k) * at(j, k);
      if (pivot < kLeastPivot) return false;
      at(j, j) = std::sqrt(pivot);
      for (std::size_t i = j + 1; i < size_; ++i) {
        double v = at(i, j);
        for (std::size_t k = 0; k < j; ++k) v -= at(i, k) * at(j, k);
        at(i, j) = v / at(j, j);
      }
    }
    return true;
  }

  std::size_t size_;
  std::vector<double> values_;
};

std::vector<double> solved(const NormalEquations& equations, std::span<const PairTimes> pairs,
                           std::span<const double> cycles, std::size_t sms) {
  std::vector<double> legs(sms, 0.0);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    legs[pairs[p].from] += cycles[p];
    legs[pairs[p].to] += cycles[p];
  }
  equations.solve(legs);
  return legs;
}

}  // namespace

Legs fit_legs(std::span<const PairTimes> all, std::size_t sms, std::uint64_t seed) {
  std::vector<PairTimes> pairs;
  std::copy_if(all.begin(), all.end(), std::back_inserter(pairs),
               [](const PairTimes& p) { return p.from != p.to && !p.cycles.empty(); });
  Legs out;
  const auto equations = NormalEquations::of(pairs, sms);
  if (!equations) {
    out.why_none = fmt::format(
        "{} pairs of {} SMs do not determine a leg for each: that takes three SMs that all reach each other",
        pairs.size(), sms);
    return out;
  }

  std::vector<double> medians;
  medians.reserve(pairs.size());
  for (const PairTimes& p : pairs) medians.push_back(stats::median(p.cycles));
  const std::vector<double> legs = solved(*equations, pairs, medians, sms);
  double squares = 0.0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const double residual = std::abs(medians[p] - legs[pairs[p].from] - legs[pairs[p].to]);
    squares += residual * residual;
    if (residual < out.worst) continue;
    out.worst = residual;
    out.worst_from = pairs[p].from;
    out.worst_to = pairs[p].to;
  }
  out.rms = pairs.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(pairs.size()));

  std::mt19937_64 random(seed);
  std::vector<std::vector<double>> resampled(sms);
  std::vector<double> drawn;
  for (int r = 0; r < kResamples; ++r) {
    std::vector<double> again;
    for (const PairTimes& p : pairs) {
      drawn.clear();
      for (std::size_t i = 0; i < p.cycles.size(); ++i) drawn.push_back(p.cycles[random() % p.cycles.size()]);
      again.push_back(stats::median(drawn));
    }
    const std::vector<double> refitted = solved(*equations, pairs, again, sms);
    for (std::size_t i = 0; i < sms; ++i) resampled[i].push_back(refitted[i]);
  }
  constexpr double kTail = 0.025;
  for (std::size_t i = 0; i < sms; ++i)
    out.legs.push_back({.value = legs[i],
                        .low = stats::quantile(resampled[i], kTail),
                        .high = stats::quantile(resampled[i], 1 - kTail)});
  return out;
}

}  // namespace plumb::dsm
