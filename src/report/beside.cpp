// SPDX-License-Identifier: Apache-2.0
#include "report/beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/terminal.h"

namespace plumb::report {
namespace {

bool is_residual(const Finding& f) { return f.unit == "%"; }

bool in_both(const Beside& row) { return row.first && row.second; }

/// The rows worth a line of a table: what the nanosecond clock and the second estimator say is the same
/// again.
std::vector<Beside> shown(std::span<const Beside> rows) {
  std::set<std::string> steady;
  for (const Beside& row : rows)
    if (in_both(row) && row.estimator == "steady") steady.insert(row.name);
  std::vector<Beside> out;
  for (const Beside& row : rows) {
    const bool again = row.estimator == "published" && steady.contains(row.name);
    if (in_both(row) && !again && row.unit != "ns" && row.unit != "GB/s") out.push_back(row);
  }
  return out;
}

/// The unit's deviations, for the summary: rates and times are judged apart.
std::string summary(std::span<const Beside> rows) {
  std::map<std::string, std::vector<double>> by_unit;
  for (const Beside& row : rows)
    if (const auto d = row.deviation()) by_unit[row.unit].push_back(100 * std::abs(*d));
  std::string out;
  for (auto& [unit, all] : by_unit) {
    std::ranges::sort(all);
    out += fmt::format("{}: {} numbers, deviation median {:.1f} %, worst {:.1f} %\n", unit, all.size(),
                       all[(all.size() - 1) / 2], all.back());
  }
  return out;
}

}  // namespace

std::optional<double> Beside::deviation() const {
  if (!first || !second || first->value == 0.0) return std::nullopt;
  return second->value / first->value - 1;
}

std::vector<Beside> beside(std::span<const Finding> first, std::span<const Finding> second) {
  std::vector<Beside> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  const auto row = [&](const Finding& f) -> Beside& {
    const auto [it, is_new] = index.try_emplace({f.name, f.estimator}, rows.size());
    if (is_new) rows.push_back({f.name, f.estimator, f.unit, {}, {}});
    return rows[it->second];
  };
  for (const Finding& f : first)
    if (!is_residual(f)) row(f).first = f;
  for (const Finding& f : second)
    if (!is_residual(f)) row(f).second = f;
  return rows;
}

std::string beside_table(std::span<const Beside> rows, std::span<const std::string> labels, bool colours) {
  Table table({"finding", "unit", labels[0], labels[1], "deviation %"});
  std::size_t only_first = 0;
  std::size_t only_second = 0;
  for (const Beside& row : rows) {
    if (!row.second) ++only_first;
    if (!row.first) ++only_second;
  }
  const std::vector<Beside> lines = shown(rows);
  for (const Beside& row : lines) {
    const auto d = row.deviation();
    table.add({row.name + " (" + row.estimator + ")", row.unit, fmt::format("{:.2f}", row.first->value),
               fmt::format("{:.2f}", row.second->value), d ? fmt::format("{:+.1f}", 100 * *d) : "-"});
  }
  std::string out = table.empty() ? "  no finding is in both\n" : table.text(colours) + summary(lines);
  if (only_first != 0) out += fmt::format("{} findings are in the first alone\n", only_first);
  if (only_second != 0) out += fmt::format("{} findings are in the second alone\n", only_second);
  return out;
}

}  // namespace plumb::report
