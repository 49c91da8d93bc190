// SPDX-License-Identifier: Apache-2.0
#include "report/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "report/terminal.h"

namespace plumb::report {
namespace {

/// The parts of a name behind the experiment's own two.
std::vector<std::string> parts_of(const Finding& f) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at <= f.name.size()) {
    const std::size_t slash = std::min(f.name.find('/', at), f.name.size());
    parts.push_back(f.name.substr(at, slash - at));
    at = slash + 1;
  }
  parts.erase(parts.begin(), parts.begin() + std::min<std::ptrdiff_t>(2, std::ssize(parts)));
  return parts;
}

struct Sorted {
  std::vector<std::string> ops;  ///< as they come
  std::map<std::string, std::map<std::string, const Finding*>> by_op;
  std::vector<const Finding*> legs;
  std::map<std::string, std::vector<const Finding*>> positions;  ///< "tpc", "cpc"
  std::vector<std::string> meetings;                             ///< "sync, 32 threads" as they come
  std::map<std::string, std::map<int, double>> cycles_by_ranks;
  std::vector<const Finding*> single;
  std::vector<std::string> notes;
};

Sorted sort(std::span<const Finding> findings) {
  Sorted out;
  for (const Finding& f : findings) {
    const auto parts = parts_of(f);
    if (parts.size() == 1) {
      out.single.push_back(&f);
    } else if (parts.size() == 2) {
      if (!out.by_op.contains(parts[0])) out.ops.push_back(parts[0]);
      out.by_op[parts[0]][parts[1]] = &f;
      if (parts[1] == "median" && !f.notes.empty())
        out.notes.push_back(fmt::format("{}: {}", parts[0], fmt::join(f.notes, "; ")));
    } else if (parts.size() == 3 && parts[0].starts_with("sync")) {
      const std::string row = fmt::format("{}, {} threads", parts[0], parts[1]);
      if (!out.cycles_by_ranks.contains(row)) out.meetings.push_back(row);
      out.cycles_by_ranks[row][std::stoi(parts[2])] = f.value;
    } else if (parts.size() == 3 && parts[1] == "no-legs") {
      out.notes.push_back(fmt::format("{}: {}", parts[0], fmt::join(f.notes, "; ")));
    } else if (parts.size() == 3 && parts[0] == "load") {
      if (parts[1] == "leg")
        out.legs.push_back(&f);
      else
        out.positions[parts[1]].push_back(&f);
    }
  }
  return out;
}

std::string operations(const Sorted& s, bool colours) {
  Table table({"cycles", "min", "median", "95 % interval", "max", "own SM", "median ns", "legs: RMS", "worst",
               "two ways"});
  for (const std::string& op : s.ops) {
    const auto& found = s.by_op.at(op);
    const auto cell = [&](const char* key, const char* format) {
      const auto it = found.find(key);
      return it == found.end() ? std::string("-") : fmt::format(fmt::runtime(format), it->second->value);
    };
    const auto median = found.find("median");
    if (median == found.end()) continue;
    table.add({op, cell("min", "{:.1f}"), cell("median", "{:.1f}"),
               fmt::format("{:.1f}..{:.1f}", median->second->low, median->second->high),
               cell("max", "{:.1f}"), cell("own", "{:.1f}"), cell("median-ns", "{:.1f}"),
               cell("residual-rms", "{:.2f}"), cell("residual-worst", "{:.2f}"),
               cell("asymmetry", "{:.1f}")});
  }
  return table.empty() ? "" : table.text(colours);
}

/// One row for each GPC, whose name is the first note of a leg.
std::string legs(const Sorted& s, bool colours) {
  if (s.legs.empty()) return "";
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> rows;
  std::size_t widest = 0;
  for (const Finding* f : s.legs) {
    const std::string gpc = f->notes.empty() ? "" : f->notes.front();
    if (!rows.contains(gpc)) order.push_back(gpc);
    auto& row = rows[gpc];
    row.push_back(fmt::format("{:.1f}", f->value));
    widest = std::max(widest, row.size());
  }
  std::vector<std::string> head{"leg of rank"};
  for (std::size_t r = 0; r < widest; ++r) head.push_back(std::to_string(r));
  Table table(head);
  for (const std::string& gpc : order) {
    std::vector<std::string> row{gpc};
    row.insert(row.end(), rows[gpc].begin(), rows[gpc].end());
    row.resize(head.size());
    table.add(row);
  }
  return "\n" + table.text(colours);
}

std::string range(const Sorted& s, const char* what, std::string_view text) {
  const auto it = s.positions.find(what);
  if (it == s.positions.end()) return "";
  std::vector<double> values;
  for (const Finding* f : it->second) values.push_back(f->value);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return fmt::format("  {}: {:.1f} to {:.1f} cycles over {}\n", text, *least, *most, values.size());
}

std::string barriers(const Sorted& s, bool colours) {
  if (s.meetings.empty()) return "";
  std::set<int> sizes;
  for (const auto& [row, by_ranks] : s.cycles_by_ranks)
    for (const auto& [ranks, cycles] : by_ranks) sizes.insert(ranks);
  std::vector<std::string> head{"cycles, cluster of"};
  for (const int ranks : sizes) head.push_back(std::to_string(ranks));
  Table table(head);
  for (const std::string& row : s.meetings) {
    std::vector<std::string> cells{row};
    const auto& by_ranks = s.cycles_by_ranks.at(row);
    for (const int ranks : sizes) {
      const auto it = by_ranks.find(ranks);
      cells.push_back(it == by_ranks.end() ? "" : fmt::format("{:.0f}", it->second));
    }
    table.add(cells);
  }
  return "\n" + table.text(colours);
}

}  // namespace

std::string latency_table(std::span<const Finding> findings, bool colours) {
  const Sorted s = sort(findings);
  std::string out = operations(s, colours) + legs(s, colours) +
                    range(s, "tpc", "second SM of a TPC less the first") +
                    range(s, "cpc", "step from TPC to TPC of a CPC") + barriers(s, colours);
  if (out.empty()) out = "  no usable case\n";
  if (!s.single.empty()) out += "\n";
  for (const Finding* f : s.single)
    out += fmt::format("  {}: {:.2f} {} ({:.2f}..{:.2f})\n", parts_of(*f).front(), f->value, f->unit, f->low,
                       f->high);
  for (const std::string& note : s.notes) out += paint("  * " + note, Tone::warn, colours) + "\n";
  return out;
}

}  // namespace plumb::report
