// SPDX-License-Identifier: Apache-2.0
// What one step from SM to SM takes, by pair, by leg, by way of handing over; cluster barriers.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dsm/latency_findings.h"
#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

/// The text after `what` in the notes of a finding; empty where there is none.
std::string noted(const Finding& f, std::string_view what) {
  for (const std::string& note : f.notes)
    if (note.starts_with(what)) return note.substr(what.size());
  return {};
}

void add_matrix(const Card& card, const Lookup& found, Json& blocks) {
  const auto* measurements = card.of("dsm/latency");
  if (measurements == nullptr) return;
  std::map<int, int> gpc;
  for (const Finding* f : found.under("dsm/latency/load/leg/"))
    gpc[static_cast<int>(number_in(split(f->name).back()))] = static_cast<int>(number_in(noted(*f, "GPC ")));
  Chart c{.id = "dsm-latency-matrix",
          .title = "One dependent load, from each SM to each other of its GPC",
          .summary = {},
          .columns = {{"gpc", "GPC", ""},
                      {"from", "from SM", ""},
                      {"to", "to SM", ""},
                      {"cycles", "latency", "cycles"}},
          .spec = R"json({
  "params": [{"name": "gpc", "value": 0, "bind": {"input": "range", "min": 0, "max": 7, "step": 1, "name": "GPC "}}],
  "transform": [{"filter": "datum.gpc == gpc && datum.from != datum.to"}],
  "height": 330,
  "mark": "rect",
  "encoding": {
    "x": {"field": "to", "type": "ordinal", "title": "to SM"},
    "y": {"field": "from", "type": "ordinal", "title": "from SM"},
    "color": {"field": "cycles", "type": "quantitative", "scale": {"scheme": "cividis", "zero": false}},
    "tooltip": [{"field": "from"}, {"field": "to"}, {"field": "cycles", "format": ".1f"}]}})json",
          .how = how(card, {"dsm/latency"})};
  int last = 0;
  for (const Measurement& m : *measurements) {
    if (axis(m.point, "op") != "load") continue;
    for (const dsm::PairLatency& p : dsm::pair_latencies(m)) {
      const auto at = gpc.find(p.from);
      if (at == gpc.end()) continue;
      last = std::max(last, at->second);
      c.rows.push_back({{"gpc", at->second}, {"from", p.from}, {"to", p.to}, {"cycles", p.cycles}});
    }
  }
  if (c.rows.empty()) return;
  c.spec.replace(c.spec.find("\"max\": 7"), 8, fmt::format("\"max\": {}", std::max(last, 1)));
  const Finding* least = found.find("dsm/latency/load/min");
  const Finding* middle = found.find("dsm/latency/load/median");
  const Finding* most = found.find("dsm/latency/load/max");
  if (least != nullptr && middle != nullptr && most != nullptr)
    c.summary = fmt::format(
        "Of {} ordered pairs in {} GPCs the fastest takes {:.0f} cycles, the median {:.0f}, the slowest "
        "{:.0f}. "
        "Choose a GPC with the slider.",
        c.rows.size(), last + 1, least->value, middle->value, most->value);
  blocks.push_back(block(c));
}

void add_legs(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "dsm-legs",
          .title = "Each SM's leg: what it adds to every transfer that starts or ends there",
          .summary = {},
          .columns = {{"sm", "SM", ""},
                      {"gpc", "GPC", ""},
                      {"value", "leg", "cycles"},
                      {"low", "low", "cycles"},
                      {"high", "high", "cycles"}},
          .spec = R"json({
  "height": {"step": 24},
  "encoding": {"y": {"field": "gpc", "type": "ordinal", "title": "GPC with clusters of 16", "axis": {"grid": true}},
               "x": {"field": "value", "type": "quantitative", "title": "leg, cycles", "scale": {"zero": false}}},
  "layer": [
    {"mark": {"type": "tick", "thickness": 2, "bandSize": 14}, "encoding": {
       "tooltip": [{"field": "sm", "title": "SM"}, {"field": "gpc", "title": "GPC"}, {"field": "value", "title": "cycles", "format": ".2f"}]}}
  ]})json",
          .how = how(card, {"dsm/latency"})};
  double least = 1e9;
  double most = 0;
  for (const Finding* f : found.under("dsm/latency/load/leg/")) {
    Json row{{"sm", number_in(split(f->name).back())}, {"gpc", number_in(noted(*f, "GPC "))}};
    put(row, *f);
    c.rows.push_back(std::move(row));
    least = std::min(least, f->value);
    most = std::max(most, f->value);
  }
  if (c.rows.empty()) return;
  c.summary = fmt::format(
      "The time of a pair is the sum of two legs of {:.0f} to {:.0f} cycles; the network between adds "
      "nothing of its own.",
      least, most);
  if (const Finding* rms = found.find("dsm/latency/load/residual-rms"))
    c.summary +=
        rms->value < 0.01
            ? " Over all pairs that leaves less than 0.01 cycles unexplained (RMS)."
            : fmt::format(" Over all pairs that leaves {:.2f} cycles unexplained (RMS).", rms->value);
  blocks.push_back(block(c));
}

