// SPDX-License-Identifier: Apache-2.0
#include "report/fit.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/names.h"
#include "report/terminal.h"

namespace plumb::report {
namespace {

struct Cell {
  const Finding* clusters = nullptr;
  const Finding* idle = nullptr;
};

}  // namespace

std::string fit_table(std::span<const Finding> findings, bool colours) {
  std::map<int, std::map<int, Cell>> rows;  // by cluster size, then by CTAs an SM
  std::set<int> classes;
  std::string below;
  for (const Finding& f : findings) {
    std::string_view name = f.name;
    if (const auto numbers = take_two_numbers(name, "topology/fit/", "-an-sm/");
        numbers && name.starts_with('/')) {
      const auto [per_sm, ranks] = *numbers;
      Cell& cell = rows[ranks][per_sm];
      (f.name.ends_with("/idle") ? cell.idle : cell.clusters) = &f;
      classes.insert(per_sm);
      for (const std::string& note : f.notes)
        below +=
            paint(fmt::format("  * size {}, {} an SM: {}", ranks, per_sm, note), Tone::warn, colours) + "\n";
      continue;
    }
    below += fmt::format("  {}: {:.0f} {}\n", f.name.substr(f.name.rfind('/') + 1), f.value, f.unit);
  }
  std::vector<std::string> head{"CTAs of a cluster"};
  for (const int per_sm : classes) {
    head.push_back(fmt::format("{} an SM", per_sm));
    head.emplace_back("idle");
  }
  Table table(head);
  for (const auto& [ranks, cells] : rows) {
    std::vector<std::string> row{fmt::format("{}", ranks)};
    for (const int per_sm : classes) {
      const auto it = cells.find(per_sm);
      const auto text = [](const Finding* f) {
        return f == nullptr ? std::string("-") : fmt::format("{:g}", f->value);
      };
      row.push_back(it == cells.end() ? "-" : text(it->second.clusters));
      row.push_back(it == cells.end() ? "-" : text(it->second.idle));
    }
    table.add(row);
  }
  below += "  on the card at once: clusters where an SM holds so many CTAs, and the SMs that hold none\n";
  return (table.empty() ? std::string("  no usable case\n") : table.text(colours)) + below;
}

}  // namespace plumb::report
