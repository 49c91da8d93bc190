// SPDX-License-Identifier: Apache-2.0
// The ways into an SM from DRAM and L2: rate and latency against bytes in flight, multicast, ceilings.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

const char* const kRateSpec = R"json({
  "facet": {"field": "from", "type": "nominal", "title": null, "sort": ["DRAM", "L2"]},
  "spec": {
    "height": 230,
    "encoding": {
      "x": {"field": "KiB", "type": "quantitative", "scale": {"type": "log", "base": 2}, "title": "in flight per SM, KiB"},
      "y": {"field": "value", "type": "quantitative", "title": "UNIT"},
      "color": {"field": "path", "type": "nominal", "title": null}},
    "layer": [
CEILING
      {"transform": [{"filter": "datum.part == 'point'"}], "mark": {"type": "point", "filled": true, "size": 18, "opacity": 0.3},
       "encoding": {"shape": {"field": "path", "type": "nominal", "title": null},
         "tooltip": [{"field": "path"}, {"field": "config"}, {"field": "KiB"}, {"field": "value", "title": "UNIT", "format": ".4~g"}]}},
      {"transform": [{"filter": "datum.part == 'envelope'"}], "mark": {"type": "line", "strokeWidth": 2.2}}KNEE
    ]},
  "resolve": {"scale": {"y": "independent"}}})json";

const char* const kCeilings =
    R"json({"transform": [{"filter": "datum.part == 'ceiling'"}], "mark": {"type": "rule", "strokeDash": [5, 3], "opacity": 0.7, "color": "gray"},
       "encoding": {"x": null, "color": null}},)json";

const char* const kKnees = R"json(,
      {"transform": [{"filter": "datum.part == 'knee'"}], "mark": {"type": "point", "shape": "diamond", "size": 130, "strokeWidth": 2, "filled": false},
       "encoding": {"tooltip": [{"field": "path"}, {"field": "config"}, {"field": "KiB", "format": ".3~g"}, {"field": "value", "format": ".4~g"}]}})json";

/// A layer without rows has no extent, and Vega says so: each is there only where its rows are.
std::string rate_spec(std::string_view unit, bool ceilings, bool knees) {
  std::string spec = kRateSpec;
  const auto replace = [&](std::string_view what, std::string_view with) {
    for (std::size_t at = spec.find(what); at != std::string::npos; at = spec.find(what))
      spec.replace(at, what.size(), with);
  };
  replace("CEILING", ceilings ? kCeilings : "");
  replace("KNEE", knees ? kKnees : "");
  replace("UNIT", unit);
  return spec;
}

/// Whether a chart has rows of a part.
bool has_part(const Chart& c, std::string_view part) {
  return std::any_of(c.rows.begin(), c.rows.end(), [&](const Json& row) { return row["part"] == part; });
}

const std::vector<Column> kRateColumns{{"from", "from", ""},
                                       {"path", "path", ""},
                                       {"part", "what", ""},
                                       {"config", "configuration", ""},
                                       {"KiB", "in flight per SM", "KiB"},
                                       {"value", "value", ""},
                                       {"low", "low", ""},
                                       {"high", "high", ""}};

std::string spoken(std::string_view from) {
  return from == "dram" ? "DRAM" : from == "l2" ? "L2" : std::string(from);
}

struct Point {
  std::string from, path, config;
  double kib = 0.0;
  const Finding* finding = nullptr;
};

/// Every configuration of copy/ldgsts and copy/tma whose bytes in flight the name tells: `what` is rate or
/// wave.
std::vector<Point> configurations(const Lookup& found, std::string_view what, std::string_view finding) {
  constexpr double kKiB = 1024;
  std::vector<Point> out;
  for (const Finding* f : found.under(fmt::format("copy/ldgsts/{}/", what))) {
    const auto p = split(f->name);  // copy ldgsts WHAT FROM WIDTH THREADS STAGES CTAS FINDING
    if (p.size() != 9 || p.back() != finding) continue;
    out.push_back({p[3], "ldgsts",
                   fmt::format("{} bytes, {} threads, {} stages, {} CTAs", p[4], p[5], p[6], p[7]),
                   number_in(p[4]) * number_in(p[5]) * number_in(p[6]) * number_in(p[7]) / kKiB, f});
  }
  for (const Finding* f : found.under(fmt::format("copy/tma/{}/tma/", what))) {
    const auto p = split(f->name);  // copy tma WHAT tma FROM BOX WARPS STAGES [more] FINDING
    if (p.size() != 9 || p.back() != finding) continue;
    out.push_back({p[4], "tma", fmt::format("box {}, {} warps, {} stages", p[5], p[6], p[7]),
                   box_bytes(p[5]) * number_in(p[6]) * number_in(p[7]) / kKiB, f});
  }
  return out;
}

