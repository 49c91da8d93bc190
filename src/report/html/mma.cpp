// SPDX-License-Identifier: Apache-2.0
// Tensor cores: what each format reaches, where shared memory limits, how many must be in flight.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

/// mma EXPERIMENT FAMILY FORMAT OPERANDS [LAYOUT] mM nN Gg fF [DATA] WHAT, by what stands in the names.
struct Name {
  std::string family, format, operands, layout, what;
  int m = 0, n = 0, groups = 0, flight = 0;
};

Name read(const std::string& name) {
  const auto parts = split(name);
  Name out;
  if (parts.size() < 6) return out;
  out.family = parts[2];
  out.format = parts[3];
  out.operands = parts[4];
  out.what = parts.back();
  const auto number = [](const std::string& s, std::size_t from) {
    return static_cast<int>(number_in(std::string_view(s).substr(from)));
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 5; i + 1 < parts.size(); ++i) {
    const std::string& p = parts[i];
    if (p.size() > 1 && digit(p[1]) && p[0] == 'm')
      out.m = number(p, 1);
    else if (p.size() > 1 && digit(p[1]) && p[0] == 'n')
      out.n = number(p, 1);
    else if (p.size() > 1 && digit(p[1]) && p[0] == 'f')
      out.flight = number(p, 1);
    else if (p.size() > 1 && digit(p[0]) && p.back() == 'g')
      out.groups = number(p, 0);
    else
      out.layout = p;
  }
  return out;
}

std::string upper(std::string s) {
  for (char& c : s)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return s;
}

void add_formats(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "mma-formats",
          .title = "The best of each format, against the peak of one SM",
          .summary = {},
          .columns = {{"format", "inputs, accumulator", ""},
                      {"family", "instruction", ""},
                      {"best", "best shape", ""},
                      {"value", "rate", "FLOP/cycle/SM"},
                      {"low", "low", "FLOP/cycle/SM"},
                      {"high", "high", "FLOP/cycle/SM"},
                      {"peak", "share of the peak", "%"},
                      {"full", "peak", "FLOP/cycle/SM"}},
          .spec = R"json({
  "height": {"step": 24},
  "encoding": {"y": {"field": "label", "type": "nominal", "sort": null, "title": null, "axis": {"labelLimit": 220}}},
  "transform": [{"calculate": "datum.format + ', ' + datum.family", "as": "label"}],
  "layer": [
    {"mark": {"type": "bar", "opacity": 0.18, "color": "gray", "height": 18}, "encoding": {"x": {"field": "full", "type": "quantitative", "title": "FLOP/cycle/SM"}}},
    {"mark": {"type": "bar", "height": 9}, "encoding": {"x": {"field": "value", "type": "quantitative"}, "color": {"field": "family", "type": "nominal", "title": null},
       "tooltip": [{"field": "format"}, {"field": "family"}, {"field": "best"}, {"field": "value", "format": ",.0f"}, {"field": "peak", "format": ".1f"}]}},
    {"mark": {"type": "text", "align": "left", "dx": 4}, "encoding": {"x": {"field": "value", "type": "quantitative"}, "text": {"field": "peak", "type": "quantitative", "format": ".1f"}}}
  ]})json",
          .how = how(card, {"mma/throughput"})};
  std::map<std::pair<std::string, std::string>, const Finding*> best;
  for (const Finding* f : found.under("mma/throughput/")) {
    const Name n = read(f->name);
    if (n.what != "rate") continue;
    const std::string format = n.layout == "sparse" ? n.format + " sparse" : n.format;
    const auto [it, is_new] = best.try_emplace({n.family, format}, f);
    if (!is_new && f->value > it->second->value) it->second = f;
  }
  for (const auto& [key, f] : best) {
    const Finding* peak = found.find(f->name.substr(0, f->name.size() - 4) + "peak");
    if (peak == nullptr || peak->value <= 0) continue;
    const Name n = read(f->name);
    Json row{{"format", key.second},
             {"family", key.first},
             {"best", fmt::format("m{}n{} {}, {} groups", n.m, n.n, upper(n.operands), n.groups)}};
    put(row, *f);
    row["peak"] = peak->value;
    row["full"] = 100 * f->value / peak->value;
    c.rows.push_back(std::move(row));
    if (key.first != "mma.sync" && key.second.find("sparse") == std::string::npos)
      c.summary += fmt::format("{}{} {:.1f} %", c.summary.empty() ? "Shares of the peak: " : "; ", key.second,
                               peak->value);
  }
  if (c.rows.empty()) {
    blocks.push_back(missing("What each format reaches", "mma/throughput"));
    return;
  }
  blocks.push_back(block(c));
}

