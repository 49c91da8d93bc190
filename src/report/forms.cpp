// SPDX-License-Identifier: Apache-2.0
#include "report/forms.h"

#include <fmt/format.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): strverscmp is not in <cstring>

#include <array>
#include <map>
#include <vector>

#include "report/terminal.h"

namespace plumb::report {
namespace {

constexpr std::array<std::string_view, 3> kTargets{"local", "own", "peer"};

/// By name, with runs of digits as numbers.
struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const {
    return strverscmp(a.c_str(), b.c_str()) < 0;
  }
};

/// The findings of one row by "peer/rate" and so on.
using Row = std::map<std::string, const Finding*, std::less<>>;

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t to = std::min(name.find('/', from), name.size());
    parts.push_back(name.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

/// "dsm/forms/FORM/TARGET/PATTERN/WIDTH[/FLIGHT]/WHAT" into rows "FORM PATTERN WIDTH [FLIGHT]".
std::map<std::string, Row, ByNumber> rows_of(std::span<const Finding> findings) {
  constexpr std::size_t kForm = 2;
  constexpr std::size_t kTarget = 3;
  constexpr std::size_t kPattern = 4;
  std::map<std::string, Row, ByNumber> rows;
  for (const Finding& f : findings) {
    const std::vector<std::string> parts = parts_of(f.name);
    if (parts.size() < kPattern + 3) continue;
    std::string label = parts[kForm];
    for (std::size_t p = kPattern; p + 1 < parts.size(); ++p) label += " " + parts[p];
    rows[label][parts[kTarget] + "/" + parts.back()] = &f;
  }
  return rows;
}

std::string cell(const Row& row, std::string_view target, std::string_view what, const char* format) {
  const auto it = row.find(fmt::format("{}/{}", target, what));
  return it == row.end() ? std::string("-") : fmt::format(fmt::runtime(format), it->second->value);
}

std::string interval(const Row& row) {
  const auto it = row.find("peer/rate");
  return it == row.end() ? "-" : fmt::format("{:.2f}..{:.2f}", it->second->low, it->second->high);
}

}  // namespace

std::string forms_table(std::span<const Finding> findings, bool colours) {
  Table table({"form, pattern, bytes a lane", "local", "own rank", "peer", "peer 95 % interval",
               "local % of port", "peer % of way in", "local cycles", "peer cycles"});
  std::vector<std::string> notes;
  for (const auto& [name, row] : rows_of(findings)) {
    std::string label = name;
    for (const std::string_view target : kTargets) {
      const auto rate = row.find(fmt::format("{}/rate", target));
      if (rate == row.end() || rate->second->notes.empty()) continue;
      notes.push_back(fmt::format("{}, {}: {}", name, target, fmt::join(rate->second->notes, "; ")));
      if (!label.ends_with('*')) label += " *";
    }
    table.add({label, cell(row, "local", "rate", "{:.2f}"), cell(row, "own", "rate", "{:.2f}"),
               cell(row, "peer", "rate", "{:.2f}"), interval(row), cell(row, "local", "port", "{:.1f}"),
               cell(row, "peer", "way-in", "{:.1f}"), cell(row, "local", "instruction", "{:.2f}"),
               cell(row, "peer", "instruction", "{:.2f}")});
  }
  if (table.empty()) return "  no usable case\n";
  std::string out =
      table.text(colours) +
      "  rates in B/cycle; cycles: of one warp instruction; the port moves 128 B/cycle, the way in "
      "from a peer 21.33\n"
      "  -: not measured here; a recording's flags say why\n";
  for (const std::string& note : notes) out += paint("  * " + note, Tone::warn, colours) + "\n";
  return out;
}

}  // namespace plumb::report
