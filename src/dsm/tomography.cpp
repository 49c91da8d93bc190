// SPDX-License-Identifier: Apache-2.0
// Which ranks of a cluster share an egress block and which a CPC, from contention alone.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>

#include "dsm/experiments.h"
#include "dsm/tomography/draw.h"
#include "dsm/tomography/survey.h"

namespace plumb::dsm {
namespace {

using namespace tomo;

constexpr std::uint64_t kCoverSeed = 20260103;

std::vector<Case> cases_of(const std::vector<Trial>& trials, int ranks, const Request& request) {
  std::vector<Case> out;
  out.reserve(trials.size());
  for (const Trial& t : trials) out.push_back(case_of(t, ranks, request.quick ? 12 : 30));
  return out;
}

std::string text_of(Mask ranks) {
  std::vector<int> list;
  for (Mask m = ranks; m != 0; m &= m - 1) list.push_back(std::countr_zero(m));
  return fmt::format("{}", fmt::join(list, "-"));
}

int ranks_of(std::span<const Measurement> measurements) {
  return measurements.empty() ? 0 : traffic_of(measurements.front().point).ranks;
}

class Report {
 public:
  explicit Report(std::span<const Measurement> measurements) : ranks_(ranks_of(measurements)) {
    for (const Measurement& m : measurements) cases_.push_back(id_of(m.point));
  }

  /// NAME/GROUP/confidence for each group that may be believed, and what is open in the notes of NAME's own.
  void add_grouping(const std::string& name, const Grouping& g) {
    std::vector<std::string> notes;
    if (!g.doubt.empty()) notes.push_back("undetermined: " + g.doubt);
    if (g.levels) {
      add_level(name + "/collide", g.levels->collide);
      add_level(name + "/free", g.levels->free);
    }
    std::size_t open = 0;
    for (std::size_t i = 0; i < g.groups.size(); ++i) {
      if (!g.sound || g.posterior.probabilities[i] < kSure) {
        ++open;
        continue;
      }
      add(fmt::format("{}/{}/confidence", name, text_of(g.groups[i])), 100.0 * g.posterior.probabilities[i],
          "%", {});
    }
    if (open > 0 && g.sound) notes.push_back(fmt::format("{} groups are not settled", open));
    add(name + "/confidence", g.sound ? 100.0 * g.posterior.confidence : 0.0, "%", std::move(notes));
    if (g.probes > 0)
      add(name + "/contradictions",
          100.0 * static_cast<double>(g.contradictions) / static_cast<double>(g.probes), "%",
          {fmt::format("{} of {} readings", g.contradictions, g.probes)});
  }

  void add(const std::string& name, double value, const std::string& unit, std::vector<std::string> notes) {
    add(name, {value, value, value}, unit, std::move(notes));
  }

  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }
  [[nodiscard]] int ranks() const { return ranks_; }

 private:
  struct Range {
    double value, low, high;
  };
  void add(const std::string& name, const Range& r, const std::string& unit, std::vector<std::string> notes) {
    findings_.push_back({.name = fmt::format("{}/{}", kName, name),
                         .value = r.value,
                         .low = r.low,
                         .high = r.high,
                         .unit = unit,
                         .estimator = "posterior",
                         .cases = cases_,
                         .notes = std::move(notes)});
  }
  /// The interval holds 95 % of the readings.
  void add_level(const std::string& name, const Level& level) {
    constexpr double kWidth = 1.96;
    add(name,
        {std::exp(level.center), std::exp(level.center - kWidth * level.spread),
         std::exp(level.center + kWidth * level.spread)},
        "B/cycle", {});
  }

  int ranks_;
  std::vector<std::string> cases_;
  std::vector<Finding> findings_;
};

std::vector<Finding> findings(std::span<const Measurement> measurements) {
  Report report(measurements);
  std::vector<Outcome> outcomes = read_outcomes(measurements);
  std::vector<std::string> notes;
  if (const std::size_t lost = measurements.size() - outcomes.size(); lost > 0)
    notes.push_back(fmt::format("{} more had no samples to use, or sat on other SMs than most", lost));
  report.add("tests", static_cast<double>(outcomes.size()), "tests", std::move(notes));
  const Answer answer = Survey(report.ranks(), std::move(outcomes)).answer();
  report.add_grouping("block", answer.blocks);
  report.add_grouping("cpc", answer.cpcs);
  return report.take();
}

}  // namespace

Experiment tomography(int ranks) {
  return {.name = std::string(kName),
          .question = "Which SMs of a cluster share an egress block, and which a CPC, by contention alone?",
          .seconds_a_case = 0.004,
          .cases =
              [ranks](const Request& request) {
                return cases_of(screen_cover(ranks, kCoverSeed), ranks, request);
              },
          .analyze = findings,
          .more =
              [ranks](const Request& request, std::span<const Measurement> measurements) {
                return cases_of(Survey(ranks, read_outcomes(measurements)).next(), ranks, request);
              }};
}

}  // namespace plumb::dsm
