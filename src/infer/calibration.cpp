// SPDX-License-Identifier: Apache-2.0
#include "infer/calibration.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlopt.hpp>
#include <set>

#include "infer/objective.h"
#include "infer/profile.h"

namespace plumb::infer {
namespace {

/// A search goes from a third of a value to three times it, within what is allowed.
Range range_of(const std::string& name, int value) {
  constexpr int kLeastWidth = 12;
  const fabric::Parameter* p = fabric::find_parameter(name);
  return {.least = std::max(p->low, std::min(value / 3, value - kLeastWidth)),
          .most = std::min(p->high, std::max(3 * value, value + kLeastWidth))};
}

/// Whole numbers have plateaus, so the first steps are long and the last ones a good part of a unit.
Point search(Objective& objective, const std::vector<Range>& ranges, int evaluations) {
  const std::size_t n = ranges.size();
  const auto point = [&](const std::vector<double>& u) {
    Point at(n);
    for (std::size_t i = 0; i < n; ++i)
      at[i] = ranges[i].least + static_cast<int>(std::lround(u[i] * (ranges[i].most - ranges[i].least)));
    return at;
  };
  Point best = objective.start();
  double least = objective(best, "as it is");
  std::vector<double> u(n);
  std::vector<double> steps(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double width = std::max(1, ranges[i].most - ranges[i].least);
    u[i] = (best[i] - ranges[i].least) / width;
    steps[i] = std::max(0.06, 2.0 / width);
  }
  nlopt::opt opt(nlopt::LN_SBPLX, static_cast<unsigned>(n));
  opt.set_lower_bounds(0.0);
  opt.set_upper_bounds(1.0);
  opt.set_initial_step(steps);
  opt.set_maxeval(evaluations);
  opt.set_xtol_rel(1e-3);
  // NLopt would turn an exception of ours into one of its own.
  std::exception_ptr stopped;
  using Function = std::function<double(const std::vector<double>&)>;
  Function loss_at = [&](const std::vector<double>& x) {
    try {
      const Point at = point(x);
      const double loss = objective(at, "search");
      if (loss < least) {
        least = loss;
        best = at;
      }
      return loss;
    } catch (...) {
      stopped = std::current_exception();
      opt.force_stop();
      return 0.0;
    }
  };
  opt.set_min_objective([](const std::vector<double>& x, std::vector<double>&,
                           void* data) { return (*static_cast<Function*>(data))(x); },
                        &loss_at);
  double last = 0.0;
  try {
    opt.optimize(u, last);
  } catch (const nlopt::roundoff_limited&) {
    // The best point so far stands.
  } catch (const nlopt::forced_stop&) {
    std::rethrow_exception(stopped);
  }
  return best;
}

std::vector<Range> ranges_of(const Objective& objective, const CalibrationOptions& options) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < options.free.size(); ++i)
    ranges.push_back(range_of(options.free[i], objective.start()[i]));
  return ranges;
}

}  // namespace

SimMachine refit(std::span<const ObservedCase> training, const SimMachine& machine,
                 const CalibrationOptions& options) {
  Objective objective(training, machine, options);
  if (options.evaluations == 0 || options.free.empty()) return machine;
  return objective.machine_at(search(objective, ranges_of(objective, options), options.evaluations));
}

Split split(std::vector<ObservedCase> cases) {
  std::set<std::string> names;
  for (const ObservedCase& c : cases) names.insert(c.family);
  std::set<std::string> held;
  std::size_t i = 0;
  for (const std::string& name : names)
    if (i++ % 3 == 2) held.insert(name);
  Split out;
  for (ObservedCase& c : cases)
    (held.contains(c.family) ? out.held_out : out.training).push_back(std::move(c));
  return out;
}

Calibration calibrate(std::span<const ObservedCase> training, const SimMachine& machine,
                      const CalibrationOptions& options) {
  Objective objective(training, machine, options);
  const std::vector<Range> ranges = ranges_of(objective, options);
  Calibration out;
  Point best = objective.start();
  const bool fits = options.evaluations > 0 && !best.empty();
  if (fits) best = search(objective, ranges, options.evaluations);
  std::vector<Interval> intervals(best.size());
  if (fits) intervals = profile(objective, best, ranges);
  for (std::size_t i = 0; i < best.size(); ++i)
    out.parameters.push_back({.name = options.free[i],
                              .before = objective.start()[i],
                              .value = best[i],
                              .low = intervals[i].low,
                              .high = intervals[i].high,
                              .least = ranges[i].least,
                              .most = ranges[i].most});
  out.machine = objective.machine_at(best);
  out.model = likelihood(objective.rows(best), objective.cases()).model;
  if (fits) out.gain = objective(objective.start(), "result") - objective(best, "result");
  out.evaluations = objective.evaluations();
  out.remembered = objective.remembered();
  return out;
}

}  // namespace plumb::infer
