// SPDX-License-Identifier: Apache-2.0
// Measured beside predicted, one row for each finding that a model speaks of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "copy/models.h"
#include "dsm/predictions.h"
#include "mma/cases.h"
#include "model/cluster_fit.h"
#include "model/mma.h"
#include "report/html/sections.h"
#include "stats/describe.h"

namespace plumb::report::html {
namespace {

struct Pair {
  std::string model, name, unit;
  double measured = 0.0;
  double predicted = 0.0;

  [[nodiscard]] double deviation() const { return 100 * (predicted / measured - 1); }
};

/// The rule of cluster_fit on the map of this card, against what launches held.
void add_fits(const Card& card, const Lookup& found, std::vector<Pair>& out) {
  if (!card.map) return;
  std::vector<int> groups(static_cast<std::size_t>(card.map->gpcs), 0);
  for (const topology::Seat& s : card.map->tpcs)
    if (s.lone || s.gpc < 0)
      groups.push_back(static_cast<int>(s.sms.size()));
    else
      groups[static_cast<std::size_t>(s.gpc)] += static_cast<int>(s.sms.size());
  for (const Finding* f : found.under("topology/fit/")) {
    const auto parts = split(f->name);  // topology fit P-an-sm RANKS clusters
    if (parts.size() != 5 || parts.back() != "clusters" || f->value <= 0) continue;
    const auto fit = model::fit_clusters(groups, static_cast<int>(number_in(parts[2])),
                                         static_cast<int>(number_in(parts[3])));
    out.push_back({"clusters that fit", f->name, f->unit, f->value, static_cast<double>(fit.clusters)});
  }
}

/// The closed forms of DSM, whole cases alone: a flow of many is told by its case.
void add_closed_forms(const Card& card, const Lookup& found, std::vector<Pair>& out) {
  const model::Places places = dsm::places_of(card.findings);
  for (const Experiment& e : card.experiments) {
    if (!e.name.starts_with("dsm/")) continue;
    std::vector<Finding> some;
    for (const Finding* f : found.under(e.name + "/"))
      if (!names_a_flow(f->name)) some.push_back(*f);
    for (const dsm::Prediction& p : dsm::predictions(some, *card.of(e.name), places))
      if (p.expected && p.measured.value > 0 && p.measured.unit != "GB/s" && p.measured.unit != "ns")
        out.push_back(
            {"closed forms of DSM", p.measured.name, p.measured.unit, p.measured.value, p.expected->value});
  }
}

/// The fitted model of each path, whose parameters are findings, at the cases that it was fitted to.
void add_copies(const Card& card, std::vector<Pair>& out) {
  for (const auto& [experiment, path] :
       {std::pair{"copy/ldgsts", CopyPath::ldgsts}, std::pair{"copy/tma", CopyPath::tma}}) {
    const std::vector<Measurement>* cases = card.of(experiment);
    if (cases == nullptr) continue;
    for (const Memory from : {Memory::dram, Memory::l2})
      for (const Layout layout : {Layout::dense, Layout::paged}) {
        const copy::Selection which{path, from, layout};
        const auto path_model = copy::fitted(card.findings, experiment, which);
        if (!path_model) continue;
        for (const Measurement& m : *cases)
          if (const auto r = copy::rated(m, which))
            out.push_back({"copies in flight", id_of(m.point), "GB/s per SM", r->rate,
                           model::rate(*path_model, r->flight)});
      }
  }
}

/// The closed form of wgmma, with the parameters that stand in machines/h200.toml.
void add_tensor_cores(const Card& card, std::vector<Pair>& out) {
  const model::TensorCores hopper;
  for (const char* experiment : {"mma/throughput", "mma/shape", "mma/in-flight", "mma/latency"}) {
    const std::vector<Measurement>* cases = card.of(experiment);
    if (cases == nullptr) continue;
    for (const Measurement& m : *cases) {
      const Mma& work = mma::mma_of(m);
      const std::vector<double> cycles = mma::cycles_of(m);
      if (work.family != MmaFamily::wgmma || cycles.empty()) continue;
      const bool alone = std::string_view(experiment) == "mma/latency";
      const double predicted =
          alone ? model::latency_of(work, hopper) : model::batch_cycles(work, hopper) * work.batches;
      out.push_back({"tensor cores", id_of(m.point), "cycles", stats::median(cycles), predicted});
    }
  }
}

/// A simulated run of the same experiments: rates of whole cases and times, as `plumb analyze --beside` has
/// them.
void add_simulated(const Lookup& found, const Card& simulated, std::vector<Pair>& out) {
  const Lookup predicted(simulated.findings);
  for (const Finding& f : simulated.findings) {
    const Finding* measured = found.find(f.name);
    const bool shown = f.unit == "B/cycle" || f.unit == "cycles";
    if (measured == nullptr || predicted.find(f.name) != &f || !shown || measured->value <= 0 || f.value <= 0)
      continue;
    if (measured->estimator != f.estimator || f.name.ends_with("/intercept")) continue;
    out.push_back({"fabric simulator", f.name, f.unit, measured->value, f.value});
  }
}

}  // namespace

Section model_section(const Card& card, const Lookup& found, std::span<const Card> others) {
  std::vector<Pair> pairs;
  add_fits(card, found, pairs);
  add_closed_forms(card, found, pairs);
  add_copies(card, pairs);
  add_tensor_cores(card, pairs);
  for (const Card& other : others)
    if (other.parts.front().provenance.backend == "sim") add_simulated(found, other, pairs);
  Section s{.id = "model", .title = "Measured against model", .takeaway = {}};
  if (pairs.empty()) return s;
  Chart c{.id = "model-deviation",
          .title = "What a model says, less what was measured: one dot for each finding",
          .summary = {},
          .columns = {{"model", "model", ""},
                      {"name", "finding", ""},
                      {"unit", "unit", ""},
                      {"measured", "measured", ""},
                      {"predicted", "predicted", ""},
                      {"deviation", "deviation", "%"}},
          .spec = R"json({
  "height": {"step": 44},
  "transform": [{"calculate": "random()", "as": "jitter"}],
  "mark": {"type": "point", "filled": true, "size": 26, "opacity": 0.55},
  "encoding": {"y": {"field": "model", "type": "nominal", "title": null, "sort": null},
    "yOffset": {"field": "jitter", "type": "quantitative"},
    "x": {"field": "deviation", "type": "quantitative", "title": "predicted over measured, deviation in %"},
    "color": {"field": "model", "type": "nominal", "legend": null},
    "tooltip": [{"field": "name"}, {"field": "measured", "format": ".4~g"}, {"field": "predicted", "format": ".4~g"}, {"field": "unit"}, {"field": "deviation", "format": "+.1f"}]}})json",
          .how =
              "Predictions are made anew for this page: clusters by the rule of "
              "docs/experiments/topology/fit.md on the card's own floor plan; rates and times of DSM by "
              "the closed forms of docs/models.md; copies by the fit of docs/copy-models.md to these same "
              "cases (what it does to cases that it has not seen is among the findings of copy/ldgsts and "
              "copy/tma); cycles of wgmma by the model of docs/experiments/mma/throughput.md; and the fabric "
              "simulator where a simulated run was given beside the measured one "
              "(`plumb run --on sim 'dsm/*' -o sim.jsonl`)."};
  std::map<std::string, std::vector<double>> by_model;
  for (const Pair& p : pairs) {
    c.rows.push_back({{"model", p.model},
                      {"name", p.name},
                      {"unit", p.unit},
                      {"measured", p.measured},
                      {"predicted", p.predicted},
                      {"deviation", p.deviation()}});
    by_model[p.model].push_back(std::abs(p.deviation()));
  }
  for (const auto& [model, deviations] : by_model)
    s.takeaway +=
        fmt::format("{}{}: {} findings, deviation median {:.1f} %, worst {:.1f} %.",
                    s.takeaway.empty() ? "" : " ", model, deviations.size(), stats::median(deviations),
                    *std::max_element(deviations.begin(), deviations.end()));
  c.summary = s.takeaway;
  s.blocks.push_back(block(c));
  Chart h = c;
  h.id = "model-histogram";
  h.title = "How often which deviation";
  h.summary = fmt::format("{} findings by how far a model is off, in %.", pairs.size());
  h.spec = R"json({
  "height": 160,
  "mark": "bar",
  "encoding": {"x": {"field": "deviation", "bin": {"maxbins": 40}, "type": "quantitative", "title": "deviation, %"},
    "y": {"aggregate": "count", "type": "quantitative", "title": "findings"},
    "color": {"field": "model", "type": "nominal", "title": null}}})json";
  s.blocks.push_back(block(h));
  constexpr std::size_t kWorst = 10;
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::abs(a.deviation()) > std::abs(b.deviation());
  });
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(kWorst, pairs.size()) && pairs[i].deviation() != 0; ++i)
    rows.push_back({{"name", pairs[i].name},
                    {"model", pairs[i].model},
                    {"measured", pairs[i].measured},
                    {"predicted", pairs[i].predicted},
                    {"unit", pairs[i].unit},
                    {"deviation", pairs[i].deviation()}});
  s.blocks.push_back(table("model-worst", "The ten that a model misses most",
                           {{"name", "finding", ""},
                            {"model", "model", ""},
                            {"measured", "measured", ""},
                            {"predicted", "predicted", ""},
                            {"unit", "unit", ""},
                            {"deviation", "deviation", "%"}},
                           rows));
  return s;
}

