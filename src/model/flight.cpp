// SPDX-License-Identifier: Apache-2.0
#include "model/flight.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <unsupported/Eigen/LevenbergMarquardt>
#include <unsupported/Eigen/NumericalDiff>

#include "stats/describe.h"

namespace plumb::model {
namespace {

using Eigen::VectorXd;

constexpr double kCorner = 8.0;
constexpr double kCommandPower = 0.8;
constexpr double kScale = 0.08;   // of a residual from which on it counts less than its square
constexpr double kTether = 2e-3;  // holds parameters that the points say nothing about
constexpr double kLoose = 0.02;   // a sharpness: a corner and a sharp knee differ in nothing that is measured
constexpr double kFirm = 0.3;     // times the root of the number of points: holds a ceiling
constexpr int kReweighings = 8;
constexpr int kDraws = 60;
constexpr std::size_t kFolds = 5;
constexpr std::size_t kFew = 40;
constexpr double kKiB = 1024.0;

/// a and b smoothly limited by each other.
double both(double a, double b, double p) {
  // (a^-p + b^-p)^(-1/p) by logarithms: a fit comes here millions of times, and powers cost twice as much.
  const double x = std::log(a);
  const double y = std::log(b);
  return std::exp(std::min(x, y) - std::log1p(std::exp(-p * std::abs(x - y))) / p);
}

/// Residuals of a model in the logarithms of its parameters.
struct Problem : Eigen::DenseFunctor<double> {
  Problem(const VectorXd& start, const VectorXd& tether,
          std::function<double(const VectorXd&, std::size_t)> residual, std::size_t points)
      : Eigen::DenseFunctor<double>(static_cast<int>(start.size()),
                                    static_cast<int>(points) + static_cast<int>(start.size())),
        start_(start),
        tether_(tether),
        residual_(std::move(residual)),
        weight_(points, 1.0) {}

  int operator()(const VectorXd& x, VectorXd& out) const {
    for (std::size_t i = 0; i < weight_.size(); ++i)
      out[static_cast<Eigen::Index>(i)] = weight_[i] * residual_(x, i);
    out.tail(x.size()) = tether_.cwiseProduct(x - start_);
    return 0;
  }
  /// So that the square of a large residual counts as its size alone (Huber's soft form).
  void reweigh(const VectorXd& x) {
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      const double z = residual_(x, i) / kScale;
      weight_[i] = std::pow(1.0 + z * z, -0.25);
    }
  }

