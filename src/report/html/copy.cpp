// SPDX-License-Identifier: Apache-2.0
// The ways into an SM from DRAM and L2: rate and latency against bytes in flight, multicast, ceilings.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/html/copy_envelope.h"
#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

const char* const kRateSpec = R"json({
  "facet": {"field": "from", "type": "nominal", "title": null, "sort": ["dram", "l2"]},
  "spec": {
    "height": 230,
    "encoding": {
      "x": {"field": "KiB", "type": "quantitative", "scale": {"type": "log", "base": 2}, "title": "in flight per SM, KiB"},
      "y": {"field": "value", "type": "quantitative", "title": "UNIT"},
      "color": {"field": "path", "type": "nominal", "title": null}},
    "layer": [
      {"transform": [{"filter": "datum.part == 'ceiling'"}], "mark": {"type": "rule", "strokeDash": [5, 3], "opacity": 0.7, "color": "gray"},
       "encoding": {"x": null, "color": null}},
      {"transform": [{"filter": "datum.part == 'point'"}], "mark": {"type": "point", "filled": true, "size": 18, "opacity": 0.3},
       "encoding": {"shape": {"field": "path", "type": "nominal", "title": null},
         "tooltip": [{"field": "path"}, {"field": "config"}, {"field": "KiB"}, {"field": "value", "title": "UNIT", "format": ".4~g"}]}},
      {"transform": [{"filter": "datum.part == 'envelope'"}], "mark": {"type": "line", "strokeWidth": 2.2}},
      {"transform": [{"filter": "datum.part == 'knee'"}], "mark": {"type": "point", "shape": "diamond", "size": 130, "strokeWidth": 2, "filled": false},
       "encoding": {"tooltip": [{"field": "path"}, {"field": "config"}, {"field": "KiB", "format": ".3~g"}, {"field": "value", "format": ".4~g"}]}}
    ]},
  "resolve": {"scale": {"y": "independent"}}})json";

std::string with_unit(std::string spec, std::string_view unit) {
  for (std::size_t at = spec.find("UNIT"); at != std::string::npos; at = spec.find("UNIT")) spec.replace(at, 4, unit);
  return spec;
}

const std::vector<Column> kRateColumns{{"from", "from", ""}, {"path", "path", ""}, {"part", "what", ""}, {"config", "configuration", ""},
                                       {"KiB", "in flight per SM", "KiB"}, {"value", "value", ""}, {"low", "low", ""}, {"high", "high", ""}};

void add_rates(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "copy-rate", .title = "Rate against bytes in flight, cp.async (LDGSTS) and the copy engine (TMA)", .summary = {},
          .columns = kRateColumns, .spec = with_unit(kRateSpec, "GB/s"), .how = how(card, {"copy/compare", "copy/ceilings"})};
  for (const char* from : {"dram", "l2"}) {
    for (const char* path : {"ldgsts", "tma"}) {
      const Envelope e = envelope_of(found, "rate", from, path, "rate", true);
      for (const CopyPoint& p : e.points)
        c.rows.push_back({{"from", from}, {"path", path}, {"part", "point"}, {"config", p.config}, {"KiB", p.kib}, {"value", p.value}, {"low", p.low}, {"high", p.high}});
      for (const CopyPoint& p : e.best)
        c.rows.push_back({{"from", from}, {"path", path}, {"part", "envelope"}, {"config", p.config}, {"KiB", p.kib}, {"value", p.value}, {"low", p.low}, {"high", p.high}});
      for (const double share : {0.90, 0.95})
        if (const auto knee = knee_of(e, share)) {
          c.rows.push_back({{"from", from}, {"path", path}, {"part", "knee"}, {"config", fmt::format("{:.0f} % of its most", 100 * share)},
                            {"KiB", knee->kib}, {"value", knee->value}});
          if (share == 0.95)
            c.summary += fmt::format("{} from {} reaches 95 % of its {} GB/s with {:.0f} KiB in flight per SM. ", path, from == std::string("dram") ? "DRAM" : "L2",
                                     digits(e.most), knee->kib);
        }
    }
    if (const Finding* f = found.find(fmt::format("copy/ceilings/{}/read/chip/rate", from)))
      c.rows.push_back({{"from", from}, {"path", "plain loads"}, {"part", "ceiling"}, {"config", "copy/ceilings"}, {"value", f->value}, {"low", f->low}, {"high", f->high}});
  }
  if (c.rows.empty()) {
    blocks.push_back(missing("Rate against bytes in flight", "copy/compare"));
    return;
  }
  c.summary += "Dots are configurations, lines the best of them, diamonds 90 and 95 % of a path's most, dashes what plain loads read.";
  blocks.push_back(block(c));
}

void add_latency(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "copy-latency", .title = "Latency of one wave against its bytes", .summary = {},
          .columns = kRateColumns, .spec = with_unit(kRateSpec, "ns"), .how = how(card, {"copy/compare"})};
  for (const char* from : {"dram", "l2"})
    for (const char* path : {"ldgsts", "tma"}) {
      const Envelope e = envelope_of(found, "wave", from, path, "latency-ns", false);
      for (const CopyPoint& p : e.points)
        c.rows.push_back({{"from", from}, {"path", path}, {"part", "point"}, {"config", p.config}, {"KiB", p.kib}, {"value", p.value}, {"low", p.low}, {"high", p.high}});
      for (const CopyPoint& p : e.best)
        c.rows.push_back({{"from", from}, {"path", path}, {"part", "envelope"}, {"config", p.config}, {"KiB", p.kib}, {"value", p.value}, {"low", p.low}, {"high", p.high}});
      if (!e.best.empty())
        c.summary += fmt::format("{} from {}: {:.0f} ns for {:g} KiB, {:.0f} ns for {:g} KiB. ", path, from == std::string("dram") ? "DRAM" : "L2",
                                 e.best.front().value, e.best.front().kib, e.best.back().value, e.best.back().kib);
    }
  if (!c.rows.empty()) blocks.push_back(block(c));
}