void add_handoffs(const Card& card, const Lookup& found, Json& blocks) {
  static const std::vector<std::pair<std::string, std::string>> kShown{
      {"load", "load of 4 bytes"},
      {"atom", "atomic with result"},
      {"st-async", "st.async, seen"},
      {"st-async-wait", "st.async, mbarrier waited for"},
      {"store", "plain store, seen"},
      {"red", "red, seen"},
      {"put", "bulk copy, seen"},
      {"put-wait", "bulk copy, mbarrier waited for"},
      {"arrive", "remote mbarrier arrive"},
      {"store-release", "store.release, acquired"},
      {"l2-store", "through L2: store, seen"},
      {"l2-release", "through L2: release, acquired"},
      {"l2-atom", "through L2: atomic"}};
  Chart c{.id = "dsm-handoff",
          .title = "Handing one word to another SM, by instruction",
          .summary = {},
          .columns = {{"what", "hand-off", ""},
                      {"median", "median of pairs", "cycles"},
                      {"least", "fastest pair", "cycles"},
                      {"most", "slowest pair", "cycles"}},
          .spec = R"json({
  "height": {"step": 22},
  "encoding": {"y": {"field": "what", "type": "nominal", "sort": null, "title": null, "axis": {"labelLimit": 230, "grid": true}}},
  "layer": [
    {"mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.5}, "encoding": {
       "x": {"field": "least", "type": "quantitative", "title": "one way, cycles"}, "x2": {"field": "most"}}},
    {"mark": {"type": "point", "filled": true, "size": 70}, "encoding": {"x": {"field": "median", "type": "quantitative"},
       "tooltip": [{"field": "what"}, {"field": "median", "format": ".1f"}, {"field": "least", "format": ".1f"}, {"field": "most", "format": ".1f"}]}}
  ]})json",
          .how = how(card, {"dsm/latency"})};
  for (const auto& [op, what] : kShown) {
    const std::string at = fmt::format("dsm/latency/{}/", op);
    const Finding* middle = found.find(at + "median");
    const Finding* least = found.find(at + "min");
    const Finding* most = found.find(at + "max");
    if (middle == nullptr || least == nullptr || most == nullptr) continue;
    c.rows.push_back(
        {{"what", what}, {"median", middle->value}, {"least", least->value}, {"most", most->value}});
  }
  if (c.rows.empty()) return;
  c.summary = "Dots are the median of all ordered pairs, lines reach from the fastest pair to the slowest.";
  if (const Finding* x = found.find("dsm/latency/l2-over-dsm"))
    c.summary +=
        fmt::format(" A word through L2 takes {:.1f} times as long as through shared memory.", x->value);
  blocks.push_back(block(c));
}

void add_sync(const Card& card, const Lookup& found, Json& blocks) {
  Chart c{.id = "dsm-sync",
          .title = "What one cluster barrier costs",
          .summary = {},
          .columns = {{"kind", "barrier", ""},
                      {"threads", "threads of a CTA", ""},
                      {"ranks", "SMs", ""},
                      {"value", "time", "cycles"},
                      {"low", "low", "cycles"},
                      {"high", "high", "cycles"}},
          .spec = R"json({
  "height": 200,
  "encoding": {"x": {"field": "ranks", "type": "quantitative", "title": "SMs in the cluster", "axis": {"format": "d", "tickMinStep": 1}},
               "y": {"field": "value", "type": "quantitative", "title": "time, cycles"},
               "color": {"field": "kind", "type": "nominal", "title": null}, "shape": {"field": "threads", "type": "nominal", "title": "threads of a CTA"}},
  "layer": [
    {"mark": {"type": "line", "opacity": 0.5}, "encoding": {"detail": {"field": "threads"}}},
    {"mark": {"type": "point", "filled": true, "size": 40}, "encoding": {
       "tooltip": [{"field": "kind"}, {"field": "threads"}, {"field": "ranks"}, {"field": "value", "title": "cycles", "format": ".1f"}]}}
  ]})json",
          .how = how(card, {"dsm/latency"})};
  for (const auto& [name, kind] :
       {std::pair{"sync", "with release and acquire"}, {"sync-relaxed", "relaxed"}})
    for (const Finding* f : found.under(fmt::format("dsm/latency/{}/", name))) {
      const auto parts = split(f->name);
      if (parts.size() != 5) continue;
      Json row{{"kind", kind}, {"threads", parts[3]}, {"ranks", number_in(parts[4])}};
      put(row, *f);
      c.rows.push_back(std::move(row));
    }
  if (c.rows.empty()) return;
  const Finding* full = found.find("dsm/latency/sync/1024/16");
  const Finding* relaxed = found.find("dsm/latency/sync-relaxed/1024/16");
  c.summary = "The order of memory costs more than the meeting.";
  if (full != nullptr && relaxed != nullptr)
    c.summary += fmt::format(
        " With 1,024 threads on each of 16 SMs a barrier takes {:.0f} cycles, a relaxed one {:.0f}.",
        full->value, relaxed->value);
  blocks.push_back(block(c));
}

}  // namespace

void add_dsm_latency(const Card& card, const Lookup& found, Json& blocks) {
  if (!card.has("dsm/latency")) {
    blocks.push_back(missing("Latencies of every pair", "dsm/latency"));
    return;
  }
  add_matrix(card, found, blocks);
  add_legs(card, found, blocks);
  add_handoffs(card, found, blocks);
  add_sync(card, found, blocks);
}

}  // namespace plumb::report::html
