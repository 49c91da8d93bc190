// SPDX-License-Identifier: Apache-2.0
#include "report/floor_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/terminal.h"

namespace plumb::report {
namespace {

using topology::Map;
using topology::Seat;

constexpr std::size_t kLeastWidth = 42;  // between the walls of a box
constexpr std::size_t kShownDifferences = 8;

std::string text_of(const Seat& seat) {
  std::string sms;
  for (const int sm : seat.sms) sms += fmt::format("{}{:>3}", sms.empty() ? "" : " ", sm);
  return seat.lone ? fmt::format("({})", sms) : fmt::format("[{}]", sms);
}

/// Lines of one box, all of them `width` characters between the walls.
struct Box {
  std::string title;
  std::vector<std::string> lines;
};

std::string title_of(int gpc, const std::vector<const Seat*>& seats) {
  std::size_t sms = 0;
  std::set<int> partitions;
  for (const Seat* s : seats) {
    sms += s->sms.size();
    partitions.insert(s->partition);
  }
  std::string title = fmt::format("GPC {}, {} SMs", gpc, sms);
  if (partitions.size() == 1 && *partitions.begin() >= 0)
    title += fmt::format(", L2 partition {}", *partitions.begin());
  else if (partitions.size() > 1)
    title += ", in several L2 partitions";
  return title;
}

std::vector<Box> boxes_of(const Map& map) {
  std::vector<Box> out;
  for (int gpc = 0; gpc < map.gpcs; ++gpc) {
    std::vector<const Seat*> seats;
    std::map<int, std::string> lines;  // by CPC; -1 comes first
    for (const Seat& s : map.tpcs) {
      if (s.gpc != gpc) continue;
      seats.push_back(&s);
      std::string& line = lines[s.cpc];
      if (line.empty()) line = s.cpc < 0 ? std::string("CPC ?") : fmt::format("CPC {}", s.cpc);
      line += fmt::format(" {}", text_of(s));
    }
    Box box{.title = title_of(gpc, seats), .lines = {}};
    for (auto& [cpc, line] : lines) box.lines.push_back(std::move(line));
    out.push_back(std::move(box));
  }
  return out;
}

/// "99.30 %", and "over 99.99 %" rather than a hundred.
std::string percent(double p) {
  constexpr double kMost = 0.9999;
  return p > kMost ? fmt::format("over {} %", 100 * kMost) : fmt::format("{:.2f} %", 100 * p);
}

std::string repeat(std::string_view what, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += what;
  return out;
}

std::string row_of(const Box* box, std::size_t line, std::size_t lines, std::size_t width, bool colours) {
  if (box == nullptr) return {};
  if (line == 0)
    return fmt::format("╭ {} {}╮", paint(box->title, Tone::bold, colours),
                       repeat("─", width - box->title.size()));
  if (line == lines + 1) return fmt::format("╰{}╯", repeat("─", width + 2));
  const std::string text = line <= box->lines.size() ? box->lines[line - 1] : std::string();
  return fmt::format("│ {:<{}} │", text, width);
}

std::string draw(const std::vector<Box>& boxes, bool colours) {
  std::size_t width = kLeastWidth;
  for (const Box& b : boxes) {
    width = std::max(width, b.title.size());
    for (const std::string& line : b.lines) width = std::max(width, line.size());
  }
  std::string out;
  for (std::size_t b = 0; b < boxes.size(); b += 2) {
    const Box* left = &boxes[b];
    const Box* right = b + 1 < boxes.size() ? &boxes[b + 1] : nullptr;
    const std::size_t lines = std::max(left->lines.size(), right != nullptr ? right->lines.size() : 0);
    for (std::size_t line = 0; line < lines + 2; ++line)
      out += fmt::format("{}{}{}\n", row_of(left, line, lines, width, colours), right != nullptr ? "  " : "",
                         row_of(right, line, lines, width, colours));
  }
  return out;
}

}  // namespace

std::string floor_plan(const Map& map, bool colours) {
  std::string out = fmt::format("{}  {} SMs in {} TPCs and {} GPCs\n",
                                paint("floor plan", Tone::bold, colours), map.sms, map.tpcs.size(), map.gpcs);
  out += draw(boxes_of(map), colours);
  std::string unknown;
  for (const Seat& s : map.tpcs)
    if (s.gpc < 0) unknown += fmt::format(" {}", text_of(s));
  if (!unknown.empty()) out += paint("  GPC undetermined:" + unknown, Tone::warn, colours) + "\n";
  out += "  [SM SM] a TPC, (SM SM) one that is never in a cluster with others; numbers are %smid\n";
  if (map.partition_difference > 0.0)
    out += fmt::format("  the far L2 partition takes {:.1f} cycles more than the near one\n",
                       map.partition_difference);
  for (const Seat& s : map.tpcs) {
    if (!s.lone) continue;
    std::string where = s.gpc < 0 ? std::string("undetermined") : fmt::format("GPC {}", s.gpc);
    if (s.probability) where += fmt::format(", {}", percent(*s.probability));
    out += fmt::format("  {}: {}\n", text_of(s), where);
    for (const std::string& e : s.evidence) out += fmt::format("    {}\n", e);
  }
  out += fmt::format("  from {}\n", fmt::join(map.methods, ", "));
  for (const topology::Agreement& a : map.agreements) {
    const bool all = a.agree == a.judged;
    out += paint(fmt::format("  {}: {} of {} agree", a.what, a.agree, a.judged),
                 all ? Tone::plain : Tone::warn, colours) +
           "\n";
    for (std::size_t d = 0; d < std::min(a.differences.size(), kShownDifferences); ++d)
      out += fmt::format("    {}\n", a.differences[d]);
    if (a.differences.size() > kShownDifferences)
      out += fmt::format("    and {} more; --json lists them\n", a.differences.size() - kShownDifferences);
  }
  return out;
}

nlohmann::ordered_json to_json(const Map& map) {
  using Json = nlohmann::ordered_json;
  const auto number = [](int n) { return n < 0 ? Json() : Json(n); };
  Json tpcs = Json::array();
  for (const Seat& s : map.tpcs)
    tpcs.push_back({{"sms", s.sms},
                    {"gpc", number(s.gpc)},
                    {"cpc", number(s.cpc)},
                    {"partition", number(s.partition)},
                    {"lone", s.lone},
                    {"probability", s.probability ? Json(*s.probability) : Json()},
                    {"evidence", s.evidence}});
  Json agreements = Json::array();
  for (const topology::Agreement& a : map.agreements)
    agreements.push_back(
        {{"what", a.what}, {"agree", a.agree}, {"judged", a.judged}, {"differences", a.differences}});
  return {{"sms", map.sms},          {"gpcs", map.gpcs},
          {"tpcs", std::move(tpcs)}, {"partition_difference_cycles", map.partition_difference},
          {"methods", map.methods},  {"agreements", std::move(agreements)}};
}

}  // namespace plumb::report
