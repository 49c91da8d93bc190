// SPDX-License-Identifier: Apache-2.0
#include "topology/inside.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/finding.h"
#include "core/validity.h"
#include "dsm/experiments.h"

namespace plumb::topology {
namespace {

std::vector<Measurement> of(std::string_view experiment, std::span<const Measurement> measurements) {
  std::vector<Measurement> out;
  for (const Measurement& m : measurements)
    if (m.point.experiment == experiment) out.push_back(m);
  return out;
}

std::string value_of(const Finding& f, std::string_view key) {
  for (const std::string& note : f.notes)
    if (note.starts_with(key)) return note.substr(key.size());
  return {};
}

/// "0-1-6-7" as numbers.
std::vector<int> numbers(std::string_view text) {
  std::vector<int> out;
  for (const char* p = text.data(); p != text.data() + text.size();) {
    int value = 0;
    const auto [end, error] = std::from_chars(p, text.data() + text.size(), value);
    if (error != std::errc{}) return {};
    out.push_back(value);
    p = end;
    if (p != text.data() + text.size()) ++p;
  }
  return out;
}

/// The middle of "PREFIXmiddleSUFFIX"; empty where the name is another.
std::string_view middle(std::string_view name, std::string_view prefix, std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() < prefix.size() + suffix.size())
    return {};
  return name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
}

CpcSets by_latency(std::span<const Measurement> measurements) {
  std::map<std::string, std::vector<int>> sets;
  if (!measurements.empty()) {
    for (const Finding& f : dsm::latency().analyze(measurements)) {
      const auto tpc = numbers(middle(f.name, "dsm/latency/load/tpc/", ""));
      const std::string cpc = value_of(f, "CPC ");
      if (tpc.size() == 1 && !cpc.empty()) sets[value_of(f, "GPC ") + "." + cpc].push_back(2 * tpc.front());
    }
  }
  CpcSets out{.method = "load latencies in clusters", .sets = {}};
  for (auto& [name, set] : sets) out.sets.push_back(std::move(set));
  return out;
}

CpcSets by_tomography(std::span<const Measurement> measurements) {
  CpcSets out{.method = "contention in a cluster", .sets = {}};
  std::vector<int> sm_of_rank;
  for (const Measurement& m : measurements) {
    std::vector<int> here;
    for (std::size_t rank = 0; !row(m.samples, column::smid, rank).empty(); ++rank)
      here.push_back(static_cast<int>(row(m.samples, column::smid, rank).front()));
    if (sm_of_rank.empty()) sm_of_rank = here;
    // A cluster that moved to another GPC in between says nothing of either.
    if (here != sm_of_rank) return out;
  }
  if (sm_of_rank.empty()) return out;
  for (const Finding& f : dsm::tomography().analyze(measurements)) {
    std::set<int> tpcs;
    for (const int rank : numbers(middle(f.name, "dsm/tomography/cpc/", "/confidence")))
      if (rank >= 0 && rank < static_cast<int>(sm_of_rank.size()))
        tpcs.insert(sm_of_rank[static_cast<std::size_t>(rank)] / 2 * 2);
    if (!tpcs.empty()) out.sets.emplace_back(tpcs.begin(), tpcs.end());
  }
  return out;
}

}  // namespace

std::vector<CpcSets> cpcs_from_dsm(std::span<const Measurement> measurements) {
  std::vector<CpcSets> out{by_latency(of("dsm/latency", measurements)),
                           by_tomography(of("dsm/tomography", measurements))};
  std::erase_if(out, [](const CpcSets& s) { return s.sets.empty(); });
  return out;
}

}  // namespace plumb::topology
