// SPDX-License-Identifier: Apache-2.0
// What SMs of a cluster get when many send at once: rings, strides, many onto one.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

/// "5-put-5to6": the flow's own number; -1 where it is no flow.
int flow_number(const std::string& part) {
  return part.find("to") == std::string::npos ? -1 : static_cast<int>(number_in(part, -1));
}

void add_scaling(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "dsm-scaling",
          .title = "Rings: what each rank gets as the cluster grows",
          .summary = {},
          .columns = {{"operation", "operation", ""},
                      {"ranks", "SMs in the ring", ""},
                      {"flow", "flow", ""},
                      {"value", "rate", "B/cycle"},
                      {"low", "low", "B/cycle"},
                      {"high", "high", "B/cycle"}},
          .spec = R"json({
  "facet": {"field": "operation", "type": "nominal", "title": null},
  "spec": {
    "height": 200,
    "encoding": {"x": {"field": "ranks", "type": "quantitative", "title": "SMs in the ring", "scale": {"domain": [1, 17]}},
                 "y": {"field": "value", "type": "quantitative", "title": "rate of each, B/cycle", "scale": {"zero": false, "nice": true}}},
    "layer": [
      {"transform": [{"filter": "datum.flow != 'all'"}], "mark": {"type": "point", "filled": true, "size": 24, "opacity": 0.45},
       "encoding": {"color": {"field": "operation", "type": "nominal", "legend": null},
         "tooltip": [{"field": "flow"}, {"field": "ranks"}, {"field": "value", "title": "B/cycle", "format": ".2f"}]}},
      {"transform": [{"filter": "datum.flow == 'all'"}], "mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"color": {"field": "operation", "type": "nominal", "legend": null}}}
    ]}})json",
          .how = how(card, {"dsm/scaling"})};
  std::map<std::string, std::pair<double, double>> at16;  // least and most of the ranks
  for (const Finding* f : found.under("dsm/scaling/")) {
    const auto parts = split(f->name);
    if (parts.back() != "rate" || parts.size() < 5) continue;
    const bool flow = parts.size() == 6;
    Json row{{"operation", parts[2]},
             {"ranks", number_in(parts[3])},
             {"flow", flow ? parts[4] : std::string("all")}};
    put(row, *f);
    c.rows.push_back(std::move(row));
    if (!flow || parts[3] != "16") continue;
    auto& [least, most] = at16.try_emplace(parts[2], f->value, f->value).first->second;
    least = std::min(least, f->value);
    most = std::max(most, f->value);
  }
  if (c.rows.empty()) return;
  c.summary = "Dots are ranks, the line is the time until the last is done.";
  for (const auto& [op, range] : at16)
    c.summary +=
        fmt::format(" At 16 SMs ranks get {:.1f} to {:.1f} B/cycle by {}.", range.first, range.second, op);
  blocks.push_back(block(c));
}

void add_stride(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "dsm-stride",
          .title = "Rings of 16 by stride: who falls back, and when",
          .summary = {},
          .columns = {{"operation", "operation", ""},
                      {"stride", "stride", "ranks"},
                      {"rank", "rank that starts", ""},
                      {"value", "rate", "B/cycle"},
                      {"low", "low", "B/cycle"},
                      {"high", "high", "B/cycle"}},
          .spec = R"json({
  "facet": {"field": "operation", "type": "nominal", "title": null},
  "spec": {
    "height": 220, "mark": "rect",
    "encoding": {"x": {"field": "rank", "type": "ordinal", "title": "rank that starts the transfer"},
                 "y": {"field": "stride", "type": "ordinal", "title": "stride, ranks"},
                 "color": {"field": "value", "type": "quantitative", "title": "B/cycle", "scale": {"scheme": "cividis"}},
                 "tooltip": [{"field": "operation"}, {"field": "stride"}, {"field": "rank"}, {"field": "value", "title": "B/cycle", "format": ".2f"}]}}})json",
          .how = how(card, {"dsm/stride"})};
  double least = 1e9;
  double most = 0;
  for (const Finding* f : found.under("dsm/stride/")) {
    const auto parts = split(f->name);
    if (parts.size() != 6 || parts.back() != "rate" || number_in(parts[3], -1) < 0) continue;
    Json row{{"operation", parts[2]}, {"stride", number_in(parts[3])}, {"rank", flow_number(parts[4])}};
    put(row, *f);
    c.rows.push_back(std::move(row));
    least = std::min(least, f->value);
    most = std::max(most, f->value);
  }
  if (c.rows.empty()) return;
  c.summary = fmt::format(
      "Every rank sends to the one so many ranks further on. Rates go from {:.1f} to {:.1f} B/cycle; a "
      "column of one colour is a rank whose CPC has fewer than six SMs at work.",
      least, most);
  blocks.push_back(block(c));
}