Section rest_section(const Card& card, const Lookup& found) {
  constexpr std::size_t kMostRows = 120;
  static const std::vector<std::string> kTold{
      "dsm/pair",     "dsm/mixed",      "dsm/in-flight", "dsm/forms",      "dsm/scaling",
      "dsm/stride",   "dsm/incast",     "dsm/fan-out",   "dsm/latency",    "dsm/tomography",
      "topology/fit", "topology/gpc",   "copy/compare",  "copy/multicast", "copy/ceilings",
      "copy/ladder",  "mma/throughput", "mma/shape",     "mma/in-flight"};
  Section s{.id = "more",
            .title = "Everything else",
            .takeaway =
                "Experiments without a chart of their own; `plumb analyze --json` has every finding with its "
                "cases."};
  for (const Experiment& e : card.experiments) {
    if (std::find(kTold.begin(), kTold.end(), e.name) != kTold.end()) continue;
    Json rows = Json::array();
    std::size_t count = 0;
    for (const Finding* f : found.under(e.name + "/")) {
      if (f->unit == "%" || f->unit == "ns" || f->unit == "GB/s" || f->name.ends_with("/intercept") ||
          f->name.ends_with("/clock"))
        continue;
      if (names_a_flow(f->name)) continue;
      if (++count > kMostRows) continue;
      Json row{{"name", f->name.substr(e.name.size() + 1)}};
      put(row, *f);
      row["unit"] = f->unit;
      rows.push_back(std::move(row));
    }
    if (rows.empty()) continue;
    const std::string title =
        count > kMostRows ? fmt::format("{}: the first {} of {} findings", e.name, kMostRows, count) : e.name;
    std::string id = e.name;
    std::replace(id.begin(), id.end(), '/', '-');
    Json t = table("all-" + id, title,
                   {{"name", "finding", ""},
                    {"value", "value", ""},
                    {"low", "low", ""},
                    {"high", "high", ""},
                    {"unit", "unit", ""}},
                   rows);
    t["folded"] = true;
    t["how"] = how(card, {e.name});
    s.blocks.push_back(std::move(t));
  }
  return s;
}

}  // namespace plumb::report::html