 private:
  VectorXd start_;
  VectorXd tether_;  // how firmly each parameter is held at its start
  std::function<double(const VectorXd&, std::size_t)> residual_;
  std::vector<double> weight_;
};

VectorXd solve(const VectorXd& start, const VectorXd& tether,
               const std::function<double(const VectorXd&, std::size_t)>& residual, std::size_t points) {
  VectorXd x = start;
  Problem problem(start, tether, residual, points);
  for (int turn = 0; turn < kReweighings; ++turn) {
    Eigen::NumericalDiff<Problem> differentiable(problem);
    Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Problem>> search(differentiable);
    search.minimize(x);
    problem.reweigh(x);
  }
  return x;
}

Path path_of(const VectorXd& x) {
  return {.latency_ns = std::exp(x[0]),
          .ceiling = std::exp(x[1]),
          .sharpness = std::exp(x[2]),
          .stage_ns = std::exp(x[3]),
          .command_ns = std::exp(x[4]),
          .issue_ns = std::exp(x[5]),
          .unit_ns = std::exp(x[6]),
          .port = std::exp(x[7])};
}

Path fit_only(std::span<const Rated> points) {
  double latency = std::numeric_limits<double>::infinity();
  double issue = latency;
  double unit = latency;
  double ceiling = 0.0;
  for (const Rated& p : points) {
    unit = std::min(unit, p.flight.command / p.rate);
    latency = std::min(latency, p.flight.bytes / p.rate);
    issue = std::min(issue, p.flight.issuers * p.flight.command / p.rate);
    ceiling = std::max(ceiling, p.rate);
  }
  VectorXd start(static_cast<Eigen::Index>(kPathParameters));
  constexpr double kUsualSharpness = 3.0;
  start << std::log(latency), std::log(1.02 * ceiling), std::log(kUsualSharpness), std::log(0.03 * latency),
      std::log(0.02 * latency), std::log(0.7 * issue), std::log(0.3 * unit), std::log(3.0 * ceiling);
  VectorXd tether = VectorXd::Constant(start.size(), kTether);
  tether[1] = kFirm * std::sqrt(static_cast<double>(points.size()));
  tether[2] = kLoose;
  return path_of(solve(
      start, tether,
      [&](const VectorXd& x, std::size_t i) {
        return std::log(rate(path_of(x), points[i].flight) / points[i].rate);
      },
      points.size()));
}

Wave wave_of(const VectorXd& x) {
  return {.latency_ns = std::exp(x[0]),
          .rate = std::exp(x[1]),
          .sharpness = std::exp(x[2]),
          .unit_ns = std::exp(x[3])};
}

double wave_residual(const VectorXd& x, const Timed& p) {
  return std::log(time_ns(wave_of(x), p.bytes, p.commands) / p.ns);
}

Wave fit_wave_only(const std::vector<Timed>& points) {
  double latency = std::numeric_limits<double>::infinity();
  double rate = 0.0;
  for (const Timed& p : points) {
    latency = std::min(latency, p.ns);
    rate = std::max(rate, p.bytes / p.ns);
  }
  VectorXd start(4);
  start << std::log(latency), std::log(1.5 * rate), std::log(1.3), std::log(0.002 * latency);
  const VectorXd x = solve(
      start, VectorXd::Constant(start.size(), kTether),
      [&](const VectorXd& at, std::size_t i) { return wave_residual(at, points[i]); }, points.size());
  return wave_of(x);
}

std::size_t folds_of(std::size_t points) { return points < kFew ? points : kFolds; }

/// Which fold each of n points is left out in, at random.
std::vector<std::size_t> folds(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  std::vector<std::size_t> fold(n);
  for (std::size_t i = 0; i < n; ++i) fold[order[i]] = i % folds_of(n);
  return fold;
}

template <class Point, class Predict>
std::vector<double> held_out(std::span<const Point> points, std::uint64_t seed, Predict&& predict) {
  const std::vector<std::size_t> fold = folds(points.size(), seed);
  std::vector<double> out(points.size());
  for (std::size_t f = 0; f < folds_of(points.size()); ++f) {
    std::vector<Point> seen;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (fold[i] != f) seen.push_back(points[i]);
    if (seen.size() == points.size()) continue;
    const auto ratio = predict(seen);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (fold[i] == f) out[i] = ratio(points[i]) - 1.0;
  }
  return out;
}

std::vector<double> sizes(const std::vector<double>& errors) {
  std::vector<double> out;
  for (const double e : errors)
    if (!std::isnan(e)) out.push_back(std::abs(e));
  return out;
}

stats::Estimate interval(double value, std::vector<double> draws) {
  constexpr double kLow = 0.025;
  constexpr double kHigh = 0.975;
  return {value, stats::quantile(draws, kLow), stats::quantile(draws, kHigh)};
}

}  // namespace

double rate(const Path& p, const Flight& f) {
  const double latency =
      p.latency_ns + p.stage_ns * (f.stages - 1.0) + p.command_ns * std::pow(f.command / kKiB, kCommandPower);
  const double issue = f.issuers * f.command / p.issue_ns;
  const double unit = f.command / (p.unit_ns + f.command / p.port);
  return both(both(f.bytes / latency, both(issue, unit, kCorner), kCorner), p.ceiling, p.sharpness);
}

double knee(const Path& p, double part, double command) {
  const double latency = p.latency_ns + p.command_ns * std::pow(command / kKiB, kCommandPower);
  return latency * p.ceiling * part / std::pow(1.0 - std::pow(part, p.sharpness), 1.0 / p.sharpness);
}