void add_incast(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "dsm-incast",
          .title = "Many onto one, and one onto many",
          .summary = {},
          .columns = {{"kind", "traffic", ""},
                      {"operation", "operation", ""},
                      {"others", "other SMs", ""},
                      {"value", "total rate", "B/cycle"},
                      {"low", "low", "B/cycle"},
                      {"high", "high", "B/cycle"}},
          .spec = R"json({
  "facet": {"field": "kind", "type": "nominal", "title": null, "sort": null},
  "spec": {
    "height": 200,
    "encoding": {"x": {"field": "others", "type": "quantitative", "title": "other SMs"},
                 "y": {"field": "value", "type": "quantitative", "title": "total, B/cycle", "scale": {"domain": [0, 36]}},
                 "color": {"field": "operation", "type": "nominal"}},
    "layer": [
      {"data": {"values": [{"kind": "into one SM"}, {"kind": "out of one SM"}]}, "mark": {"type": "rule", "strokeDash": [4, 3], "opacity": 0.8, "color": "gray"}, "encoding": {"y": {"datum": 32}, "x": null, "color": null}},
      {"data": {"values": [{"kind": "into one SM"}, {"kind": "out of one SM"}]}, "mark": {"type": "rule", "strokeDash": [2, 3], "opacity": 0.8, "color": "gray"}, "encoding": {"y": {"datum": 21.3333}, "x": null, "color": null}},
      {"mark": {"type": "line"}},
      {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}},
      {"mark": {"type": "point", "filled": true, "size": 50}, "encoding": {"shape": {"field": "operation", "type": "nominal"},
        "tooltip": [{"field": "kind"}, {"field": "operation"}, {"field": "others"}, {"field": "value", "title": "B/cycle", "format": ".2f"}]}}
    ]}})json",
          .how = how(card, {"dsm/incast", "dsm/fan-out"})};
  double most = 0;
  for (const auto& [name, kind] :
       {std::pair{"dsm/incast/", "into one SM"}, {"dsm/fan-out/", "out of one SM"}})
    for (const Finding* f : found.under(name)) {
      const auto parts = split(f->name);
      if (parts.size() != 5 || parts.back() != "rate") continue;
      const double others = number_in(parts[3]);
      c.rows.push_back({{"kind", kind},
                        {"operation", parts[2]},
                        {"others", others},
                        {"value", others * f->value},
                        {"low", others * f->low},
                        {"high", others * f->high}});
      if (std::string_view(name) == "dsm/incast/") most = std::max(most, others * f->value);
    }
  if (c.rows.empty()) return;
  c.summary = fmt::format(
      "All bytes over the time until the last flow is done. Into one SM the total rises to {:.1f} B/cycle, "
      "one lane of 32 (dashed); out of one it stays at two thirds of a lane, 21.3 (dotted).",
      most);
  blocks.push_back(block(c));
}

void add_tomography(const Card& card, const Lookup& found, Json& blocks) {
  Json rows = Json::array();
  for (const auto& [kind, what] : {std::pair{"block", "egress block"}, {"cpc", "CPC"}})
    for (const Finding* f : found.under(fmt::format("dsm/tomography/{}/", kind))) {
      const auto parts = split(f->name);
      if (parts.size() != 5 || parts.back() != "confidence") continue;
      std::string members = parts[3];
      std::replace(members.begin(), members.end(), '-', ' ');
      rows.push_back({{"what", what}, {"ranks", members}, {"value", f->value}});
    }
  if (rows.empty()) {
    blocks.push_back(missing("Which ranks share an egress block and a CPC", "dsm/tomography"));
    return;
  }
  std::string told = "Nothing names these groups: they are inferred from who slows whom. ";
  const auto level = [&](const char* kind, const char* name) {
    const Finding* slow = found.find(fmt::format("dsm/tomography/{}/collide", kind));
    const Finding* free = found.find(fmt::format("dsm/tomography/{}/free", kind));
    if (slow != nullptr && free != nullptr)
      told += fmt::format(
          "A probe that shares a {} with the traffic beside it gets {:.1f} B/cycle, one that does not "
          "{:.1f}. ",
          name, slow->value, free->value);
  };
  level("cpc", "CPC");
  level("block", "block");
  if (const Finding* n = found.find("dsm/tomography/tests"))
    told += fmt::format("{:.0f} tests decided.", n->value);
  blocks.push_back(text(told));
  blocks.push_back(
      table("tomography", "Groups of ranks in a cluster of 16",
            {{"what", "shares", ""}, {"ranks", "ranks", ""}, {"value", "posterior probability", "%"}}, rows));
  blocks.back()["how"] = how(card, {"dsm/tomography"});
}

}  // namespace

void add_dsm_clusters(const Card& card, const Lookup& found, Json& blocks) {
  add_scaling(card, found, blocks);
  add_stride(card, found, blocks);
  add_incast(card, found, blocks);
  add_tomography(card, found, blocks);
}

}  // namespace plumb::report::html
