// SPDX-License-Identifier: Apache-2.0
#include "dsm/clusters.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "dsm/slopes.h"
#include "stats/describe.h"

namespace plumb::dsm {
namespace {

/// The SMs that the CTAs of one cluster were on, if it was the same set in every sample of every size.
std::optional<std::set<std::int64_t>> sms_of(const SizeSeries& series, std::size_t cluster, std::size_t ranks) {
  std::vector<std::set<std::int64_t>> seen(ranks);
  for (const auto& [bytes, m] : series) {
    const auto column = m->samples.find(column::smid);
    if (column == m->samples.end() || column->second.size() < (cluster + 1) * ranks) return std::nullopt;
    for (std::size_t r = 0; r < ranks; ++r)
      seen[r].insert(column->second[cluster * ranks + r].begin(), column->second[cluster * ranks + r].end());
  }
  std::set<std::int64_t> sms;
  for (const auto& at : seen) {
    if (at.size() != 1) return std::nullopt;
    sms.insert(*at.begin());
  }
  return sms;
}

stats::Estimate sum_of(std::span<const stats::Estimate> parts) {
  stats::Estimate sum;
  double below = 0.0;
  double above = 0.0;
  for (const auto& p : parts) {
    sum.value += p.value;
    below += std::pow(p.value - p.low, 2);
    above += std::pow(p.high - p.value, 2);
  }
  sum.low = sum.value - std::sqrt(below);
  sum.high = sum.value + std::sqrt(above);
  return sum;
}

stats::Estimate scaled(const stats::Estimate& e, double by) { return {e.value * by, e.low * by, e.high * by}; }

/// The flow in the middle, of an order by rate.
stats::Estimate middle(std::vector<stats::Estimate> flows) {
  std::sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  return flows[flows.size() / 2];
}

std::vector<Finding> findings_of(const std::string& name, const SizeSeries& series) {
  const Measurement& first = *series.begin()->second;
  const Traffic& traffic = traffic_of(first.point);
  const std::size_t flows = traffic.flows.size();
  const std::size_t rows = flows + traffic.background.size();
  const auto ranks = static_cast<std::size_t>(traffic.ranks);
  const auto placed = first.samples.find(column::smid);
  const std::size_t clusters = placed == first.samples.end() ? 0 : placed->second.size() / ranks;

  std::vector<std::string> cases;
  std::set<std::string> flags;
  for (const auto& [bytes, m] : series) {
    cases.push_back(id_of(m->point));
    flags.insert(m->conditions.flags.begin(), m->conditions.flags.end());
  }
  const std::vector<std::string> notes(flags.begin(), flags.end());
  std::vector<Finding> out;
  const auto add = [&](std::string what, const stats::Estimate& e, std::string unit) {
    out.push_back({name + "/" + what, e.value, e.low, e.high, std::move(unit), "published", cases, notes});
  };

  std::vector<stats::Estimate> all;
  std::size_t moved = 0;
  std::vector<std::pair<std::int64_t, stats::Estimate>> by_cluster;
  for (std::size_t c = 0; c < clusters; ++c) {
    std::vector<stats::Estimate> here;
    for (std::size_t f = 0; f < flows; ++f)
      if (const auto rate = rate_of_row(series, c * rows + f)) here.push_back(*rate);
    if (here.size() < flows) continue;
    all.insert(all.end(), here.begin(), here.end());
    if (const auto sms = sms_of(series, c, ranks))
      by_cluster.emplace_back(*sms->begin(), scaled(sum_of(here), 1.0 / static_cast<double>(flows)));
    else
      ++moved;
  }
  if (all.empty()) return out;
  const auto by_value = [](const auto& a, const auto& b) { return a.value < b.value; };
  const auto [slowest, fastest] = std::minmax_element(all.begin(), all.end(), by_value);
  add("rate", middle(all), "B/cycle");
  add("slowest-flow", *slowest, "B/cycle");
  add("fastest-flow", *fastest, "B/cycle");
  add("total", sum_of(all), "B/cycle");
  const auto sms = static_cast<double>(clusters * ranks);
  add("active-sms", {sms, sms, sms}, "SMs");
  if (moved > 0)
    for (Finding& f : out)
      f.notes.push_back(fmt::format("{} of {} clusters were not always on the same SMs", moved, clusters));
  std::sort(by_cluster.begin(), by_cluster.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [sm, rate] : by_cluster) add(fmt::format("sm-{}/rate", sm), rate, "B/cycle");
  return out;
}

}  // namespace

std::vector<Finding> cluster_findings(std::span<const Measurement> measurements,
                                      std::span<const std::string> order) {
  const auto groups = series_by_name(measurements, order);
  const std::vector<std::pair<std::string, SizeSeries>> series(groups.begin(), groups.end());
  std::vector<std::vector<Finding>> found(series.size());
  tbb::parallel_for(std::size_t{0}, series.size(),
                    [&](std::size_t i) { found[i] = findings_of(series[i].first, series[i].second); });
  std::vector<Finding> out;
  for (auto& some : found) append(out, std::move(some));
  return out;
}

}  // namespace plumb::dsm
