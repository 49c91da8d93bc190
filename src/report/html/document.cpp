// SPDX-License-Identifier: Apache-2.0
#include "report/html/document.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <functional>

#include "plumb/core/error.h"
#include "report/compare.h"
#include "report/fleet.h"
#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

constexpr double kTolerance = 0.01;

Json part_json(const Part& part) {
  const Provenance& p = part.provenance;
  std::string experiments;
  std::size_t cases = 0;
  for (const auto& [name, measurements] : part.measurements) {
    experiments += (experiments.empty() ? "" : ", ") + name;
    cases += measurements.size();
  }
  const auto clock = [&](const char* name) {
    const auto it = p.clocks_mhz.find(name);
    return it == p.clocks_mhz.end() ? Json() : Json(it->second);
  };
  return {{"gpu", p.gpu_name},
          {"hash", p.gpu_uuid_hash.substr(0, 8)},
          {"compute", p.compute_capability},
          {"sms", p.sm_count},
          {"driver", p.driver_version},
          {"cuda", p.cuda_version},
          {"sm_clock", clock("sm")},
          {"sm_clock_most", clock("sm_max")},
          {"memory_clock", clock("memory")},
          {"ecc", p.ecc},
          {"date", p.date},
          {"command", p.command_line},
          {"tool", p.tool_version + (p.tool_commit.empty() ? "" : " (" + p.tool_commit + ")")},
          {"simulated", p.backend == "sim"},
          {"experiments", experiments},
          {"cases", cases}};
}

/// What a reader must be careful about, in plain words.
Json warnings_of(const Card& card) {
  Json out = Json::array();
  for (const Part& part : card.parts) {
    for (const std::string& w : part.warnings) out.push_back(w);
    for (const std::string& f : part.flags) out.push_back(f);
    if (part.provenance.backend == "sim") out.push_back("These are numbers of the simulator, not of a card.");
  }
  const auto other = std::find_if(card.parts.begin(), card.parts.end(), [&](const Part& p) {
    return p.provenance.gpu_uuid_hash != card.parts.front().provenance.gpu_uuid_hash;
  });
  if (other != card.parts.end())
    out.push_back(fmt::format(
        "The recordings were made on different cards of one kind, {}; floor plans differ from card to card.",
        card.parts.front().provenance.gpu_name));
  return out;
}

Json verdict_rows(const Comparison& c) {
  Json rows = Json::array();
  for (const Compared& r : c.rows)
    rows.push_back({{"name", r.name},
                    {"unit", r.unit},
                    {"first", r.first.value},
                    {"second", r.second.value},
                    {"gain", 100 * r.gain()},
                    {"verdict", std::string(name_of(r.verdict))},
                    {"why", r.why}});
  return rows;
}

/// The first card beside the second.
Section compare_section(const Card& first, const Card& second) {
  Section s{.id = "compare", .title = fmt::format("{} beside {}", first.label, second.label), .takeaway = {}};
  try {
    const Comparison c = compare(first.findings, first.parts.front().provenance, second.findings,
                                 second.parts.front().provenance, kTolerance);
    std::array<std::size_t, 4> count{};
    for (const Compared& r : c.rows) ++count[static_cast<std::size_t>(r.verdict)];
    s.takeaway = fmt::format(
        "Of {} findings the second is the same in {}, faster in {}, slower in {}, and {} cannot be told.",
        c.rows.size(), count[0], count[1], count[2], count[3]);
    std::vector<std::string> notes = c.notes;
    if (first.map && second.map)
      for (std::string& d : differences(*first.map, *second.map)) notes.push_back(std::move(d));
    if (!notes.empty())
      s.blocks.push_back(text("What else differs. " + fmt::format("{}", fmt::join(notes, "; ")) + "."));
    Json rows = verdict_rows(c);
    Chart chart{.id = "compare-gain",
                .title = "How much better the second is, by verdict",
                .summary = s.takeaway,
                .columns = {{"name", "finding", ""}, {"verdict", "verdict", ""}, {"gain", "better by", "%"}},
                .rows = rows,
                .spec = R"json({
  "height": {"step": 44}, "transform": [{"calculate": "random()", "as": "jitter"}],
  "mark": {"type": "point", "filled": true, "size": 26, "opacity": 0.55},
  "encoding": {"y": {"field": "verdict", "type": "nominal", "title": null}, "yOffset": {"field": "jitter", "type": "quantitative"},
    "x": {"field": "gain", "type": "quantitative", "title": "second better than first by, %"},
    "color": {"field": "verdict", "type": "nominal", "legend": null}, "shape": {"field": "verdict", "type": "nominal", "legend": null},
    "tooltip": [{"field": "name"}, {"field": "first", "format": ".5~g"}, {"field": "second", "format": ".5~g"}, {"field": "gain", "format": "+.2f"}, {"field": "why"}]}})json",
                .how =
                    "Each finding with its 95 % interval: the same where intervals overlap or values are "
                    "within 1 %, faster or slower where both clocks say so."};
    s.blocks.push_back(block(chart));
    constexpr std::size_t kMostRows = 300;
    if (rows.size() > kMostRows) rows.erase(rows.begin() + kMostRows, rows.end());
    s.blocks.push_back(table("compare-table", "Losses, wins, and what cannot be told",
                             {{"name", "finding", ""},
                              {"unit", "unit", ""},
                              {"first", "first", ""},
                              {"second", "second", ""},
                              {"gain", "better by", "%"},
                              {"verdict", "verdict", ""},
                              {"why", "why", ""}},
                             rows));
  } catch (const Error& e) {
    s.takeaway = std::string("Not compared: ") + e.what();
    s.blocks.push_back(text("Other recordings stand beside this one where they can."));
  }
  return s;
}

