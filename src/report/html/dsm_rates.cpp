// SPDX-License-Identifier: Apache-2.0
// What two SMs give each other: rates, the fits behind them, bytes in flight, forms of access.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dsm/times.h"
#include "report/html/sections.h"
#include "stats/describe.h"

namespace plumb::report::html {
namespace {

const std::map<std::string, std::string> kWays{{"one-way", "one way"}, {"two-way", "two way, each"}};

struct Best {
  const Finding* rate = nullptr;
  std::string label;
};

/// The fastest way of issuing of each operation and direction, and each side of a mix.
std::vector<Best> rates_to_show(const Lookup& found) {
  std::map<std::string, Best> best;
  for (const Finding* f : found.under("dsm/pair/")) {
    const auto parts = split(f->name);
    const bool put = parts.size() == 5 && parts[2] == "put";
    if (parts.back() != "rate" || f->estimator != "steady" ||
        !(put || (parts.size() == 6 && parts[4].find('-') == std::string::npos)))
      continue;
    if (!kWays.contains(parts[3])) continue;
    Best& b = best[parts[2] + parts[3]];
    if (b.rate == nullptr || f->value > b.rate->value)
      b = {f, fmt::format("{}, {}{}", parts[2], kWays.at(parts[3]), put ? "" : " (" + parts[4] + ")")};
  }
  std::vector<Best> out;
  out.reserve(best.size());
  for (const auto& [key, b] : best) out.push_back(b);
  for (const Finding* f : found.under("dsm/mixed/")) {
    const auto parts = split(f->name);  // dsm mixed OP WAY FLOW rate
    if (parts.size() != 6 || parts.back() != "rate" || f->estimator != "steady") continue;
    const bool load = parts[4].find("load") != std::string::npos;
    out.push_back(
        {f, fmt::format("{} beside {}, {} direction{}", load ? "load" : parts[2],
                        load ? "a " + parts[2] : "a load", parts[3], parts[3] == "opposite" ? "s" : "")});
  }
  return out;
}

std::string op_of(const std::string& label) { return label.substr(0, label.find_first_of(" ,")); }

void add_pair(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "dsm-rates",
          .title = "What one SM gets from or gives to another, alone and against other traffic",
          .summary = {},
          .columns = {{"traffic", "traffic", ""},
                      {"operation", "operation", ""},
                      {"value", "rate", "B/cycle"},
                      {"low", "low", "B/cycle"},
                      {"high", "high", "B/cycle"}},
          .spec = R"json({
  "height": {"step": 22},
  "layer": [
    {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeDash": [4, 3], "opacity": 0.7}, "encoding": {"x": {"datum": 21.3333}}},
    {"data": {"values": [{}]}, "mark": {"type": "text", "align": "right", "dx": -4, "dy": -4, "baseline": "bottom"},
     "encoding": {"x": {"datum": 21.3333}, "y": {"value": 0}, "text": {"value": "⅔ of a lane: 21.33"}}},
    {"mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.5},
     "encoding": {"y": {"field": "traffic", "type": "nominal", "sort": null, "title": null},
       "x": {"field": "low", "type": "quantitative", "title": "rate, B/cycle", "scale": {"domain": [0, 24]}},
       "x2": {"field": "high"}, "color": {"field": "operation", "type": "nominal"}}},
    {"mark": {"type": "point", "filled": true, "size": 70},
     "encoding": {"y": {"field": "traffic", "type": "nominal", "sort": null, "axis": {"grid": true, "labelLimit": 230}},
       "x": {"field": "value", "type": "quantitative"},
       "color": {"field": "operation", "type": "nominal"}, "shape": {"field": "operation", "type": "nominal"},
       "tooltip": [{"field": "traffic"}, {"field": "value", "title": "B/cycle", "format": ".2f"},
                   {"field": "low", "format": ".3f"}, {"field": "high", "format": ".3f"}]}}
  ]})json",
          .how = how(card, {"dsm/pair", "dsm/mixed"})};
  std::string spoken;
  for (const Best& b : rates_to_show(found)) {
    Json row{{"traffic", b.label}, {"operation", op_of(b.label)}};
    put(row, *b.rate);
    c.rows.push_back(std::move(row));
    if (b.rate->name.starts_with("dsm/pair/"))
      spoken += fmt::format("{}{} {:.2f}", spoken.empty() ? "" : "; ", b.label, b.rate->value);
  }
  if (c.rows.empty()) {
    blocks.push_back(missing("Rates between two SMs", "dsm/pair"));
    return;
  }
  c.summary = fmt::format(
      "B/cycle: {}. 8x2 is 8 warps with 2 accesses of 16 bytes in flight. Intervals are mostly narrower than "
      "the dots.",
      spoken);
  blocks.push_back(block(c));
}