PathFit fit_path(std::span<const Rated> points, std::uint64_t seed) {
  constexpr std::size_t kLeast = 8;
  if (points.size() < kLeast) throw std::invalid_argument("a path needs eight points");
  std::vector<double> commands;
  for (const Rated& p : points) {
    if (!(p.rate > 0.0) || !(p.flight.bytes > 0.0) || !(p.flight.command > 0.0))
      throw std::invalid_argument("a point of a path has bytes, a command and a rate above zero");
    commands.push_back(p.flight.command);
  }
  PathFit fit;
  fit.path = fit_only(points);
  fit.held_out = held_out(points, seed, [](const std::vector<Rated>& seen) {
    return [path = fit_only(seen)](const Rated& p) { return rate(path, p.flight) / p.rate; };
  });
  const std::vector<double> errors = sizes(fit.held_out);
  fit.held_out_median = stats::median(errors);
  fit.held_out_most = *std::max_element(errors.begin(), errors.end());
  fit.held_out_95 = stats::quantile(errors, 0.95);

  std::mt19937_64 random(seed);
  for (int d = 0; d < kDraws; ++d) {
    std::vector<Rated> drawn;
    drawn.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) drawn.push_back(points[random() % points.size()]);
    fit.draws.push_back(fit_only(drawn));
  }
  const double command = stats::median(commands);
  const auto of_draws = [&](auto&& value) {
    std::vector<double> all;
    for (const Path& p : fit.draws) all.push_back(value(p));
    return interval(value(fit.path), std::move(all));
  };
  const auto set = [&](double Path::*member) {
    const stats::Estimate e = of_draws([member](const Path& p) { return p.*member; });
    fit.low.*member = e.low;
    fit.high.*member = e.high;
  };
  for (double Path::*member : {&Path::latency_ns, &Path::ceiling, &Path::sharpness, &Path::stage_ns,
                               &Path::command_ns, &Path::issue_ns, &Path::unit_ns, &Path::port})
    set(member);
  fit.knee90 = of_draws([&](const Path& p) { return knee(p, 0.90, command); });
  fit.knee95 = of_draws([&](const Path& p) { return knee(p, 0.95, command); });
  return fit;
}

double time_ns(const Wave& w, double bytes, double commands) {
  const double service = bytes / w.rate + commands * w.unit_ns;
  return std::pow(std::pow(w.latency_ns, w.sharpness) + std::pow(service, w.sharpness), 1.0 / w.sharpness);
}

WaveFit fit_wave(std::span<const Timed> points, std::uint64_t seed) {
  constexpr std::size_t kLeast = 5;
  constexpr double kLeastGap = 0.1;  // of two modes, in the logarithm of the time
  WaveFit fit;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Timed& p = points[i];
    const bool outside = (p.least > 0.0 && p.ns < p.least) || (p.most > 0.0 && p.ns > p.most);
    (outside ? fit.outside : kept).push_back(i);
  }
  const auto chosen = [&] {
    std::vector<Timed> out;
    for (const std::size_t i : kept) out.push_back(points[i]);
    return out;
  };
  if (kept.size() < kLeast) throw std::invalid_argument("a wave needs five points");
  fit.wave = fit_wave_only(chosen());
  std::vector<double> residuals;
  for (const std::size_t i : kept)
    residuals.push_back(std::log(points[i].ns / time_ns(fit.wave, points[i].bytes, points[i].commands)));
  if (const stats::Modes modes = stats::modes(residuals, kLeastGap); modes.bimodal) {
    const double middle = (modes.low + modes.high) / 2.0;
    const bool upper_is_smaller = modes.share <= 0.5;
    const auto contrary = [&](std::size_t k) { return (residuals[k] > middle) == upper_is_smaller; };
    const auto contradicted = [&](std::size_t k) {
      for (std::size_t other = 0; other < kept.size(); ++other)
        if (!contrary(other) && points[kept[other]].bytes == points[kept[k]].bytes) return true;
      return false;
    };
    bool any = false;
    for (std::size_t k = 0; k < kept.size(); ++k) any |= contrary(k) && contradicted(k);
    if (any) {
      std::vector<std::size_t> rest;
      for (std::size_t k = 0; k < kept.size(); ++k) (contrary(k) ? fit.contrary : rest).push_back(kept[k]);
      kept = rest;
      if (kept.size() < kLeast) throw std::invalid_argument("a wave needs five points");
      fit.wave = fit_wave_only(chosen());
    }
  }
  const std::vector<Timed> used = chosen();
  const std::vector<double> errors =
      held_out(std::span<const Timed>(used), seed, [](const std::vector<Timed>& seen) {
        return [wave = fit_wave_only(seen)](const Timed& p) {
          return time_ns(wave, p.bytes, p.commands) / p.ns;
        };
      });
  fit.held_out.assign(points.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < kept.size(); ++k) fit.held_out[kept[k]] = errors[k];
  const std::vector<double> all = sizes(errors);
  fit.held_out_median = stats::median(all);
  fit.held_out_most = *std::max_element(all.begin(), all.end());
  return fit;
}

}  // namespace plumb::model
