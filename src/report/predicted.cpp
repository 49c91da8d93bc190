// SPDX-License-Identifier: Apache-2.0
#include "report/predicted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "record/json.h"
#include "report/terminal.h"

namespace plumb::report {
namespace {

constexpr std::size_t kMostRows = 64;

/// Those by the better estimator: what the second one says is the same again.
std::vector<const dsm::Prediction*> better(std::span<const dsm::Prediction> all) {
  std::set<std::string> steady;
  for (const dsm::Prediction& p : all)
    if (p.measured.estimator == "steady") steady.insert(p.measured.name);
  std::vector<const dsm::Prediction*> out;
  for (const dsm::Prediction& p : all)
    if (p.measured.estimator != "published" || !steady.contains(p.measured.name)) out.push_back(&p);
  return out;
}

/// "…/0-load-1to0/rate"
bool is_of_a_flow(const std::string& name) {
  const std::size_t end = name.rfind('/');
  const std::string subject = name.substr(name.rfind('/', end - 1) + 1, end - name.rfind('/', end - 1) - 1);
  return !subject.empty() && subject.front() >= '0' && subject.front() <= '9' &&
         subject.find("to") != std::string::npos;
}

/// "37 numbers: deviation median 0.4 %, worst +8.1 % (ring/3), 35 where expected"
std::string summary(const std::vector<const dsm::Prediction*>& some, std::size_t skip) {
  std::vector<double> off;
  const dsm::Prediction* worst = nullptr;
  std::size_t agree = 0;
  for (const dsm::Prediction* p : some) {
    const auto d = p->deviation();
    if (!d) continue;
    off.push_back(100 * std::abs(*d));
    if (worst == nullptr || std::abs(*d) > std::abs(*worst->deviation())) worst = p;
    if (p->agrees()) ++agree;
  }
  std::ranges::sort(off);
  return fmt::format("{}: deviation median {:.1f} %, worst {:+.1f} % ({}); {} where expected", off.size(),
                     off[(off.size() - 1) / 2], 100 * *worst->deviation(), worst->measured.name.substr(skip),
                     agree);
}

}  // namespace

std::string predicted_table(std::string_view experiment, std::span<const dsm::Prediction> predictions,
                            bool colours) {
  const std::size_t skip = experiment.size() + 1;
  std::vector<const dsm::Prediction*> series;
  std::vector<const dsm::Prediction*> flows;
  std::map<std::string, std::size_t> reasons;
  for (const dsm::Prediction* p : better(predictions)) {
    if (!p->expected)
      ++reasons[p->text];
    else
      (is_of_a_flow(p->measured.name) ? flows : series).push_back(p);
  }
  std::string out = paint(experiment, Tone::bold, colours) + "\n";
  if (series.size() <= kMostRows) {
    Table table({"", "unit", "measured", "95 % interval", "predicted", "expected", "off by %", "limited by"});
    for (const dsm::Prediction* p : series)
      table.add({p->measured.name.substr(skip), p->measured.unit, fmt::format("{:.2f}", p->measured.value),
                 fmt::format("{:.2f}..{:.2f}", p->measured.low, p->measured.high),
                 fmt::format("{:.2f}", p->expected->value),
                 fmt::format("{:.2f}..{:.2f}", p->expected->low, p->expected->high),
                 fmt::format("{:+.1f}{}", 100 * *p->deviation(), p->agrees() ? " " : "!"), p->text});
    if (!table.empty()) out += table.text(colours, 7);
  }
  if (series.size() > 1) out += fmt::format("  series, {}\n", summary(series, skip));
  if (!flows.empty()) out += fmt::format("  single flows, {}\n", summary(flows, skip));
  for (const auto& [reason, count] : reasons)
    out += fmt::format("  no closed form for {} findings: {}\n", count, printable(reason));
  return out;
}

nlohmann::ordered_json to_json(const dsm::Prediction& p) {
  nlohmann::ordered_json out{{"finding", record::to_json(p.measured)}};
  if (!p.expected) {
    out["does_not_apply"] = p.text;
    return out;
  }
  out["predicted"] = {{"value", p.expected->value}, {"low", p.expected->low}, {"high", p.expected->high}};
  if (const auto d = p.deviation()) out["deviation"] = *d;
  out["agrees"] = p.agrees();
  out["limit"] = p.text;
  return out;
}

}  // namespace plumb::report