/// Cycles until the last flow was complete, the median over the samples.
double slowest(const Measurement& m) {
  std::vector<double> out;
  const auto* traffic = std::get_if<Traffic>(&m.point.work);
  const std::size_t flows = traffic == nullptr ? 1 : traffic->flows.size();
  for (std::size_t f = 0; f < flows; ++f) {
    const auto one = dsm::cycles_of(m, f);
    out.resize(std::max(out.size(), one.size()));
    for (std::size_t s = 0; s < one.size(); ++s) out[s] = std::max(out[s], one[s]);
  }
  return out.empty() ? 0.0 : stats::midmean(out);
}

/// Sizes that are not in a fit.
const char* const kHollow = R"json(,
    {"transform": [{"filter": "datum.fitted == 'no'"}], "mark": {"type": "point", "filled": false, "size": 44}, "encoding": {
       "x": {"field": "KiB", "type": "quantitative"}, "y": {"field": "residual", "type": "quantitative"},
       "color": {"field": "series", "type": "nominal"}, "shape": {"field": "series", "type": "nominal"},
       "tooltip": [{"field": "series"}, {"field": "KiB"}, {"field": "cycles", "format": ".1f"}, {"field": "residual", "format": ".2f"}]}})json";

void add_residuals(const Card& card, const Lookup& found, Json& blocks) {
  const auto* measurements = card.of("dsm/pair");
  if (measurements == nullptr) return;
  std::map<std::string, const Measurement*> by_id;
  for (const Measurement& m : *measurements) by_id[id_of(m.point)] = &m;
  Chart c{.id = "dsm-residuals",
          .title = "How far each size is from the line whose slope is the rate",
          .summary = {},
          .columns = {{"series", "traffic", ""},
                      {"KiB", "payload", "KiB"},
                      {"cycles", "time", "cycles"},
                      {"residual", "time less line", "cycles"},
                      {"fitted", "in the fit", ""}},
          .spec = R"json({
  "height": 220,
  "layer": [
    {"data": {"values": [{}]}, "mark": {"type": "rule", "opacity": 0.6}, "encoding": {"y": {"datum": 0}}},
    {"transform": [{"filter": "datum.fitted == 'yes'"}], "mark": {"type": "line", "opacity": 0.45}, "encoding": {
       "x": {"field": "KiB", "type": "quantitative", "title": "payload, KiB", "scale": {"domain": [12, 100]}},
       "y": {"field": "residual", "type": "quantitative", "title": "time less line, cycles"},
       "color": {"field": "series", "type": "nominal", "legend": {"columns": 3, "labelLimit": 220, "title": null}}}},
    {"transform": [{"filter": "datum.fitted == 'yes'"}], "mark": {"type": "point", "filled": true, "size": 34}, "encoding": {
       "x": {"field": "KiB", "type": "quantitative"}, "y": {"field": "residual", "type": "quantitative"},
       "color": {"field": "series", "type": "nominal"}, "shape": {"field": "series", "type": "nominal"},
       "tooltip": [{"field": "series"}, {"field": "KiB"}, {"field": "cycles", "format": ".1f"}, {"field": "residual", "format": ".2f"}]}}HOLLOW
  ]})json",
          .how = how(card, {"dsm/pair"})};
  double worst = 0.0;
  for (const Best& b : rates_to_show(found)) {
    if (!b.rate->name.starts_with("dsm/pair/")) continue;
    const Finding* intercept = found.find(b.rate->name.substr(0, b.rate->name.size() - 4) + "intercept");
    if (intercept == nullptr) continue;
    double from = 0;  // KiB: smaller sizes are not on the line, and a note says so
    for (const std::string& note : b.rate->notes)
      if (note.starts_with("fitted from ")) from = number_in(std::string_view(note).substr(12));
    for (const std::string& id : b.rate->cases) {
      const auto it = by_id.find(id);
      if (it == by_id.end()) continue;
      const double bytes = number_in(axis(it->second->point, "bytes"));
      const double cycles = slowest(*it->second);
      const double residual = cycles - intercept->value - bytes / b.rate->value;
      const bool fitted = bytes / 1024 >= from;
      if (fitted) worst = std::max(worst, std::abs(residual));
      c.rows.push_back({{"series", b.label},
                        {"KiB", bytes / 1024},
                        {"cycles", cycles},
                        {"residual", residual},
                        {"fitted", fitted ? "yes" : "no"}});
    }
  }
  if (c.rows.empty()) return;
  const bool hollow =
      std::any_of(c.rows.begin(), c.rows.end(), [](const Json& r) { return r["fitted"] == "no"; });
  c.spec.replace(c.spec.find("HOLLOW"), 6, hollow ? kHollow : "");
  c.summary = fmt::format(
      "No size of a fit is more than {:.1f} cycles from its line, of some 1,000 to 5,000 that a transfer "
      "takes. "
      "Hollow: sizes that are not on the line and were left out of the fit.",
      worst);
  blocks.push_back(block(c));
}