void add_shape(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "mma-shape",
          .title = "Share of the peak over N, with A in shared memory (SS) and without",
          .summary = {},
          .columns = {{"series", "series", ""},
                      {"family", "instruction", ""},
                      {"n", "N", "columns"},
                      {"value", "share of the peak", "%"},
                      {"low", "low", "%"},
                      {"high", "high", "%"}},
          .spec = R"json({
  "height": 240,
  "encoding": {"x": {"field": "n", "type": "quantitative", "title": "N, columns"},
               "y": {"field": "value", "type": "quantitative", "title": "share of the peak, %", "scale": {"domain": [0, 105]}},
               "color": {"field": "series", "type": "nominal", "title": null}},
  "layer": [
    {"mark": {"type": "rule", "strokeDash": [4, 3], "color": "gray"}, "encoding": {"y": {"datum": 100}, "x": null, "color": null}},
    {"mark": {"type": "line"}},
    {"mark": {"type": "point", "filled": true, "size": 26}, "encoding": {"shape": {"field": "series", "type": "nominal", "title": null},
       "tooltip": [{"field": "series"}, {"field": "n"}, {"field": "value", "title": "%", "format": ".1f"}]}}
  ]})json",
          .how = how(card, {"mma/shape"})};
  Chart r{.id = "mma-roofline",
          .title = "Shared-memory roofline: rate against FLOP per byte read from shared memory",
          .summary = {},
          .columns = {{"series", "series", ""},
                      {"n", "N", "columns"},
                      {"intensity", "intensity", "FLOP/B"},
                      {"value", "rate", "FLOP/cycle/SM"}},
          .spec = R"json({
  "height": 260,
  "encoding": {"x": {"field": "intensity", "type": "quantitative", "scale": {"type": "log", "base": 2}, "title": "FLOP per byte of shared memory"},
               "y": {"field": "value", "type": "quantitative", "scale": {"type": "log", "base": 2}, "title": "FLOP/cycle/SM"}},
  "layer": [
    {"transform": [{"filter": "datum.series == 'roof'"}], "mark": {"type": "line", "color": "gray", "strokeDash": [5, 3]}},
    {"transform": [{"filter": "datum.series != 'roof'"}], "mark": {"type": "point", "filled": true, "size": 36},
     "encoding": {"color": {"field": "series", "type": "nominal", "title": null}, "shape": {"field": "series", "type": "nominal", "title": null},
       "tooltip": [{"field": "series"}, {"field": "n"}, {"field": "intensity", "format": ".1f"}, {"field": "value", "format": ",.0f"}]}}
  ]})json",
          .how = how(card, {"mma/shape"})};
  double least = 1e9;
  double peak = 0;
  for (const Finding* f : found.under("mma/shape/")) {
    const Name n = read(f->name);
    if (n.what != "peak" || n.n == 0) continue;
    const std::string series = fmt::format("{} m{} {}, {}", n.family, n.m, upper(n.operands),
                                           n.groups == 1 ? "1 group" : fmt::format("{} groups", n.groups));
    Json row{{"series", series}, {"family", n.family}, {"n", n.n}};
    put(row, *f);
    c.rows.push_back(std::move(row));
    const std::string stem = f->name.substr(0, f->name.size() - 4);
    const Finding* rate = found.find(stem + "rate");
    const Finding* shared = found.find(stem + "shared-memory");
    if (rate == nullptr || shared == nullptr || shared->value <= 0) continue;
    const double intensity = rate->value / shared->value;
    r.rows.push_back({{"series", series}, {"n", n.n}, {"intensity", intensity}, {"value", rate->value}});
    least = std::min(least, intensity);
    peak = std::max(peak, 100 * rate->value / f->value);
  }
  if (c.rows.empty()) return;
  for (const Finding* f : found.under("mma/shape/")) {
    const auto parts = split(f->name);  // mma shape FAMILY OPERANDS mM Gg ridge
    if (parts.size() == 7 && parts.back() == "ridge")
      c.summary += fmt::format("{} {} with {} warpgroups: 99 % of the peak from N = {:.0f} on. ", parts[2],
                               upper(parts[3]), parts[5].substr(0, parts[5].size() - 1), f->value);
  }
  blocks.push_back(block(c));
  if (r.rows.empty()) return;
  constexpr double kSharedMemory = 128;  // B/cycle
  r.rows.push_back({{"series", "roof"}, {"intensity", least}, {"value", kSharedMemory * least}});
  r.rows.push_back({{"series", "roof"}, {"intensity", peak / kSharedMemory}, {"value", peak}});
  r.rows.push_back({{"series", "roof"}, {"intensity", 8 * peak / kSharedMemory}, {"value", peak}});
  r.summary = fmt::format(
      "Below {:.0f} FLOP a byte the 128 B/cycle of shared memory limit, above it the {:.0f} FLOP/cycle of "
      "the tensor cores.",
      peak / kSharedMemory, peak);
  blocks.push_back(block(r));
}

