// SPDX-License-Identifier: Apache-2.0
#include "infer/observed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>

#include "core/validity.h"
#include "dsm/tomography/survey.h"
#include "stats/describe.h"

namespace plumb::infer {
namespace {

using dsm::tomo::Mask;

std::vector<int> ranks_of(Mask mask) {
  std::vector<int> ranks;
  for (; mask != 0; mask &= mask - 1) ranks.push_back(std::countr_zero(mask));
  return ranks;
}

/// The SMs of a measurement's ranks where all samples that can be used agree on them.
std::vector<std::int64_t> smids_of(const Measurement& m, const std::vector<bool>& good) {
  const auto column = m.samples.find(column::smid);
  if (column == m.samples.end()) return {};
  std::vector<std::int64_t> smids;
  for (const auto& row : column->second) {
    std::optional<std::int64_t> one;
    for (std::size_t s = 0; s < good.size(); ++s) {
      if (!good[s]) continue;
      if (one && *one != row[s]) return {};
      one = row[s];
    }
    smids.push_back(one.value_or(-1));
  }
  return smids;
}

std::vector<double> durations(const Measurement& m, std::size_t participant, const std::vector<bool>& good) {
  const auto start = row(m.samples, column::start_cycles, participant);
  const auto stop = row(m.samples, column::stop_cycles, participant);
  std::vector<double> out;
  for (std::size_t s = 0; s < std::min({good.size(), start.size(), stop.size()}); ++s)
    if (good[s]) out.push_back(static_cast<double>(stop[s] - start[s]));
  return out;
}

/// The standard error of a midmean of normal data is 1.05 times that of the mean.
Observed observed(std::size_t row, const std::vector<double>& cycles) {
  const double half = (stats::quantile(cycles, 0.975) - stats::quantile(cycles, 0.025)) / 2;
  return {.row = row,
          .cycles = stats::midmean(cycles),
          .error = 1.05 * stats::robust_sigma(cycles) / std::sqrt(static_cast<double>(cycles.size())),
          .spread = half};
}

std::vector<Observed> rows_of(const Measurement& m, const std::vector<bool>& good) {
  std::vector<Observed> rows;
  const auto* traffic = std::get_if<Traffic>(&m.point.work);
  const auto column = m.samples.find(column::start_cycles);
  if (column == m.samples.end()) return rows;
  const std::size_t count = traffic != nullptr ? traffic->flows.size() : column->second.size();
  const auto* probe = std::get_if<Probe>(&m.point.work);
  const std::size_t ranks = probe == nullptr ? 0 : static_cast<std::size_t>(probe->ranks);
  for (std::size_t r = 0; r < std::min(count, column->second.size()); ++r) {
    const std::vector<double> cycles = durations(m, r, good);
    // An SM with itself does not use the network.
    const bool own = traffic == nullptr && r % (ranks + 1) == 0;
    if (!own && !cycles.empty() && stats::median(cycles) > 0.0) rows.push_back(observed(r, cycles));
  }
  return rows;
}

}  // namespace

Places places_in(std::span<const Measurement> measurements) {
  std::vector<Measurement> tests;
  for (const Measurement& m : measurements)
    if (m.point.experiment == dsm::tomo::kName) tests.push_back(m);
  if (tests.empty()) return {};
  const int ranks = traffic_of(tests.front().point).ranks;
  const dsm::tomo::Answer answer = dsm::tomo::Survey(ranks, dsm::tomo::read_outcomes(tests)).answer();
  if (!answer.blocks.doubt.empty() || !answer.cpcs.doubt.empty()) return {};

  std::vector<fabric::Slot> slots(static_cast<std::size_t>(ranks));
  std::vector<Mask> cpcs = answer.cpcs.groups;
  std::ranges::sort(cpcs, {}, [](Mask m) { return std::countr_zero(m); });
  for (std::size_t c = 0; c < cpcs.size(); ++c) {
    int sm = 0;
    for (const Mask block : answer.blocks.groups) {
      if ((block & cpcs[c]) == 0) continue;
      // The k-th ranks of the two blocks of a CPC are the SMs of a TPC.
      int tpc = 0;
      for (const int rank : ranks_of(block))
        slots[static_cast<std::size_t>(rank)] = {.cpc = static_cast<int>(c), .tpc = tpc++, .sm = sm};
      ++sm;
    }
  }
  Places places;
  for (const Measurement& m : tests) {
    const auto smids = smids_of(m, usable(m.samples));
    if (smids.size() != slots.size()) continue;
    for (std::size_t r = 0; r < smids.size(); ++r) places.emplace(smids[r], slots[r]);
    break;
  }
  return places;
}

std::string_view not_modelled(const Case& point) {
  if (point.site.clusters != 1) return "several clusters at once";
  if (const auto* traffic = std::get_if<Traffic>(&point.work))
    return traffic->background.empty() ? "" : "traffic beside a background";
  if (const auto* probe = std::get_if<Probe>(&point.work))
    return is_chase(probe->op) ? "" : "hand-offs and barriers, which contain what threads do";
  return std::holds_alternative<Access>(point.work) ? "single forms of access" : "no traffic between SMs";
}

std::string family_of(const Case& point) {
  const auto* traffic = std::get_if<Traffic>(&point.work);
  if (traffic == nullptr) return point.experiment;
  std::set<std::string_view> ops;
  for (const Flow& f : traffic->flows) ops.insert(name_of(f.op));
  return fmt::format("{} {}", point.experiment, fmt::join(ops, "+"));
}

std::vector<ObservedCase> observe(std::span<const Measurement> measurements, const Places& places) {
  std::vector<ObservedCase> out;
  for (const Measurement& m : measurements) {
    if (!not_modelled(m.point).empty()) continue;
    const std::vector<bool> good = usable(m.samples);
    ObservedCase c{.point = m.point, .family = family_of(m.point), .places = {}, .rows = rows_of(m, good)};
    for (const std::int64_t smid : smids_of(m, good)) {
      const auto it = places.find(smid);
      if (it == places.end()) {
        c.places.clear();
        break;
      }
      c.places.push_back(it->second);
    }
    if (!c.rows.empty()) out.push_back(std::move(c));
  }
  return out;
}

}  // namespace plumb::infer
