// SPDX-License-Identifier: Apache-2.0
#include "model/flight.h"

#include <tbb/parallel_for.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <unsupported/Eigen/LevenbergMarquardt>

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
constexpr std::size_t kDraws = 60;
constexpr std::size_t kFolds = 5;
constexpr std::size_t kFew = 40;
constexpr double kKiB = 1024.0;

/// Two logarithms smoothly limited by each other, -log(exp(-p x) + exp(-p y)) / p, and how much of a change
/// of each comes through.
struct Limited {
  double value = 0.0;
  double of_x = 0.0;
  double of_y = 0.0;
  double of_p = 0.0;  ///< by a change of log(p)
};
Limited both(double x, double y, double p) {
  const double apart = std::exp(-p * std::abs(x - y));
  const double smaller = 1.0 / (1.0 + apart);
  const double value = std::min(x, y) - std::log1p(apart) / p;
  const double of_x = x < y ? smaller : 1.0 - smaller;
  return {value, of_x, 1.0 - of_x, of_x * x + (1.0 - of_x) * y - value};
}

using Slope = std::array<double, kPathParameters>;  // by the logarithm of each parameter

/// log(rate) and its slope. `power` is (command / KiB)^0.8.
double log_rate(const Path& p, const Flight& f, double power, Slope& slope) {
  const double stages = p.stage_ns * (f.stages - 1.0);
  const double command = p.command_ns * power;
  const double latency = p.latency_ns + stages + command;
  const double pass = f.command / p.port;
  const double turn = p.unit_ns + pass;
  const Limited issue =
      both(std::log(f.issuers * f.command / p.issue_ns), std::log(f.command / turn), kCorner);
  const Limited alone = both(std::log(f.bytes / latency), issue.value, kCorner);
  const Limited all = both(alone.value, std::log(p.ceiling), p.sharpness);
  const double of_flight = all.of_x * alone.of_x / latency;
  const double of_unit = all.of_x * alone.of_y * issue.of_y / turn;
  slope = {-of_flight * p.latency_ns,
           all.of_y,
           all.of_p,
           -of_flight * stages,
           -of_flight * command,
           -all.of_x * alone.of_y * issue.of_x,
           -of_unit * p.unit_ns,
           of_unit * pass};
  return all.value;
}

double power_of(const Flight& f) { return std::pow(f.command / kKiB, kCommandPower); }

/// Residuals of a model, log(predicted / measured), in the logarithms of its parameters. `Model` has
/// `begin(x)` and `residual(point, slope)`.
template <class Model>
struct Problem : Eigen::DenseFunctor<double> {
  Problem(Model& model, const VectorXd& tie, const VectorXd& tether)
      : Eigen::DenseFunctor<double>(static_cast<int>(tie.size()),
                                    static_cast<int>(model.points()) + static_cast<int>(tie.size())),
        model_(&model),
        tie_(tie),
        tether_(tether),
        weight_(model.points(), 1.0) {}

  int operator()(const VectorXd& x, VectorXd& out) const {
    model_->begin(x);
    Slope slope{};
    for (std::size_t i = 0; i < weight_.size(); ++i)
      out[static_cast<Eigen::Index>(i)] = weight_[i] * model_->residual(i, slope);
    out.tail(x.size()) = tether_.cwiseProduct(x - tie_);
    return 0;
  }
  int df(const VectorXd& x, Eigen::MatrixXd& out) const {
    model_->begin(x);
    Slope slope{};
    const Eigen::Map<const Eigen::RowVectorXd> row(slope.data(), x.size());
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      (void)model_->residual(i, slope);
      out.row(static_cast<Eigen::Index>(i)) = weight_[i] * row;
    }
    out.bottomRows(x.size()) = tether_.asDiagonal();
    return 0;
  }
  /// So that the square of a large residual counts as its size alone (Huber's soft form).
  void reweigh(const VectorXd& x) {
    model_->begin(x);
    Slope slope{};
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      const double z = model_->residual(i, slope) / kScale;
      weight_[i] = std::pow(1.0 + z * z, -0.25);
    }
  }

 private:
  Model* model_;
  VectorXd tie_;
  VectorXd tether_;  // how firmly each parameter is held where it is tied
  std::vector<double> weight_;
};

