// SPDX-License-Identifier: Apache-2.0
// One tile for a whole cluster: how fast it comes, and how often L2 is read for it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

/// What of the findings of copy/multicast a chart shows.
struct Quantity {
  const char* id;
  const char* title;
  const char* suffix;  ///< of the findings
  const char* column;
  const char* unit;
  const char* axis;
};
constexpr Quantity kFill{"copy-multicast", "Filling shared memory where a cluster wants the same tile",
                         "rate-sm",        "fill rate of an SM",
                         "B/cycle",        "fill, B/cycle and SM"};
constexpr Quantity kTraffic{"copy-multicast-l2",
                            "How much of it L2 is read for",
                            "l2-bytes",
                            "read from L2 for each byte in shared memory",
                            "B/B",
                            "L2 bytes a byte"};

const char* const kSpec = R"json({
  "facet": {"row": {"field": "from", "type": "nominal", "title": null}, "column": {"field": "box", "type": "nominal", "title": null, "sort": null}},
  "spec": {
    "height": 170,
    "encoding": {"x": {"field": "cluster", "type": "ordinal", "title": "CTAs of a cluster", "axis": {"labelAngle": 0}},
                 "y": {"field": "value", "type": "quantitative", "title": "UNIT"},
                 "color": {"field": "sharing", "type": "nominal", "title": null}},
    "layer": [{"mark": {"type": "line"}},
      {"mark": {"type": "point", "filled": true, "size": 50}, "encoding": {"shape": {"field": "sharing", "type": "nominal", "title": null},
        "tooltip": [{"field": "sharing"}, {"field": "cluster"}, {"field": "box"}, {"field": "value", "format": ".3~g"}]}}]}})json";

Chart chart_of(const Quantity& q, const Card& card, const Lookup& found) {
  Chart c{.id = q.id,
          .title = q.title,
          .summary = {},
          .columns = {{"from", "from", ""},
                      {"sharing", "how it is shared", ""},
                      {"cluster", "CTAs of a cluster", ""},
                      {"box", "tile", ""},
                      {"value", q.column, q.unit},
                      {"low", "low", q.unit},
                      {"high", "high", q.unit}},
          .spec = kSpec,
          .how = how(card, {"copy/multicast"})};
  constexpr std::string_view kUnit = "UNIT";
  c.spec.replace(c.spec.find(kUnit), kUnit.size(), q.axis);
  for (const Finding* f : found.under("copy/multicast/")) {
    const auto parts = split(f->name);  // copy multicast FROM SHARING CLUSTER BOX STAGES suffix
    constexpr std::size_t kParts = 8;
    if (parts.size() != kParts || parts.back() != q.suffix) continue;
    Json row{{"from", parts[2]}, {"sharing", parts[3]}, {"cluster", number_in(parts[4])}, {"box", parts[5]}};
    put(row, *f);
    c.rows.push_back(std::move(row));
  }
  return c;
}

void sort_by_box(Chart& c) {
  std::stable_sort(c.rows.begin(), c.rows.end(), [](const Json& a, const Json& b) {
    return box_bytes(a["box"].get<std::string>()) < box_bytes(b["box"].get<std::string>());
  });
}

/// Once for the cluster: what sharing could reach.
void add_ideal(Chart& c) {
  std::set<std::tuple<std::string, std::string, double>> places;
  for (const Json& row : c.rows)
    places.emplace(row["from"].get<std::string>(), row["box"].get<std::string>(),
                   row["cluster"].get<double>());
  for (const auto& [from, box, cluster] : places)
    c.rows.push_back({{"from", from},
                      {"sharing", "once for a cluster"},
                      {"cluster", cluster},
                      {"box", box},
                      {"value", 1 / cluster}});
}

}  // namespace

void add_multicast(const Card& card, const Lookup& found, Json& blocks) {
  Chart fill = chart_of(kFill, card, found);
  if (fill.rows.empty()) return;
  const auto most = std::max_element(fill.rows.begin(), fill.rows.end(), [](const Json& a, const Json& b) {
    return a["value"].get<double>() < b["value"].get<double>();
  });
  fill.summary = fmt::format("The fastest fill is {:.1f} B/cycle and SM ({}, cluster of {:g}, {}).",
                             (*most)["value"].get<double>(), (*most)["sharing"].get<std::string>(),
                             (*most)["cluster"].get<double>(), (*most)["from"].get<std::string>());
  sort_by_box(fill);
  blocks.push_back(block(fill));

  Chart traffic = chart_of(kTraffic, card, found);
  if (traffic.rows.empty()) {
    blocks.push_back(
        text("How much of it L2 is read for: not in this recording; `plumb run copy/multicast` counts it "
             "where the driver grants hardware counters to the user."));
    return;
  }
  const auto largest = [&](const char* sharing) {
    double most_clusters = 0;
    double value = 0;
    for (const Json& row : traffic.rows)
      if (row["sharing"] == sharing && row["cluster"].get<double>() >= most_clusters) {
        value = row["cluster"].get<double>() > most_clusters ? row["value"].get<double>()
                                                             : std::max(value, row["value"].get<double>());
        most_clusters = row["cluster"].get<double>();
      }
    return std::pair(most_clusters, value);
  };
  const auto [size, by_multicast] = largest("multicast");
  traffic.summary = fmt::format(
      "Hardware counters. A multicast to {:g} CTAs reads L2 for {:.3f} of what arrives; CTAs that ask for "
      "the "
      "same tile by themselves, for up to {:.2f}.",
      size, by_multicast, largest("implicit").second);
  add_ideal(traffic);
  sort_by_box(traffic);
  blocks.push_back(block(traffic));
}

}  // namespace plumb::report::html
