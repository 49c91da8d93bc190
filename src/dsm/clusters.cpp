// SPDX-License-Identifier: Apache-2.0
#include "dsm/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/validity.h"
#include "dsm/slopes.h"
#include "stats/line.h"

namespace plumb::dsm {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20260104;

/// Where the CTAs of a cluster were, by rank. The hardware may place the clusters of one launch otherwise
/// than those of the next, so times are told apart by place, not by row.
using Place = std::vector<std::int64_t>;

/// Times of the flows of one cluster at one place: [flow] over the sizes.
using Times = std::vector<stats::Series>;

constexpr std::size_t kLeastSamples = 3;  // of a size at one place

void add_times(const Measurement& m, double bytes, std::size_t ranks, std::map<Place, Times>& out) {
  const auto smid = m.samples.find(column::smid);
  if (smid == m.samples.end()) return;
  const Traffic& traffic = traffic_of(m.point);
  const std::size_t flows = traffic.flows.size();
  const std::size_t rows = flows + traffic.background.size();
  const std::vector<bool> good = usable(m.samples);
  std::map<Place, std::vector<std::vector<double>>> here;
  for (std::size_t c = 0; c < smid->second.size() / ranks; ++c) {
    for (std::size_t s = 0; s < good.size(); ++s) {
      if (!good[s]) continue;
      Place place;
      for (std::size_t r = 0; r < ranks; ++r) place.push_back(smid->second[c * ranks + r][s]);
      auto& times = here.try_emplace(place, flows).first->second;
      for (std::size_t f = 0; f < flows; ++f)
        times[f].push_back(static_cast<double>(row(m.samples, column::stop_cycles, c * rows + f)[s] -
                                               row(m.samples, column::start_cycles, c * rows + f)[s]));
    }
  }
  for (auto& [place, times] : here) {
    if (times.front().size() < kLeastSamples) continue;
    Times& to = out.try_emplace(place, flows).first->second;
    for (std::size_t f = 0; f < flows; ++f) {
      to[f].x.push_back(bytes);
      to[f].samples.push_back(std::move(times[f]));
    }
  }
}

stats::Estimate scaled(const stats::Estimate& e, double by) {
  return {e.value * by, e.low * by, e.high * by};
}

/// The flow in the middle, of an order by rate.
stats::Estimate middle(std::vector<stats::Estimate> flows) {
  std::sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  return flows[flows.size() / 2];
}

std::vector<Finding> findings_of(const std::string& name, const SizeSeries& series) {
  const Measurement& first = *series.begin()->second;
  const Traffic& traffic = traffic_of(first.point);
  const std::size_t flows = traffic.flows.size();
  const auto ranks = static_cast<std::size_t>(traffic.ranks);
  const auto placed = first.samples.find(column::smid);
  const std::size_t clusters = placed == first.samples.end() ? 0 : placed->second.size() / ranks;
  std::map<Place, Times> by_place;
  for (const auto& [bytes, m] : series) add_times(*m, static_cast<double>(bytes), ranks, by_place);

  std::vector<std::string> cases;
  std::set<std::string> flags;
  for (const auto& [bytes, m] : series) {
    cases.push_back(id_of(m->point));
    flags.insert(m->conditions.flags.begin(), m->conditions.flags.end());
  }
  const std::vector<std::string> notes(flags.begin(), flags.end());
  std::vector<Finding> out;
  const auto add = [&](const std::string& what, const stats::Estimate& e, std::string unit) {
    out.push_back({name + "/" + what, e.value, e.low, e.high, std::move(unit), "published", cases, notes});
  };

  std::vector<stats::Estimate> all;
  std::vector<std::pair<std::int64_t, stats::Estimate>> by_cluster;
  for (const auto& [place, times] : by_place) {
    if (times.front().x.size() < 2) continue;  // it was there at one size only
    std::vector<stats::Estimate> here;
    for (const stats::Series& flow : times)
      here.push_back(stats::estimate_line(flow, 0, stats::Center::median, kBootstrapSeed).rate);
    all.insert(all.end(), here.begin(), here.end());
    by_cluster.emplace_back(*std::min_element(place.begin(), place.end()),
                            scaled(stats::sum_of(here), 1.0 / static_cast<double>(flows)));
  }
  if (all.empty()) return out;
  const auto by_value = [](const auto& a, const auto& b) { return a.value < b.value; };
  const auto [slowest, fastest] = std::minmax_element(all.begin(), all.end(), by_value);
  add("rate", middle(all), "B/cycle");
  add("slowest-flow", *slowest, "B/cycle");
  add("fastest-flow", *fastest, "B/cycle");
  const auto sms = static_cast<double>(clusters * ranks);
  const auto at_once = static_cast<double>(clusters * flows);
  add("total", scaled(stats::sum_of(all), at_once / static_cast<double>(all.size())), "B/cycle");
  add("active-sms", {sms, sms, sms}, "SMs");
  if (by_cluster.size() != clusters)
    for (Finding& f : out)
      f.notes.push_back(fmt::format("{} clusters at once, seen at {} places", clusters, by_cluster.size()));
  std::sort(by_cluster.begin(), by_cluster.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < by_cluster.size(); ++i) {
    const auto& [sm, rate] = by_cluster[i];
    if (i > 0 && by_cluster[i - 1].first == sm) continue;  // two places with one lowest SM: the first
    add(fmt::format("sm-{}/rate", sm), rate, "B/cycle");
  }
  return out;
}

}  // namespace

std::vector<Finding> cluster_findings(std::span<const Measurement> measurements,
                                      std::span<const std::string> order) {
  return findings_by_series(measurements, order, findings_of);
}

}  // namespace plumb::dsm