void add_crossovers(const Lookup& found, Json& blocks) {
  Json rows = Json::array();
  for (const char* from : {"dram", "l2"})
    for (const auto& [what, finding, high] : {std::tuple{"rate", "rate", true}, {"wave", "latency-ns", false}})
      for (const Crossover& x : crossovers(envelope_of(found, what, from, "ldgsts", finding, high), envelope_of(found, what, from, "tma", finding, high)))
        rows.push_back({{"from", from}, {"what", high ? "rate" : "latency"}, {"low", x.low}, {"high", x.high},
                        {"then", x.first_leads == high ? "ldgsts" : "tma"}});
  if (rows.empty()) return;
  blocks.push_back(table("crossovers", "Where the better path changes",
                         {{"from", "from", ""}, {"what", "what", ""}, {"low", "between", "KiB"}, {"high", "and", "KiB"}, {"then", "better from there on", ""}}, rows));
}

void add_multicast(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "copy-multicast", .title = "Filling shared memory where a cluster wants the same tile", .summary = {},
          .columns = {{"from", "from", ""}, {"sharing", "how it is shared", ""}, {"cluster", "CTAs of a cluster", ""}, {"box", "tile", ""},
                      {"value", "fill rate of an SM", "B/cycle"}, {"low", "low", "B/cycle"}, {"high", "high", "B/cycle"}},
          .spec = R"json({
  "facet": {"row": {"field": "from", "type": "nominal", "title": null}, "column": {"field": "box", "type": "nominal", "title": null}},
  "spec": {
    "height": 170,
    "encoding": {"x": {"field": "cluster", "type": "ordinal", "title": "CTAs of a cluster", "axis": {"labelAngle": 0}},
                 "y": {"field": "value", "type": "quantitative", "title": "fill, B/cycle and SM"},
                 "color": {"field": "sharing", "type": "nominal", "title": null}},
    "layer": [{"mark": {"type": "line"}},
      {"mark": {"type": "point", "filled": true, "size": 50}, "encoding": {"shape": {"field": "sharing", "type": "nominal", "title": null},
        "tooltip": [{"field": "sharing"}, {"field": "cluster"}, {"field": "box"}, {"field": "value", "format": ".1f"}]}}]}})json",
          .how = how(card, {"copy/multicast"})};
  double most = 0;
  std::string which;
  for (const Finding* f : found.under("copy/multicast/")) {
    const auto parts = split(f->name);  // copy multicast FROM SHARING CLUSTER BOX STAGES rate-sm
    if (parts.size() != 8 || parts.back() != "rate-sm") continue;
    Json row{{"from", parts[2]}, {"sharing", parts[3]}, {"cluster", number_in(parts[4])}, {"box", parts[5]}};
    put(row, *f);
    c.rows.push_back(std::move(row));
    if (f->value > most) most = f->value, which = fmt::format("{}, cluster of {}, {}", parts[3], parts[4], parts[2]);
  }
  if (c.rows.empty()) return;
  c.summary = fmt::format("The fastest fill is {:.1f} B/cycle and SM ({}).", most, which);
  blocks.push_back(block(c));
}

void add_ladder(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "copy-ladder", .title = "One dependent access, level by level", .summary = {},
          .columns = {{"level", "level", ""}, {"way", "instruction", ""}, {"value", "latency", "cycles"}, {"low", "low", "cycles"}, {"high", "high", "cycles"}},
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
    c.summary += fmt::format("{}{} by {} {:.0f}", c.summary.empty() ? "Cycles: " : "; ", parts[2], parts[3], f->value);
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
    rows.push_back({{"memory", parts[2]}, {"op", parts[3]}, {"sms", parts[4] == "chip" ? "whole chip" : "one SM"}, {"value", f->value},
                    {"low", f->low}, {"high", f->high}, {"sm", sm == nullptr ? Json() : Json(sm->value)}});
  }
  if (rows.empty()) return;
  blocks.push_back(table("ceilings", "The most that each memory gives and takes, by plain loads and stores",
                         {{"memory", "memory", ""}, {"op", "operation", ""}, {"sms", "by", ""}, {"value", "rate", "GB/s"}, {"low", "low", "GB/s"},
                          {"high", "high", "GB/s"}, {"sm", "per SM", "B/cycle"}}, rows));
  blocks.back()["how"] = how(card, {"copy/ceilings"});
}

}  // namespace

Section copy_section(const Card& card, const Lookup& found) {
  Section s{.id = "copy", .title = "Copies into an SM", .takeaway = "What cp.async, the copy engine and multicast bring in, and how much must be in flight."};
  const bool any = std::any_of(card.experiments.begin(), card.experiments.end(), [](const Experiment& e) { return e.name.starts_with("copy/"); });
  if (!any) {
    s.blocks.push_back(missing("Copies from DRAM and L2", "copy/*"));
    return s;
  }
  const Envelope dram = envelope_of(found, "rate", "dram", "tma", "rate", true);
  if (const auto knee = knee_of(dram, 0.95))
    s.takeaway = fmt::format("DRAM gives {} GB/s; about {:.0f} KiB per SM must be in flight to get 95 % of that.", digits(dram.most), knee->kib);
  add_rates(card, found, s.blocks);
  add_latency(card, found, s.blocks);
  add_crossovers(found, s.blocks);
  add_multicast(card, found, s.blocks);
  add_ladder(card, found, s.blocks);
  add_ceilings(card, found, s.blocks);
  return s;
}

}  // namespace plumb::report::html
