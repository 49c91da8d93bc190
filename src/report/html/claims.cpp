// SPDX-License-Identifier: Apache-2.0
// What others have published, beside what was measured; and variants of the fabric with their verdicts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "claims/verdict.h"
#include "report/html/sections.h"

namespace plumb::report::html {

namespace {

/// What the card decides comes first.
std::size_t place(const Json& row) {
  static constexpr std::array<std::string_view, 5> kOrder{"differs", "reproduced", "contradicts itself",
                                                          "not measured", "other hardware"};
  const auto at = std::find(kOrder.begin(), kOrder.end(), row["verdict"].get_ref<const std::string&>());
  return static_cast<std::size_t>(at - kOrder.begin());
}

}  // namespace

Section claims_section(std::span<const Card> cards, const claims::Board& board) {
  Section s{.id = "claims", .title = "Claims board", .takeaway = {}};
  std::vector<claims::Measured> measured;
  for (const Card& c : cards)
    measured.push_back({.gpu = c.parts.front().provenance.gpu_name, .findings = c.findings});
  std::array<std::size_t, claims::kVerdictNames.size()> count{};
  Json rows = Json::array();
  for (const claims::Claim& claim : board.claims) {
    const claims::Judged j = claims::judge(claim, measured);
    ++count.at(static_cast<std::size_t>(j.verdict));
    const claims::Source& source = board.sources.at(claim.source);
    rows.push_back({{"id", claim.id},
                    {"says", claim.says},
                    {"published", claim.shown},
                    {"unit", claim.unit},
                    {"measured", j.number ? Json(j.number->value) : Json()},
                    {"low", j.number ? Json(j.number->low) : Json()},
                    {"high", j.number ? Json(j.number->high) : Json()},
                    {"verdict", std::string(claims::name_of(j.verdict))},
                    {"note", claim.note},
                    {"source", source.title + ", " + claim.place}});
  }
  if (rows.empty()) return s;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Json& a, const Json& b) { return place(a) < place(b); });
  for (std::size_t v = 0; v < count.size(); ++v)
    s.takeaway += fmt::format("{}{} {}", v == 0 ? "Of what has been published: " : ", ", count.at(v),
                              claims::kVerdictNames.at(v));
  s.takeaway += ".";
  s.blocks.push_back(table("claims-board",
                           "Published statements and what this card says; press a column's head to sort",
                           {{"id", "claim", ""},
                            {"verdict", "verdict", ""},
                            {"published", "published", ""},
                            {"measured", "measured", ""},
                            {"low", "low", ""},
                            {"high", "high", ""},
                            {"unit", "unit", ""},
                            {"says", "statement", ""},
                            {"note", "what explains a difference", ""},
                            {"source", "source", ""}},
                           rows));
  s.blocks.back()["how"] =
      "Each claim is judged from the findings of this page, as `plumb check` does; claims/*.toml has them "
      "with their sources.";
  return s;
}

Section hypotheses_section(const Json& explained) {
  Section s{.id = "hypotheses", .title = "Hypotheses about the fabric", .takeaway = {}};
  if (!explained.contains("hypotheses") || !explained["hypotheses"].is_array()) return s;
  std::map<std::string, std::size_t> count;
  Json rows = Json::array();
  for (const Json& h : explained["hypotheses"]) {
    const auto word = [&](const char* key) {
      return h.contains(key) && h[key].is_string() ? h[key].get<std::string>() : std::string();
    };
    const auto number = [&](const char* key) {
      return h.contains(key) && h[key].is_number() ? h[key] : Json();
    };
    ++count[word("verdict")];
    rows.push_back({{"name", word("name")},
                    {"claim", word("claim")},
                    {"verdict", word("verdict")},
                    {"loss", number("loss")},
                    {"chance", number("chance")},
                    {"deciding", h.contains("failure") ? word("failure") : word("deciding")}});
  }
  s.takeaway = fmt::format("Of {} variants of the simulated fabric the recording refutes {}.", rows.size(),
                           count["refuted"]);
  if (const std::size_t untold = count["cannot tell"]; untold > 0)
    s.takeaway += fmt::format(" Of {} it cannot tell.", untold);
  s.blocks.push_back(table("hypotheses-board",
                           "Each variant against the machine, on cases that neither was fitted to",
                           {{"name", "variant", ""},
                            {"claim", "what it claims", ""},
                            {"verdict", "verdict", ""},
                            {"loss", "log likelihood lost", ""},
                            {"chance", "chance makes", ""},
                            {"deciding", "the case that decides", ""}},
                           rows));
  s.blocks.back()["how"] = "From `plumb explain --json`; docs/explain.md tells how a variant is judged.";
  return s;
}

}  // namespace plumb::report::html