void add_row(Chart& c, const char* part, const Point& p) {
  Json row{{"from", spoken(p.from)}, {"path", p.path}, {"part", part}, {"config", p.config}, {"KiB", p.kib}};
  put(row, *p.finding);
  c.rows.push_back(std::move(row));
}

/// The best of each path at each size, as copy/compare found it: names copy/compare/FROM/WHAT/PATH/KIB.
void add_envelope(const Lookup& found, std::string_view what, Chart& c) {
  for (const char* from : {"dram", "l2"})
    for (const char* path : {"ldgsts", "tma"})
      for (const Finding* f : found.under(fmt::format("copy/compare/{}/{}/{}/", from, what, path))) {
        const auto p = split(f->name);
        if (p.size() == 6)
          add_row(c, "envelope",
                  {from, path, f->notes.empty() ? std::string() : f->notes.front(), number_in(p[5]), f});
      }
}

void add_rates(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "copy-rate",
          .title = "Rate against bytes in flight, cp.async (LDGSTS) and the copy engine (TMA)",
          .summary = {},
          .columns = kRateColumns,
          .spec = {},
          .how = how(card, {"copy/compare", "copy/ldgsts", "copy/tma", "copy/ceilings"})};
  for (const Point& p : configurations(found, "rate", "rate")) add_row(c, "point", p);
  add_envelope(found, "rate", c);
  for (const char* from : {"dram", "l2"}) {
    for (const char* path : {"ldgsts", "tma"})
      for (const int share : {90, 95}) {
        const Finding* knee = found.find(fmt::format("copy/{}/model/{}/knee-{}", path, from, share));
        const Finding* most = found.find(fmt::format("copy/{}/model/{}/ceiling-sm", path, from));
        if (knee == nullptr || most == nullptr) continue;
        c.rows.push_back({{"from", spoken(from)},
                          {"path", path},
                          {"part", "knee"},
                          {"config", fmt::format("{} % of the model's ceiling", share)},
                          {"KiB", knee->value},
                          {"value", share / 100.0 * most->value * card.parts.front().provenance.sm_count}});
        if (share == 95)
          c.summary += fmt::format(
              "{} from {} comes to 95 % of its ceiling with {:.0f} KiB in flight per SM ({:.0f} to {:.0f}). ",
              path, spoken(from), knee->value, knee->low, knee->high);
      }
    if (const Finding* f = found.find(fmt::format("copy/ceilings/{}/read/chip/rate", from)))
      c.rows.push_back({{"from", spoken(from)},
                        {"path", "plain loads"},
                        {"part", "ceiling"},
                        {"config", "copy/ceilings"},
                        {"value", f->value},
                        {"low", f->low},
                        {"high", f->high}});
  }
  if (c.rows.empty()) {
    blocks.push_back(missing("Rate against bytes in flight", "copy/*"));
    return;
  }
  c.spec = rate_spec("GB/s", has_part(c, "ceiling"), has_part(c, "knee"));
  c.summary +=
      "Dots are configurations, lines the best of them, diamonds the knees of the fitted model at 90 and 95 "
      "%, dashes the ceiling of copy/ceilings.";
  blocks.push_back(block(c));
}

void add_latency(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "copy-latency",
          .title = "Latency of one wave against its bytes",
          .summary = {},
          .columns = kRateColumns,
          .spec = {},
          .how = how(card, {"copy/compare", "copy/ldgsts", "copy/tma"})};
  for (const Point& p : configurations(found, "wave", "latency-ns")) add_row(c, "point", p);
  add_envelope(found, "wave", c);
  if (c.rows.empty()) return;
  for (const char* from : {"dram", "l2"})
    for (const char* path : {"ldgsts", "tma"}) {
      const auto line = found.under(fmt::format("copy/compare/{}/wave/{}/", from, path));
      if (line.size() > 1)
        c.summary += fmt::format("{} from {}: {:.0f} ns for {} KiB, {:.0f} ns for {} KiB. ", path,
                                 spoken(from), line.front()->value, split(line.front()->name).back(),
                                 line.back()->value, split(line.back()->name).back());
    }
  c.spec = rate_spec("ns", false, false);
  c.summary += "Dots are configurations, lines the quickest of them.";
  blocks.push_back(block(c));
}

