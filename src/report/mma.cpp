// SPDX-License-Identifier: Apache-2.0
#include "report/mma.h"

#include <fmt/format.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): strverscmp is not in <cstring>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "report/terminal.h"

namespace plumb::report {
namespace {

/// By name, with runs of digits as numbers.
struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const {
    return strverscmp(a.c_str(), b.c_str()) < 0;
  }
};
template <class T>
using Ordered = std::map<std::string, T, ByNumber>;

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t to = std::min(name.find('/', from), name.size());
    parts.push_back(name.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

/// "n64", "f8": a letter and a number.
bool is_numbered(const std::string& part, char letter) {
  return part.size() > 1 && part.front() == letter &&
         std::all_of(part.begin() + 1, part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A finding's name taken apart: what stands in the row, in the column, and what the number is.
struct Cell {
  std::string row;
  std::string column;  ///< empty: of the whole row
  std::string what;
};

/// `letter` begins the part that is the column; `dropped` parts say nothing new.
Cell cell_of(const std::string& name, char letter, const std::set<std::string>& dropped) {
  const auto parts = parts_of(name);
  Cell c{.row = {}, .column = {}, .what = parts.back()};
  for (std::size_t i = 2; i + 1 < parts.size(); ++i) {
    if (is_numbered(parts[i], letter)) {
      c.column = parts[i].substr(1);
    } else if (!dropped.contains(parts[i])) {
      c.row += fmt::format("{}{}", c.row.empty() ? "" : " ", parts[i]);
    }
  }
  return c;
}

/// What a table of an experiment shows.
struct View {
  char letter = 'n';
  std::set<std::string> dropped = {"f1", "f64", "f256"};
  std::string_view what;  ///< in the cells
  const char* format = "{:.1f}";
  std::string_view title;
  std::set<std::string> columns = {};  ///< all where empty
};

std::string pivot(const View& view, std::span<const Finding> findings, bool colours) {
  Ordered<Ordered<std::string>> rows;
  Ordered<std::string> wholes;
  std::set<std::string, ByNumber> columns;
  for (const Finding& f : findings) {
    const Cell c = cell_of(f.name, view.letter, view.dropped);
    if (c.column.empty()) {
      wholes[c.row] += fmt::format("{}{} {:.5g}", wholes[c.row].empty() ? "" : ", ", c.what, f.value);
      continue;
    }
    if (c.what != view.what || (!view.columns.empty() && !view.columns.contains(c.column))) continue;
    columns.insert(c.column);
    rows[c.row][c.column] = fmt::format(fmt::runtime(view.format), f.value);
  }
  std::vector<std::string> head{std::string(view.title)};
  for (const auto& column : columns) head.push_back(column);
  Table table(head);
  for (const auto& [row, cells] : rows) {
    std::vector<std::string> line{row};
    for (const auto& column : columns) {
      const auto it = cells.find(column);
      line.push_back(it == cells.end() ? std::string("-") : it->second);
    }
    table.add(line);
  }
  std::string out = table.empty() ? std::string() : table.text(colours);
  for (const auto& [row, text] : wholes) out += fmt::format("  {}: {}\n", row, text);
  return out;
}

/// One row a case, one column a quantity.
std::string chip_table(std::span<const Finding> findings, bool colours) {
  static const std::vector<std::pair<std::string, const char*>> kColumns{{"tflops", "TFLOP/s"},
                                                                         {"clock", "cycle/ns"},
                                                                         {"peak", "% of peak at it"},
                                                                         {"power", "W"},
                                                                         {"temperature", "C"}};
  Ordered<std::map<std::string, double>> rows;
  Ordered<std::string> wholes;
  std::set<std::string> notes;
  for (const Finding& f : findings) {
    const Cell c = cell_of(f.name, ' ', {"f1", "f64", "f256"});
    notes.insert(f.notes.begin(), f.notes.end());
    if (c.what.starts_with("of-"))
      wholes[c.row] += fmt::format(" {:.1f} % {}", f.value, c.what);
    else
      rows[c.row][c.what] = f.value;
  }
  std::vector<std::string> head{""};
  for (const auto& [key, title] : kColumns) head.emplace_back(title);
  Table table(head);
  for (const auto& [row, values] : rows) {
    std::vector<std::string> line{row};
    for (const auto& [key, title] : kColumns) {
      const auto it = values.find(key);
      line.push_back(it == values.end() ? std::string("-")
                                        : fmt::format("{:.{}f}", it->second, key == "clock" ? 3 : 1));
    }
    table.add(line);
  }
  std::string out = table.text(colours);
  for (const auto& [row, text] : wholes) out += fmt::format("  {}:{}\n", row, text);
  if (!notes.empty()) {
    out += paint(fmt::format("  * flagged, as work that heats a card is: {}", *notes.begin()), Tone::warn,
                 colours);
    if (notes.size() > 1)
      out += paint(fmt::format(", and {} more; --json lists them", notes.size() - 1), Tone::warn, colours);
    out += "\n";
  }
  return out;
}

}  // namespace

bool is_mma(std::string_view experiment) { return experiment.starts_with("mma/"); }

std::string mma_table(std::string_view experiment, std::span<const Finding> findings, bool colours) {
  if (findings.empty()) return "  no usable case\n";
  if (experiment == "mma/data" || experiment == "mma/whole-chip") return chip_table(findings, colours);
  if (experiment == "mma/latency")
    return pivot({.what = "latency", .format = "{:.0f}", .title = "SM cycles by N"}, findings, colours);
  if (experiment == "mma/in-flight")
    return pivot(
        {.letter = 'f', .dropped = {}, .what = "cycles", .title = "SM cycles by instructions in flight"},
        findings, colours);
  if (experiment == "mma/shape")
    return pivot(
        {.what = "cycles",
         .title = "SM cycles by N",
         .columns = {"8", "16", "32", "48", "56", "64", "72", "80", "96", "112", "128", "192", "256"}},
        findings, colours);
  return pivot({.dropped = {"f64", "f256"}, .what = "peak", .title = "% of the peak by N"}, findings,
               colours);
}

}  // namespace plumb::report