Section fleet_section(std::span<const Card> cards) {
  Section s{.id = "fleet", .title = "The fleet", .takeaway = {}};
  try {
    const Fleet f = fleet_of(cards, kTolerance);
    s.takeaway = fmt::format("{} cards, {} findings, {} outliers by robust z-score.", f.labels.size(),
                             f.findings, f.outliers.size());
    Json rows = Json::array();
    for (std::size_t i = 0; i < f.labels.size(); ++i)
      rows.push_back({{"card", f.labels[i]},
                      {"outliers", std::count_if(f.outliers.begin(), f.outliers.end(),
                                                 [&](const Outlier& o) { return o.card == i; })},
                      {"differs", fmt::format("{}", fmt::join(f.differs[i], "; "))}});
    s.blocks.push_back(table(
        "fleet-cards", "Cards",
        {{"card", "card", ""}, {"outliers", "outliers", ""}, {"differs", "not as with most", ""}}, rows));
    rows = Json::array();
    for (const Outlier& o : f.outliers)
      rows.push_back({{"name", o.name},
                      {"card", f.labels[o.card]},
                      {"value", o.value},
                      {"median", o.median},
                      {"unit", o.unit},
                      {"z", o.z}});
    if (!rows.empty())
      s.blocks.push_back(table("fleet-outliers", "Findings that are not like those of the siblings",
                               {{"name", "finding", ""},
                                {"card", "card", ""},
                                {"value", "value", ""},
                                {"median", "median", ""},
                                {"unit", "unit", ""},
                                {"z", "robust z-score", ""}},
                               rows));
  } catch (const Error& e) {
    s.takeaway = std::string("Not compared: ") + e.what();
    s.blocks.push_back(text("A fleet is three cards of one kind or more."));
  }
  return s;
}

}  // namespace

Json document(std::span<const Card> cards, const claims::Board& board, const Json& explained) {
  const Card& card = cards.front();
  const Lookup found(card.findings);
  std::vector<const Card*> siblings;
  for (const Card& c : cards)
    if (c.parts.front().provenance.backend == card.parts.front().provenance.backend) siblings.push_back(&c);
  std::vector<std::function<Section()>> makers{[&] { return minute_section(card, found); },
                                               [&] { return floor_section(card, found); },
                                               [&] { return dsm_section(card, found); },
                                               [&] { return copy_section(card, found); },
                                               [&] { return mma_section(card, found); },
                                               [&] { return model_section(card, found, cards.subspan(1)); },
                                               [&] { return hypotheses_section(explained); },
                                               [&] { return claims_section(cards, board); }};
  if (siblings.size() == 2) makers.emplace_back([&] { return compare_section(*siblings[0], *siblings[1]); });
  if (siblings.size() > 2) makers.emplace_back([&] { return fleet_section(cards); });
  makers.emplace_back([&] { return rest_section(card, found); });
  std::vector<Section> sections(makers.size());
  tbb::parallel_for(std::size_t{0}, makers.size(), [&](std::size_t i) { sections[i] = makers[i](); });
  Json parts = Json::array();
  for (const Part& part : card.parts) parts.push_back(part_json(part));
  Json out{{"schema", 1},
           {"title", card.parts.front().provenance.gpu_name},
           {"parts", parts},
           {"warnings", warnings_of(card)},
           {"sections", Json::array()}};
  for (const Section& s : sections)
    if (!s.blocks.empty()) out["sections"].push_back(to_json(s));
  return out;
}

std::string inert(const Json& json) {
  const std::string plain = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size() + plain.size() / 16);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else if (plain.compare(i, 3, "\xE2\x80\xA8") == 0)
      out += "\\u2028", i += 2;
    else if (plain.compare(i, 3, "\xE2\x80\xA9") == 0)
      out += "\\u2029", i += 2;
    else
      out += c;
  }
  return out;
}

std::string page(std::string_view document_template, const Json& document) {
  constexpr std::string_view kOpen = R"(<script type="application/json" id="plumb-data">)";
  const std::size_t at = document_template.find(kOpen);
  const std::size_t end = at == std::string_view::npos ? at : document_template.find("</script>", at);
  if (end == std::string_view::npos)
    throw Error(Fault::caller, "the page's template has no place for data; build Plumb again.");
  std::string out(document_template.substr(0, at + kOpen.size()));
  out += inert(document);
  out += document_template.substr(end);
  return out;
}

}  // namespace plumb::report::html