void add_crossovers(const Card& card, const Lookup& found, Json& blocks) {
  Json rows = Json::array();
  for (const char* from : {"dram", "l2"})
    for (const auto& [what, name] : {std::pair{"rate", "rate"}, {"wave", "latency"}})
      for (const Finding* f : found.under(fmt::format("copy/compare/{}/{}/crossing/", from, what))) {
        Json row{{"from", spoken(from)}, {"what", name}};
        put(row, *f);
        rows.push_back(std::move(row));
      }
  if (rows.empty()) return;
  blocks.push_back(table("crossovers", "Where cp.async and the copy engine change places",
                         {{"from", "from", ""},
                          {"what", "what", ""},
                          {"value", "in flight per SM", "KiB"},
                          {"low", "earliest occasion", "KiB"},
                          {"high", "latest occasion", "KiB"}},
                         rows));
  blocks.back()["how"] = how(card, {"copy/compare"});
}

void add_ladder(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "copy-ladder",
          .title = "One dependent access, level by level",
          .summary = {},
          .columns = {{"level", "level", ""},
                      {"way", "instruction", ""},
                      {"value", "latency", "cycles"},
                      {"low", "low", "cycles"},
                      {"high", "high", "cycles"}},
          .spec = R"json({
  "height": {"step": 24},
  "encoding": {"y": {"field": "level", "type": "nominal", "sort": {"field": "value", "op": "min"}, "title": null, "axis": {"grid": true}},
               "x": {"field": "value", "type": "quantitative", "title": "latency, cycles", "scale": {"type": "log"}},
               "color": {"field": "way", "type": "nominal", "title": null}},
  "layer": [
    {"mark": {"type": "point", "filled": true, "size": 70}, "encoding": {"shape": {"field": "way", "type": "nominal", "title": null},
      "tooltip": [{"field": "level"}, {"field": "way"}, {"field": "value", "title": "cycles", "format": ".1f"}]}}
  ]})json",
          .how = how(card, {"copy/ladder"})};
  for (const Finding* f : found.under("copy/ladder/")) {
    const auto parts = split(f->name);  // copy ladder LEVEL WAY latency
    if (parts.size() != 5 || parts.back() != "latency") continue;
    Json row{{"level", parts[2]}, {"way", parts[3]}};
    put(row, *f);
    c.summary +=
        fmt::format("{}{} by {} {:.0f}", c.summary.empty() ? "Cycles: " : "; ", parts[2], parts[3], f->value);
    c.rows.push_back(std::move(row));
  }
  if (!c.rows.empty()) blocks.push_back(block(c));
}

void add_ceilings(const Card& card, const Lookup& found, Json& blocks) {
  Json rows = Json::array();
  for (const Finding* f : found.under("copy/ceilings/")) {
    const auto parts = split(f->name);  // copy ceilings MEMORY OP SMS rate
    if (parts.size() != 6 || parts.back() != "rate") continue;
    const Finding* sm = found.find(f->name + "-sm");
    rows.push_back({{"memory", parts[2]},
                    {"op", parts[3]},
                    {"sms", parts[4] == "chip" ? "whole chip" : "one SM"},
                    {"value", f->value},
                    {"low", f->low},
                    {"high", f->high},
                    {"sm", sm == nullptr ? Json() : Json(sm->value)}});
  }
  if (rows.empty()) return;
  blocks.push_back(table("ceilings",
                         "The most that each memory gives and takes, reads of the whole chip by the best way",
                         {{"memory", "memory", ""},
                          {"op", "operation", ""},
                          {"sms", "by", ""},
                          {"value", "rate", "GB/s"},
                          {"low", "low", "GB/s"},
                          {"high", "high", "GB/s"},
                          {"sm", "per SM", "B/cycle"}},
                         rows));
  blocks.back()["how"] = how(card, {"copy/ceilings"});
}

}  // namespace

Section copy_section(const Card& card, const Lookup& found) {
  Section s{
      .id = "copy",
      .title = "Copies into an SM",
      .takeaway = "What cp.async, the copy engine and multicast bring in, and how much must be in flight."};
  const bool any = std::any_of(card.experiments.begin(), card.experiments.end(),
                               [](const Experiment& e) { return e.name.starts_with("copy/"); });
  if (!any) {
    s.blocks.push_back(missing("Copies from DRAM and L2", "copy/*"));
    return s;
  }
  const Finding* knee = found.find("copy/tma/model/dram/knee-95");
  const Finding* most = found.find("copy/ceilings/dram/read/chip/rate");
  if (knee != nullptr && most != nullptr)
    s.takeaway = fmt::format(
        "DRAM gives {} GB/s; {:.0f} KiB per SM in flight get 95 % of what the copy engine can "
        "have.",
        digits(most->value), knee->value);
  add_rates(card, found, s.blocks);
  add_latency(card, found, s.blocks);
  add_crossovers(card, found, s.blocks);
  add_multicast(card, found, s.blocks);
  add_ladder(card, found, s.blocks);
  add_ceilings(card, found, s.blocks);
  return s;
}

}  // namespace plumb::report::html