template <class Model>
VectorXd solve(Model model, const VectorXd& start, const VectorXd& tether) {
  VectorXd x = start;
  Problem<Model> problem(model, start, tether);
  for (int turn = 0; turn < kReweighings; ++turn) {
    Eigen::LevenbergMarquardt<Problem<Model>> search(problem);
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

class PathModel {
 public:
  explicit PathModel(std::span<const Rated> points) : points_(points) {
    for (const Rated& p : points) known_.push_back({power_of(p.flight), std::log(p.rate)});
  }
  [[nodiscard]] std::size_t points() const { return points_.size(); }
  void begin(const VectorXd& x) { path_ = path_of(x); }
  [[nodiscard]] double residual(std::size_t i, Slope& slope) const {
    return log_rate(path_, points_[i].flight, known_[i].power, slope) - known_[i].log_rate;
  }

 private:
  struct Known {
    double power;
    double log_rate;
  };
  std::span<const Rated> points_;
  std::vector<Known> known_;
  Path path_;
};

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
  return path_of(solve(PathModel(points), start, tether));
}

Wave wave_of(const VectorXd& x) {
  return {.latency_ns = std::exp(x[0]),
          .rate = std::exp(x[1]),
          .sharpness = std::exp(x[2]),
          .unit_ns = std::exp(x[3])};
}

class WaveModel {
 public:
  explicit WaveModel(std::span<const Timed> points) : points_(points) {}
  [[nodiscard]] std::size_t points() const { return points_.size(); }
  void begin(const VectorXd& x) { wave_ = wave_of(x); }
  [[nodiscard]] double residual(std::size_t i, Slope& slope) const {
    const Timed& p = points_[i];
    const double pass = p.bytes / wave_.rate;
    const double commands = p.commands * wave_.unit_ns;
    const double service = pass + commands;
    // The longer of two times is the lesser of two speeds.
    const Limited speed = both(-std::log(wave_.latency_ns), -std::log(service), wave_.sharpness);
    slope = {speed.of_x, -speed.of_y * pass / service, -speed.of_p, speed.of_y * commands / service};
    return -speed.value - std::log(p.ns);
  }

 private:
  std::span<const Timed> points_;
  Wave wave_;
};

Wave fit_wave_only(const std::vector<Timed>& points) {
  double latency = std::numeric_limits<double>::infinity();
  double rate = 0.0;
  for (const Timed& p : points) {
    latency = std::min(latency, p.ns);
    rate = std::max(rate, p.bytes / p.ns);
  }
  VectorXd start(4);
  start << std::log(latency), std::log(1.5 * rate), std::log(1.3), std::log(0.002 * latency);
  return wave_of(solve(WaveModel(points), start, VectorXd::Constant(start.size(), kTether)));
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

/// Of each two points with the same commands from as many warps of which the one with more on its way brings
/// less, the one that is further from `path`.
std::vector<std::size_t> contradicted(std::span<const Rated> points, const Path& path) {
  constexpr double kDrop = 0.96;
  const auto apart = [&](std::size_t i) {
    return std::abs(std::log(rate(path, points[i].flight) / points[i].rate));
  };
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < points.size(); ++j) {
      const Flight& more = points[i].flight;
      const Flight& less = points[j].flight;
      if (more.command != less.command || more.issuers != less.issuers || more.bytes <= less.bytes) continue;
      if (points[i].rate <= kDrop * points[j].rate) out.push_back(apart(i) > apart(j) ? i : j);
    }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

stats::Estimate interval(double value, std::vector<double> draws) {
  constexpr double kLow = 0.025;
  constexpr double kHigh = 0.975;
  return {value, stats::quantile(draws, kLow), stats::quantile(draws, kHigh)};
}

}  // namespace

double rate(const Path& p, const Flight& f) {
  Slope slope{};
  return std::exp(log_rate(p, f, power_of(f), slope));
}

double knee(const Path& p, double part, double command) {
  const double latency = p.latency_ns + p.command_ns * std::pow(command / kKiB, kCommandPower);
  return latency * p.ceiling * part / std::pow(1.0 - std::pow(part, p.sharpness), 1.0 / p.sharpness);
}

PathFit fit_path(std::span<const Rated> given, std::uint64_t seed) {
  constexpr std::size_t kLeast = 8;
  if (given.size() < kLeast) throw std::invalid_argument("a path needs eight points");
  for (const Rated& p : given)
    if (!(p.rate > 0.0) || !(p.flight.bytes > 0.0) || !(p.flight.command > 0.0))
      throw std::invalid_argument("a point of a path has bytes, a command and a rate above zero");
  PathFit fit;
  fit.path = fit_only(given);
  if (given.size() >= kFew) fit.contrary = contradicted(given, fit.path);
  std::vector<Rated> points;
  std::vector<double> commands;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (std::find(fit.contrary.begin(), fit.contrary.end(), i) != fit.contrary.end()) continue;
    kept.push_back(i);
    points.push_back(given[i]);
    commands.push_back(given[i].flight.command);
  }
  if (points.size() < kLeast) throw std::invalid_argument("a path needs eight points");
  if (!fit.contrary.empty()) fit.path = fit_only(points);
  const std::vector<double> kept_errors =
      held_out(std::span<const Rated>(points), seed, [](const std::vector<Rated>& seen) {
        return [path = fit_only(seen)](const Rated& p) { return rate(path, p.flight) / p.rate; };
      });
  fit.held_out.assign(given.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < kept.size(); ++k) fit.held_out[kept[k]] = kept_errors[k];
  const std::vector<double> errors = sizes(kept_errors);
  fit.held_out_median = stats::median(errors);
  fit.held_out_most = *std::max_element(errors.begin(), errors.end());
  fit.held_out_95 = stats::quantile(errors, 0.95);

  std::mt19937_64 random(seed);
  std::vector<std::vector<Rated>> drawn(kDraws);
  for (std::vector<Rated>& draw : drawn)
    for (std::size_t i = 0; i < points.size(); ++i) draw.push_back(points[random() % points.size()]);
  fit.draws.resize(kDraws);
  tbb::parallel_for(std::size_t{0}, kDraws, [&](std::size_t d) { fit.draws[d] = fit_only(drawn[d]); });
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
  const auto errors_of = [&] {
    const std::vector<Timed> used = chosen();
    return held_out(std::span<const Timed>(used), seed, [](const std::vector<Timed>& seen) {
      return
          [wave = fit_wave_only(seen)](const Timed& p) { return time_ns(wave, p.bytes, p.commands) / p.ns; };
    });
  };
  std::vector<double> errors = errors_of();
  // Points that stand alone at their size bend the fit to themselves; the fit without one shows its mode, and
  // when it is gone that of the next.
  for (bool again = !fit.contrary.empty(); again;) {
    std::vector<double> others;
    for (const std::size_t i : fit.contrary)
      others.push_back(std::log(points[i].ns / time_ns(fit.wave, points[i].bytes, points[i].commands)));
    const double middle = stats::median(others) / 2.0;
    std::vector<std::size_t> rest;
    std::vector<std::size_t> second;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const double apart = -std::log1p(errors[k]);
      ((middle > 0.0 ? apart > middle : apart < middle) ? second : rest).push_back(kept[k]);
    }
    again = !second.empty() && rest.size() >= kLeast;
    if (!again) break;
    kept = rest;
    fit.contrary.insert(fit.contrary.end(), second.begin(), second.end());
    fit.wave = fit_wave_only(chosen());
    errors = errors_of();
  }
  std::sort(fit.contrary.begin(), fit.contrary.end());
  fit.held_out.assign(points.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < kept.size(); ++k) fit.held_out[kept[k]] = errors[k];
  const std::vector<double> all = sizes(errors);
  fit.held_out_median = stats::median(all);
  fit.held_out_most = *std::max_element(all.begin(), all.end());
  return fit;
}

}  // namespace plumb::model
