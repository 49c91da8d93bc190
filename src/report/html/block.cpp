// SPDX-License-Identifier: Apache-2.0
#include "report/html/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb::report::html {
namespace {

Json columns_json(const std::vector<Column>& columns) {
  Json out = Json::array();
  for (const Column& c : columns) out.push_back({{"name", c.name}, {"title", c.title}, {"unit", c.unit}});
  return out;
}

}  // namespace

Json block(const Chart& chart) {
  return {{"kind", "chart"},
          {"id", chart.id},
          {"title", chart.title},
          {"summary", chart.summary},
          {"columns", columns_json(chart.columns)},
          {"rows", chart.rows},
          {"spec", Json::parse(chart.spec)},
          {"how", chart.how}};
}

Json text(std::string what) { return {{"kind", "text"}, {"text", std::move(what)}}; }

Json missing(std::string_view what, std::string_view pattern) {
  return {{"kind", "missing"},
          {"text", fmt::format("{}: not in this recording; `plumb run '{}'` measures it.", what, pattern)}};
}

Json table(std::string id, std::string title, const std::vector<Column>& columns, Json rows) {
  return {{"kind", "table"},
          {"id", std::move(id)},
          {"title", std::move(title)},
          {"columns", columns_json(columns)},
          {"rows", std::move(rows)}};
}

Json to_json(const Section& s) {
  return {{"id", s.id}, {"title", s.title}, {"takeaway", s.takeaway}, {"blocks", s.blocks}};
}

void put(Json& row, const Finding& f) {
  row["value"] = f.value;
  row["low"] = f.low;
  row["high"] = f.high;
}

std::string digits(double value) {
  const double size = std::abs(value);
  if (size >= 1000) {
    const std::string whole = fmt::format("{:.0f}", size);
    std::string out = value < 0 ? "-" : "";
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (i > 0 && (whole.size() - i) % 3 == 0) out.push_back(',');
      out.push_back(whole[i]);
    }
    return out;
  }
  if (size == std::floor(size)) return fmt::format("{:.0f}", value);
  return size >= 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::string value_of(const Finding& f) {
  return f.unit.empty() || f.unit == "x" ? digits(f.value) + f.unit : digits(f.value) + " " + f.unit;
}

std::string how(const Card& card, const std::vector<std::string>& experiments) {
  std::string out;
  for (const std::string& name : experiments) {
    const auto* measurements = card.of(name);
    const auto e = std::find_if(card.experiments.begin(), card.experiments.end(),
                                [&](const Experiment& x) { return x.name == name; });
    if (measurements == nullptr || e == card.experiments.end()) continue;
    int least = 1 << 30;
    int most = 0;
    for (const Measurement& m : *measurements) {
      least = std::min(least, m.point.samples);
      most = std::max(most, m.point.samples);
    }
    out += fmt::format(
        "{}{}. {} {} cases, {} samples each. `plumb run '{}'` measures it again; "
        "docs/experiments/{}.md tells the method.",
        out.empty() ? "" : "\n", name, e->question, measurements->size(),
        least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most), name, name);
  }
  return out;
}

}  // namespace plumb::report::html