void add_in_flight(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "dsm-in-flight",
          .title = "Rate against bytes of loads in flight, and Little's law",
          .summary = {},
          .columns = {{"series", "issued by", ""},
                      {"KiB", "in flight", "KiB"},
                      {"value", "rate", "B/cycle"},
                      {"low", "low", "B/cycle"},
                      {"high", "high", "B/cycle"}},
          .spec = R"json({
  "height": 240,
  "encoding": {
    "x": {"field": "KiB", "type": "quantitative", "scale": {"type": "log", "base": 2}, "title": "in flight, KiB",
          "axis": {"format": "~r", "values": [0.5, 1, 2, 4, 8, 16, 32, 64]}},
    "y": {"field": "value", "type": "quantitative", "title": "rate, B/cycle"},
    "color": {"field": "series", "type": "nominal", "title": null, "sort": null}},
  "layer": [
    {"transform": [{"filter": "datum.series == \"Little's law\""}], "mark": {"type": "line", "strokeDash": [6, 3]}},
    {"transform": [{"filter": "datum.series != \"Little's law\""}], "mark": {"type": "point", "filled": true, "size": 60},
     "encoding": {"shape": {"field": "series", "type": "nominal", "sort": null},
       "tooltip": [{"field": "series"}, {"field": "KiB"}, {"field": "value", "title": "B/cycle", "format": ".2f"}]}}
  ]})json",
          .how = how(card, {"dsm/in-flight"})};
  const Finding* one = found.find("dsm/in-flight/1/1/rate");
  double most = 0.0;
  double enough = 0.0;
  std::vector<std::pair<double, double>> points;
  for (const Finding* f : found.under("dsm/in-flight/")) {
    const auto parts = split(f->name);
    if (parts.size() != 5 || parts.back() != "rate") continue;
    const double bytes = 512 * number_in(parts[2]) * number_in(parts[3]);
    Json row{{"series", parts[2] == "1" ? "1 warp" : parts[2] + " warps"}, {"KiB", bytes / 1024}};
    put(row, *f);
    c.rows.push_back(std::move(row));
    points.emplace_back(bytes, f->value);
    most = std::max(most, f->value);
  }
  if (one == nullptr) return;
  std::sort(points.begin(), points.end());
  for (const auto& [bytes, rate] : points)
    if (enough == 0.0 && rate >= 0.97 * kSending) enough = bytes;
  for (int warps = 1; warps <= 128; warps *= 2)  // with one access of 512 bytes each
    c.rows.push_back({{"series", "Little's law"},
                      {"KiB", warps / 2.0},
                      {"value", std::min(kSending, warps * one->value)}});
  c.summary = fmt::format(
      "One warp with one load in flight gets {:.2f} B/cycle; {:g} KiB in flight fill the way in, at "
      "{:.1f} B/cycle. The dashed line is bytes over the {:.0f} cycles of one trip, up to two thirds of a "
      "lane.",
      one->value, enough / 1024, kSending, 512 / one->value);
  blocks.push_back(block(c));
}

void add_forms(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "dsm-forms",
          .title = "What each form of access gets from its own shared memory and from a peer's",
          .summary =
              "Widest access of each form, neighbouring lanes at neighbouring addresses. Local and own are "
              "the same memory, "
              "addressed without and with the cluster's window; peer is another SM's.",
          .columns = {{"form", "form", ""},
                      {"target", "target", ""},
                      {"value", "rate", "B/cycle"},
                      {"low", "low", "B/cycle"},
                      {"high", "high", "B/cycle"}},
          .spec = R"json({
  "height": {"step": 26},
  "encoding": {
    "y": {"field": "form", "type": "nominal", "title": null, "sort": null, "axis": {"grid": true}},
    "x": {"field": "value", "type": "quantitative", "title": "rate, B/cycle", "scale": {"type": "log", "base": 2, "domain": [2, 160]}},
    "color": {"field": "target", "type": "nominal", "sort": ["local", "own", "peer"]},
    "shape": {"field": "target", "type": "nominal", "sort": ["local", "own", "peer"]}},
  "layer": [
    {"mark": {"type": "point", "filled": true, "size": 80}, "encoding": {
      "tooltip": [{"field": "form"}, {"field": "target"}, {"field": "value", "title": "B/cycle", "format": ".2f"}]}}
  ]})json",
          .how = how(card, {"dsm/forms"})};
  std::map<std::pair<std::string, std::string>, std::pair<double, const Finding*>> widest;
  for (const Finding* f : found.under("dsm/forms/")) {
    const auto parts = split(f->name);  // dsm forms FORM TARGET LANES WIDTH rate
    if (parts.size() != 7 || parts.back() != "rate" || parts[4] != "coalesced") continue;
    auto& [width, best] = widest[{parts[2], parts[3]}];
    if (number_in(parts[5]) > width) width = number_in(parts[5]), best = f;
  }
  for (const auto& [key, best] : widest) {
    Json row{{"form", key.first}, {"target", key.second}};
    put(row, *best.second);
    c.rows.push_back(std::move(row));
  }
  if (!c.rows.empty()) blocks.push_back(block(c));
}

}  // namespace

void add_dsm_rates(const Card& card, const Lookup& found, Json& blocks) {
  add_pair(card, found, blocks);
  add_residuals(card, found, blocks);
  add_in_flight(card, found, blocks);
  add_forms(card, found, blocks);
}

}  // namespace plumb::report::html
