// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/catalog.h"
#include "cli/verbs.h"
#include "plumb/core/error.h"
#include "report/fleet.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

using report::Verdict;
using report::html::Card;
using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> files;
  std::string fail_on;
  double tolerance = 1.0;
  bool all = false;
  bool json = false;
};

/// "slower" or "slower:2.5": how much slower fails, as a part; none where nothing does.
std::optional<double> limit_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "slower") return 0.0;
  double percent = 0.0;
  const std::string_view number = std::string_view(text).substr(std::min<std::size_t>(text.size(), 7));
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (!text.starts_with("slower:") || error != std::errc() || end != number.data() + number.size() ||
      !(percent >= 0) || percent > 1000)
    throw Error(
        Fault::caller,
        fmt::format("--fail-on {}: it must be 'slower' or 'slower:PERCENT', such as slower:2.5.", text));
  return percent / 100;
}

std::string label(const Card& c) { return fmt::format("{}, {}", c.label, c.parts.front().provenance.date); }

void print(const report::Comparison& c, const std::vector<std::string>& topology, std::span<const Card> cards,
           const Options& options) {
  if (!options.json) {
    const bool colours = report::colours_on(stdout);
    fmt::print("first   {}\nsecond  {}\n", report::printable(label(cards[0])),
               report::printable(label(cards[1])));
    for (const std::string& d : topology) fmt::print("  floor plan: {}\n", d);
    fmt::print("{}", report::compare_table(c, options.all, colours));
    return;
  }
  Json rows = Json::array();
  for (const report::Compared& r : c.rows)
    rows.push_back({{"name", r.name},
                    {"unit", r.unit},
                    {"first", {{"value", r.first.value}, {"low", r.first.low}, {"high", r.first.high}}},
                    {"second", {{"value", r.second.value}, {"low", r.second.low}, {"high", r.second.high}}},
                    {"better_percent", 100 * r.gain()},
                    {"verdict", std::string(report::name_of(r.verdict))},
                    {"why", r.why}});
  const Json all{{"first", label(cards[0])},     {"second", label(cards[1])},   {"notes", c.notes},
                 {"floor_plan", topology},       {"findings", std::move(rows)}, {"only_first", c.only_first},
                 {"only_second", c.only_second}, {"other_cases", c.other_cases}};
  fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
}

void compare_two(std::span<const Card> cards, const Options& options, std::optional<double> limit) {
  const auto c = report::compare(cards[0].findings, cards[0].parts.front().provenance, cards[1].findings,
                                 cards[1].parts.front().provenance, options.tolerance / 100);
  const auto topology = cards[0].map && cards[1].map ? report::differences(*cards[0].map, *cards[1].map)
                                                     : std::vector<std::string>();
  print(c, topology, cards, options);
  if (!limit) return;
  const auto failed = std::count_if(c.rows.begin(), c.rows.end(), [&](const report::Compared& r) {
    return r.verdict == Verdict::slower && -r.gain() >= *limit;
  });
  if (failed > 0)
    throw Error(Fault::check,
                fmt::format("{} of {} findings are slower{}; the largest loss is {:.1f} %, {}.", failed,
                            c.rows.size(), *limit > 0 ? fmt::format(" by {:g} % or more", 100 * *limit) : "",
                            -100 * c.rows.front().gain(), report::printable(c.rows.front().name)));
}

void compare_fleet(std::span<const Card> cards, const Options& options, std::optional<double> limit) {
  const report::Fleet fleet = report::fleet_of(cards, options.tolerance / 100);
  if (options.json) {
    Json outliers = Json::array();
    for (const report::Outlier& o : fleet.outliers)
      outliers.push_back({{"card", fleet.labels[o.card]},
                          {"name", o.name},
                          {"value", o.value},
                          {"median", o.median},
                          {"unit", o.unit},
                          {"z", o.z}});
    const Json all{{"cards", fleet.labels},
                   {"findings", fleet.findings},
                   {"differs", fleet.differs},
                   {"outliers", std::move(outliers)}};
    fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{} cards, {} findings in at least three of them\n{}", fleet.labels.size(), fleet.findings,
               report::fleet_table(fleet, report::colours_on(stdout)));
  }
  if (!limit) return;
  const auto failed =
      std::count_if(fleet.outliers.begin(), fleet.outliers.end(), [&](const report::Outlier& o) {
        const double loss = o.value < o.median ? 1 - o.value / o.median : o.value / o.median - 1;
        return o.z < 0 && loss >= *limit;
      });
  if (failed > 0)
    throw Error(Fault::check,
                fmt::format("{} findings of single cards are outliers on the slow side.", failed));
}

}  // namespace

void add_compare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "compare", "Two recordings: same, faster, slower or ambiguous; of three or more, the outliers");
  verb->add_option(
          "RECORDING", options->files,
          "Two recordings, or more for a fleet; one alone is compared with the H200 runs that Plumb ships")
      ->required();
  verb->add_option("--fail-on", options->fail_on,
                   "slower or slower:PERCENT: exit code 1 where a finding is slower (by that much)");
  verb->add_option("--tolerance", options->tolerance, "Values less than this many percent apart are the same")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  verb->add_flag("--all", options->all, "List the findings that are the same, too");
  verb->add_flag("--json", options->json, "Every finding with both values, intervals, verdict and reason");
  verb->callback([options] {
    const std::optional<double> limit = limit_of(options->fail_on);
    // Each file is a card of its own here: two of one card are what one compares.
    std::vector<Card> cards;
    const auto add = [&](const std::vector<std::string>& files) {
      for (Card& c : cards_from(files)) cards.push_back(std::move(c));
    };
    if (options->files.size() == 1) add({});
    for (const std::string& file : options->files) add({file});
    cards.size() == 2 ? compare_two(cards, *options, limit) : compare_fleet(cards, *options, limit);
  });
}

}  // namespace plumb::cli
