// SPDX-License-Identifier: Apache-2.0
#include "report/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "report/terminal.h"

namespace plumb::report {
namespace {

using claims::Verdict;

/// Four digits that count, without an exponent for what a card measures.
std::string digits(double value) {
  if (value == 0.0 || std::abs(value) >= 1e7) return fmt::format("{:g}", value);
  const int before = std::max(0, static_cast<int>(std::floor(std::log10(std::abs(value)))));
  return fmt::format("{:.{}f}", value, std::max(0, 3 - before));
}

std::string verdict_text(const BoardRow& row) {
  const claims::Judged& j = row.judged;
  if (j.verdict == Verdict::differs) return fmt::format("differs by {:+.1f} %", j.off_percent);
  if (j.verdict == Verdict::other_hardware)
    return fmt::format("other hardware ({})", printable(row.claim->hardware));
  if (j.verdict == Verdict::contradicts_itself)
    return fmt::format("contradicts itself: also {:g}", *row.claim->other);
  return std::string(name_of(j.verdict));
}

std::vector<std::string> cells(const BoardRow& row) {
  const auto& number = row.judged.number;
  return {row.claim->id,
          row.claim->shown,
          row.claim->unit,
          number ? digits(number->value) : "-",
          number ? fmt::format("{}..{}", digits(number->low), digits(number->high)) : "-",
          verdict_text(row)};
}

bool is_worth_a_line(Verdict v) { return v == Verdict::differs || v == Verdict::contradicts_itself; }

/// "  * dsm/load/one-way: One load ... [why]"
std::string line_below(const BoardRow& row, bool colours) {
  const claims::Claim& c = *row.claim;
  std::string text = fmt::format("  * {}: {}", c.id, c.says);
  if (c.other) text += fmt::format(" ({}; {:g}: {})", c.place, *c.other, c.other_place);
  if (!c.note.empty()) text += fmt::format(" Here: {}", c.note);
  return paint(text, Tone::warn, colours) + "\n";
}

std::string count_line(std::span<const BoardRow> rows) {
  std::array<int, claims::kVerdictNames.size()> counts{};
  for (const BoardRow& row : rows) ++counts.at(static_cast<std::size_t>(row.judged.verdict));
  std::string out = fmt::format("{} claims: ", rows.size());
  for (std::size_t v = 0; v < counts.size(); ++v)
    out += fmt::format("{}{} {}", v == 0 ? "" : ", ", counts.at(v), claims::kVerdictNames.at(v));
  return out + ".\n";
}

}  // namespace

std::string board_table(const claims::Board& board, std::span<const BoardRow> rows, bool colours) {
  // Sources about hardware at hand come first.
  std::vector<std::size_t> order(board.sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_partition(order, [&](std::size_t s) {
    return std::ranges::any_of(rows, [&](const BoardRow& row) {
      const Verdict v = row.judged.verdict;
      return row.claim->source == s && v != Verdict::other_hardware && v != Verdict::contradicts_itself;
    });
  });
  std::string out;
  for (const std::size_t s : order) {
    Table table({"claim", "claimed", "unit", "measured", "95 % interval", "verdict"});
    std::string below;
    for (const BoardRow& row : rows) {
      if (row.claim->source != s) continue;
      table.add(cells(row));
      if (is_worth_a_line(row.judged.verdict)) below += line_below(row, colours);
    }
    if (table.empty()) continue;
    const claims::Source& source = board.sources[s];
    out += fmt::format("{}\n  {} ({})\n", paint(source.title, Tone::bold, colours), printable(source.where),
                       printable(source.read));
    out += table.text(colours, 5) + below + "\n";
  }
  return out + count_line(rows);
}

nlohmann::ordered_json to_json(const claims::Board& board, const BoardRow& row) {
  const claims::Claim& c = *row.claim;
  const claims::Source& source = board.sources.at(c.source);
  nlohmann::ordered_json out{{"id", c.id},
                             {"says", c.says},
                             {"claimed", c.shown},
                             {"value", c.value},
                             {"unit", c.unit},
                             {"hardware", c.hardware},
                             {"source",
                              {{"file", source.name},
                               {"title", source.title},
                               {"where", source.where},
                               {"place", c.place},
                               {"read", source.read}}}};
  if (std::isfinite(c.low)) out["reproduced_from"] = c.low;
  if (std::isfinite(c.high)) out["reproduced_to"] = c.high;
  if (!c.conditions.empty()) out["conditions"] = c.conditions;
  if (c.other) out["contradicted_by"] = {{"value", *c.other}, {"place", c.other_place}};
  out["verdict"] = name_of(row.judged.verdict);
  if (row.judged.verdict == Verdict::differs) out["off_percent"] = row.judged.off_percent;
  if (const auto& n = row.judged.number)
    out["measured"] = {{"value", n->value},
                       {"low", n->low},
                       {"high", n->high},
                       {"gpu", n->gpu},
                       {"take", claims::kTakeNames.at(static_cast<std::size_t>(c.take))},
                       {"findings", n->findings}};
  if (!c.note.empty()) out["note"] = c.note;
  return out;
}

}  // namespace plumb::report
