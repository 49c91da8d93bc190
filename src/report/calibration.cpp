// SPDX-License-Identifier: Apache-2.0
#include "report/calibration.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/terminal.h"

namespace plumb::report {
namespace {

FamilyErrors errors_of(std::string name, bool held_out, std::span<const infer::Scored* const> rows) {
  std::vector<double> sizes;
  std::vector<double> beyond;
  for (const infer::Scored* s : rows) {
    sizes.push_back(std::abs(s->deviation()));
    beyond.push_back(s->beyond_spread());
  }
  return {.family = std::move(name),
          .held_out = held_out,
          .all = infer::deviations(sizes),
          .beyond = infer::deviations(beyond)};
}

std::string percent(double share) { return fmt::format("{:.2f}", 100 * share); }

nlohmann::ordered_json json_of(const infer::Deviations& d) {
  return {{"rows", d.count}, {"median", d.median}, {"p95", d.p95}, {"worst", d.worst}};
}

}  // namespace

std::vector<FamilyErrors> family_errors(std::span<const infer::ObservedCase> cases,
                                        std::span<const infer::Scored> scored, bool held_out) {
  std::map<std::string, std::vector<const infer::Scored*>> by_family;
  for (const infer::Scored& s : scored) by_family[cases[s.of].family].push_back(&s);
  std::vector<FamilyErrors> out;
  for (const auto& [family, rows] : by_family) out.push_back(errors_of(family, held_out, rows));
  return out;
}

FamilyErrors all_errors(std::span<const infer::Scored> scored, bool held_out) {
  std::vector<const infer::Scored*> rows;
  for (const infer::Scored& s : scored) rows.push_back(&s);
  return errors_of(held_out ? "all held out" : "all training", held_out, rows);
}

std::string errors_table(std::span<const FamilyErrors> families, bool colours) {
  Table table({"family", "", "rows", "median %", "95th %", "worst %", "beyond spread: 95th %", "worst %"});
  for (const FamilyErrors& f : families)
    table.add({f.family, f.held_out ? "held out" : "training", std::to_string(f.all.count),
               percent(f.all.median), percent(f.all.p95), percent(f.all.worst), percent(f.beyond.p95),
               percent(f.beyond.worst)});
  return table.text(colours);
}

std::vector<QuantityErrors> quantity_errors(std::span<const infer::ObservedCase> cases,
                                            std::span<const infer::Scored> scored, bool held_out) {
  std::vector<QuantityErrors> out;
  for (const infer::Quantity& q : infer::quantities(cases, scored)) {
    if (q.values.empty()) continue;
    std::vector<double> relative;
    std::vector<double> absolute;
    for (const infer::Compared& c : q.values) {
      relative.push_back(std::abs(c.deviation()));
      absolute.push_back(std::abs(c.simulated - c.measured));
    }
    out.push_back({.quantity = std::string(q.name),
                   .unit = std::string(q.unit),
                   .held_out = held_out,
                   .relative = infer::deviations(relative),
                   .absolute = infer::deviations(absolute)});
  }
  return out;
}

std::string quantities_table(std::span<const QuantityErrors> errors, bool colours) {
  Table table({"", "", "numbers", "median %", "95th %", "worst %", "median", "95th", "worst", "unit"});
  const auto number = [](const QuantityErrors& e, double value) {
    return fmt::format("{:.{}f}", value, e.unit == "cycles" ? 0 : 2);
  };
  for (const QuantityErrors& e : errors)
    table.add({e.quantity, e.held_out ? "held out" : "training", std::to_string(e.relative.count),
               percent(e.relative.median), percent(e.relative.p95), percent(e.relative.worst),
               number(e, e.absolute.median), number(e, e.absolute.p95), number(e, e.absolute.worst), e.unit});
  return table.text(colours);
}

std::string interval_text(const infer::Fitted& f) {
  if (f.low && f.high) return fmt::format("{} to {}", *f.low, *f.high);
  if (f.low) return fmt::format("{} or more, of {} to {}", *f.low, f.least, f.most);
  if (f.high) return fmt::format("{} or less, of {} to {}", *f.high, f.least, f.most);
  return "not identifiable from these cases";
}

std::string parameters_table(std::span<const infer::Fitted> parameters, bool colours) {
  Table table({"parameter", "before", "fitted", "95 % interval"});
  for (const infer::Fitted& f : parameters)
    table.add({f.name, std::to_string(f.before), std::to_string(f.value), interval_text(f)});
  return table.text(colours, 3);
}

nlohmann::ordered_json to_json(const FamilyErrors& e) {
  return {{"family", e.family},
          {"held_out", e.held_out},
          {"deviation", json_of(e.all)},
          {"beyond_spread", json_of(e.beyond)}};
}

nlohmann::ordered_json to_json(const QuantityErrors& e) {
  return {{"quantity", e.quantity},
          {"held_out", e.held_out},
          {"unit", e.unit},
          {"relative", json_of(e.relative)},
          {"absolute", json_of(e.absolute)}};
}

nlohmann::ordered_json to_json(const infer::Fitted& f) {
  nlohmann::ordered_json j{{"name", f.name}, {"before", f.before}, {"value", f.value}};
  j["low"] = f.low ? nlohmann::ordered_json(*f.low) : nlohmann::ordered_json(nullptr);
  j["high"] = f.high ? nlohmann::ordered_json(*f.high) : nlohmann::ordered_json(nullptr);
  j["identified"] = f.identified();
  return j;
}

}  // namespace plumb::report
