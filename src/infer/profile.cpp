// SPDX-License-Identifier: Apache-2.0
#include "infer/profile.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace plumb::infer {
namespace {

constexpr double kDrop = 1.92;  // half of the 95 % quantile of chi squared with one degree of freedom
constexpr int kRounds = 10;     // a better point on a profile starts all over, at most so often

int clamped(double value, const Range& r) {
  return std::clamp(static_cast<int>(std::lround(value)), r.least, r.most);
}

/// Second derivatives of the loss around `best`, by least squares.
Eigen::MatrixXd curvature(Objective& objective, const Point& best, const std::vector<Range>& ranges) {
  const std::vector<Scored> here = objective.rows(best);
  const double model = likelihood(here, objective.cases()).model;
  std::vector<double> rows(objective.cases(), 0.0);
  for (const Scored& s : here) rows[s.of] += 1.0;
  const auto n = static_cast<Eigen::Index>(best.size());
  Eigen::MatrixXd slopes(static_cast<Eigen::Index>(here.size()), n);
  Eigen::VectorXd weights(static_cast<Eigen::Index>(here.size()));
  for (std::size_t r = 0; r < here.size(); ++r)
    weights(static_cast<Eigen::Index>(r)) = weight_of(here[r], model) / rows[here[r].of];
  for (std::size_t k = 0; k < best.size(); ++k) {
    // Wide enough for a whole number to matter.
    const int step = std::max(1, best[k] / 20);
    Point up = best;
    Point down = best;
    up[k] = std::min(ranges[k].most, best[k] + step);
    down[k] = std::max(ranges[k].least, best[k] - step);
    const std::vector<Scored> above = objective.rows(up);
    const std::vector<Scored> below = objective.rows(down);
    for (std::size_t r = 0; r < here.size(); ++r)
      slopes(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(k)) =
          (above[r].simulated - below[r].simulated) / std::max(1, up[k] - down[k]);
  }
  return slopes.transpose() * weights.asDiagonal() * slopes;
}

class Profiler {
 public:
  Profiler(Objective& objective, Point& best, const std::vector<Range>& ranges)
      : objective_(objective), best_(best), ranges_(ranges), curvature_(curvature(objective, best, ranges)) {}

  /// The bound of parameter `k` upwards (`sign` 1) or downwards (-1); sets `better` where it met a better
  /// point.
  std::optional<int> bound(std::size_t k, int sign, bool& better) {
    const double least = objective_(best_, "interval");
    const int end = sign > 0 ? ranges_[k].most : ranges_[k].least;
    int inside = best_[k];
    int step = std::max(1, first_step(k));
    int outside = 0;
    for (;;) {
      if (inside == end) return std::nullopt;
      outside = std::clamp(inside + sign * step, ranges_[k].least, ranges_[k].most);
      if (rise(k, outside, least, better) > kDrop) break;
      if (better) return std::nullopt;
      inside = outside;
      step *= 2;
    }
    // The last value that the cases allow lies between the two.
    while (std::abs(outside - inside) > std::max(1, std::abs(outside - best_[k]) / 8)) {
      const int middle = (outside + inside) / 2;
      const bool allowed = rise(k, middle, least, better) <= kDrop;
      if (better) return std::nullopt;
      (allowed ? inside : outside) = middle;
    }
    return outside - sign;
  }

 private:
  /// Towards where the least-squares profile ends.
  int first_step(std::size_t k) const {
    const auto i = static_cast<Eigen::Index>(k);
    const double information = 1.0 / std::max(1e-12, solved().col(i)(i));
    return static_cast<int>(std::min(1e6, std::sqrt(2 * kDrop / std::max(1e-9, information))));
  }
  /// Inverse of the curvature, which a direction that nothing pins down would make singular.
  Eigen::MatrixXd solved() const {
    Eigen::MatrixXd a = curvature_;
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const double width =
          std::max(1, ranges_[static_cast<std::size_t>(i)].most - ranges_[static_cast<std::size_t>(i)].least);
      a(i, i) += 1.0 / (width * width);
    }
    return a.ldlt().solve(Eigen::MatrixXd::Identity(a.rows(), a.cols()));
  }
  double rise(std::size_t k, int value, double least, bool& better) {
    const auto i = static_cast<Eigen::Index>(k);
    const Eigen::VectorXd direction = solved().col(i) / solved().col(i)(i);
    Point at = best_;
    for (std::size_t j = 0; j < at.size(); ++j)
      at[j] = clamped(best_[j] + direction(static_cast<Eigen::Index>(j)) * (value - best_[k]), ranges_[j]);
    at[k] = value;
    Point alone = best_;
    alone[k] = value;
    const double along = objective_(at, "interval");
    const double stays = at == alone ? along : objective_(alone, "interval");
    const double loss = std::min(along, stays);
    if (loss < least - 0.01) {
      best_ = along < stays ? at : alone;
      better = true;
    }
    return loss - least;
  }

  Objective& objective_;
  Point& best_;
  const std::vector<Range>& ranges_;
  Eigen::MatrixXd curvature_;
};

}  // namespace

std::vector<Interval> profile(Objective& objective, Point& best, const std::vector<Range>& ranges) {
  std::vector<Interval> out;
  for (int round = 0; round < kRounds; ++round) {
    out.assign(best.size(), {});
    Profiler profiler(objective, best, ranges);
    bool better = false;
    for (std::size_t k = 0; k < best.size() && !better; ++k) {
      out[k].low = profiler.bound(k, -1, better);
      if (!better) out[k].high = profiler.bound(k, 1, better);
    }
    if (!better) break;
  }
  return out;
}

}  // namespace plumb::infer