void add_in_flight(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "mma-in-flight",
          .title = "Cycles of one instruction against the number in flight",
          .summary = {},
          .columns = {{"series", "series", ""},
                      {"groups", "warpgroups", ""},
                      {"depth", "in flight", ""},
                      {"value", "cycles of one", "cycles"},
                      {"low", "low", "cycles"},
                      {"high", "high", "cycles"}},
          .spec = R"json({
  "height": 240,
  "encoding": {"x": {"field": "depth", "type": "quantitative", "scale": {"type": "log", "base": 2}, "title": "in flight for each group"},
               "y": {"field": "value", "type": "quantitative", "scale": {"type": "log", "base": 2}, "title": "cycles of one instruction"},
               "color": {"field": "series", "type": "nominal", "title": null, "legend": {"columns": 3, "labelLimit": 200}},
               "strokeDash": {"field": "groups", "type": "nominal", "title": "warpgroups"}},
  "layer": [{"mark": {"type": "line"}},
    {"mark": {"type": "point", "filled": true, "size": 26}, "encoding": {"strokeDash": {"value": [1, 0]},
      "tooltip": [{"field": "series"}, {"field": "groups"}, {"field": "depth"}, {"field": "value", "title": "cycles", "format": ".1f"}]}}
  ]})json",
          .how = how(card, {"mma/in-flight"})};
  for (const Finding* f : found.under("mma/in-flight/")) {
    const Name n = read(f->name);
    if (n.what != "cycles" || n.flight == 0) continue;
    Json row{{"series", fmt::format("{} n{} {}", n.format, n.n, upper(n.operands))},
             {"groups", fmt::format("{}", n.groups)},
             {"depth", n.flight}};
    put(row, *f);
    c.rows.push_back(std::move(row));
  }
  if (c.rows.empty()) return;
  c.summary = "For one group, cycles = interval + overhead / depth; two groups hide each other's overhead.";
  blocks.push_back(block(c));
}

}  // namespace

Section mma_section(const Card& card, const Lookup& found) {
  Section s{.id = "mma",
            .title = "Tensor cores",
            .takeaway = "What each format reaches, and what it needs for that."};
  const bool any = std::any_of(card.experiments.begin(), card.experiments.end(),
                               [](const Experiment& e) { return e.name.starts_with("mma/"); });
  if (!any) {
    s.blocks.push_back(missing("Tensor cores", "mma/*"));
    return s;
  }
  if (const Finding* ss = found.find("mma/shape/wgmma/ss/m64/2g/ridge"))
    s.takeaway = fmt::format(
        "With A and B in shared memory wgmma is limited by it up to N = {:.0f}; from there on the tensor "
        "cores are busy.",
        ss->value - 8);
  add_formats(card, found, s.blocks);
  add_shape(card, found, s.blocks);
  add_in_flight(card, found, s.blocks);
  return s;
}

}  // namespace plumb::report::html
