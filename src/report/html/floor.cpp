// SPDX-License-Identifier: Apache-2.0
// Where everything is, and which SMs clusters leave idle.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/cluster_fit.h"
#include "report/floor_plan.h"
#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

constexpr int kMostRanks = 16;

/// SMs that can share a cluster: each GPC without its lone TPCs, and each lone TPC.
std::vector<std::vector<int>> groups_of(const topology::Map& map) {
  std::map<int, std::vector<int>> by_gpc;
  std::vector<std::vector<int>> out;
  for (const topology::Seat& s : map.tpcs) {
    auto& group = s.lone || s.gpc < 0 ? out.emplace_back() : by_gpc[s.gpc];
    group.insert(group.end(), s.sms.begin(), s.sms.end());
  }
  for (auto& [gpc, sms] : by_gpc) out.push_back(std::move(sms));
  return out;
}

/// What clusters of each size leave idle with one CTA on an SM. Which SMs of a group stay idle is the card's
/// choice; the last are marked, and their number is what the rule says.
Json fits_of(const topology::Map& map) {
  const auto groups = groups_of(map);
  std::vector<int> sizes;
  sizes.reserve(groups.size());
  for (const auto& g : groups) sizes.push_back(static_cast<int>(g.size()));
  Json out = Json::array();
  for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
    const model::ClusterFit fit = model::fit_clusters(sizes, 1, ranks);
    Json idle = Json::array();
    for (const auto& g : groups) {
      const std::vector<int> one{static_cast<int>(g.size())};
      const int here = model::fit_clusters(one, 1, ranks).idle_sms;
      for (std::size_t i = g.size() - static_cast<std::size_t>(here); i < g.size(); ++i) idle.push_back(g[i]);
    }
    out.push_back(
        {{"ranks", ranks}, {"clusters", fit.clusters}, {"idle", fit.idle_sms}, {"sms", std::move(idle)}});
  }
  return out;
}

Json legs_of(const Part& part, const Card& card) {
  Json legs = Json::object();
  const auto it = part.measurements.find("dsm/latency");
  const auto e = std::find_if(card.experiments.begin(), card.experiments.end(),
                              [](const Experiment& x) { return x.name == "dsm/latency"; });
  if (it == part.measurements.end() || e == card.experiments.end()) return legs;
  // The legs of this very card: the card's findings may be those of another part.
  std::vector<Measurement> loads;
  for (const Measurement& m : it->second)
    if (axis(m.point, "op") == "load") loads.push_back(m);
  for (const Finding& f : e->analyze(loads))
    if (f.name.starts_with("dsm/latency/load/leg/")) legs[split(f.name).back()] = f.value;
  return legs;
}

void add_fit_chart(const Card& card, const Lookup& found, const Json& fits, Json& blocks) {
  Chart c{.id = "fit",
          .title = "SMs that clusters leave idle, one CTA on an SM",
          .summary = {},
          .columns = {{"ranks", "CTAs of a cluster", ""},
                      {"idle", "idle SMs", ""},
                      {"clusters", "clusters at once", ""},
                      {"from", "from", ""}},
          .spec = R"json({
  "height": 200,
  "encoding": {"x": {"field": "ranks", "type": "ordinal", "title": "CTAs of a cluster", "axis": {"labelAngle": 0}},
               "y": {"field": "idle", "type": "quantitative", "title": "idle SMs"}},
  "layer": [
    {"transform": [{"filter": "datum.from == 'the rule'"}], "mark": {"type": "bar", "opacity": 0.55},
     "encoding": {"tooltip": [{"field": "ranks"}, {"field": "clusters"}, {"field": "idle"}]}},
    {"transform": [{"filter": "datum.from == 'measured'"}], "mark": {"type": "point", "filled": true, "size": 60, "color": "#D55E00"},
     "encoding": {"tooltip": [{"field": "ranks"}, {"field": "clusters"}, {"field": "idle"}]}}
  ]})json",
          .how = how(card, {"topology/fit", "topology/gpc"})};
  for (const Json& f : fits)
    c.rows.push_back(
        {{"ranks", f["ranks"]}, {"idle", f["idle"]}, {"clusters", f["clusters"]}, {"from", "the rule"}});
  for (const Finding* f : found.under("topology/fit/1-an-sm/")) {
    const auto parts = split(f->name);
    const Finding* clusters = found.find(f->name.substr(0, f->name.rfind('/')) + "/clusters");
    if (parts.back() != "idle" || clusters == nullptr) continue;
    c.rows.push_back({{"ranks", number_in(parts[3])},
                      {"idle", f->value},
                      {"clusters", clusters->value},
                      {"from", "measured"}});
  }
  c.summary =
      "Bars are the rule (a GPC of n SMs holds n / size clusters, rounded down), dots what a launch left "
      "idle.";
  if (fits.size() >= 8)
    c.summary += fmt::format(" Clusters of 8 leave {} SMs idle.", fits[7]["idle"].get<int>());
  blocks.push_back(block(c));
}

}  // namespace

Section floor_section(const Card& card, const Lookup& found) {
  Section s{.id = "floor",
            .title = "Floor plan",
            .takeaway = "Which SMs share a TPC, a CPC, a GPC and a partition of L2."};
  if (!card.map) {
    s.blocks.push_back(missing("Where SMs are", "topology/*"));
    return s;
  }
  const topology::Map& map = *card.map;
  const Json fits = fits_of(map);
  const auto lone =
      std::count_if(map.tpcs.begin(), map.tpcs.end(), [](const topology::Seat& t) { return t.lone; });
  s.takeaway = fmt::format(
      "{} SMs in {} TPCs and {} GPCs{}. Clusters of 8 leave {} SMs idle, clusters of 16 leave {}.", map.sms,
      map.tpcs.size(), map.gpcs,
      lone > 0 ? fmt::format(", {} of the TPCs alone: never in a cluster with another", lone) : "",
      fits[7]["idle"].get<int>(), fits[15]["idle"].get<int>());
  Json plan{
      {"kind", "floor-plan"},
      {"id", "floor-plan"},
      {"title", "GPC, CPC, TPC, SM, as inferred on " + label_of(card.parts[card.mapped].provenance)},
      {"summary",
       "Move the slider to a size of cluster to see how many SMs it leaves idle. Colours are DSM legs where "
       "dsm/latency ran on this card: an SM's part of a load's round trip. SMs that were in none of its "
       "clusters have no colour."},
      {"map", report::to_json(map)},
      {"fits", fits},
      {"legs", legs_of(card.parts[card.mapped], card)},
      {"how", how(card, {"topology/gpc", "topology/l2", "topology/noc", "dsm/latency", "dsm/tomography"})}};
  s.blocks.push_back(std::move(plan));
  add_fit_chart(card, found, fits, s.blocks);
  return s;
}

}  // namespace plumb::report::html
