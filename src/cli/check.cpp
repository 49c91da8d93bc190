// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "claims/verdict.h"
#include "cli/catalog.h"
#include "cli/verbs.h"
#include "plumb/core/error.h"
#include "record/json.h"
#include "report/claims.h"
#include "report/findings.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> only;
  std::vector<std::string> verdicts;
  std::vector<std::string> fail_on;
  std::string claims;
  bool json = false;
};

claims::Verdict verdict_from(std::string_view option, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < claims::kVerdictNames.size(); ++v) {
    names.emplace_back(claims::kVerdictNames.at(v));
    std::ranges::replace(names.back(), ' ', '-');
    if (names.back() == name) return static_cast<claims::Verdict>(v);
  }
  throw Error(Fault::caller, fmt::format("{} {}: allowed are {}.", option, name, fmt::join(names, ", ")));
}

/// The claims whose ids match.
std::vector<const claims::Claim*> chosen(const claims::Board& board, const std::vector<std::string>& globs) {
  std::vector<const claims::Claim*> out;
  const auto matches = [](const std::string& glob, const claims::Claim& c) {
    return fnmatch(glob.c_str(), c.id.c_str(), 0) == 0;
  };
  for (const std::string& glob : globs)
    if (std::ranges::none_of(board.claims, [&](const auto& c) { return matches(glob, c); }))
      throw Error(Fault::caller,
                  fmt::format("--only {}: no claim has such an id; `plumb check --json` lists them.", glob));
  for (const claims::Claim& c : board.claims)
    if (globs.empty() || std::ranges::any_of(globs, [&](const auto& glob) { return matches(glob, c); }))
      out.push_back(&c);
  return out;
}

/// The findings that the claims may ask for, by kind of card: of several recordings of one kind, each
/// experiment counts from the first that has it.
std::vector<claims::Measured> findings_for(std::span<const claims::Claim* const> some,
                                           std::span<const record::Recording> recordings) {
  std::vector<claims::Claim> copies;
  for (const claims::Claim* c : some) copies.push_back(*c);
  const std::vector<std::string> wanted = claims::experiments_of(copies);
  std::vector<claims::Measured> out;
  std::set<std::pair<std::string, std::string>> there;
  for (const record::Recording& recording : recordings) {
    const std::string& gpu = recording.provenance.gpu_name;
    auto of_kind = std::ranges::find(out, gpu, &claims::Measured::gpu);
    if (of_kind == out.end()) of_kind = out.insert(out.end(), {.gpu = gpu, .findings = {}});
    for (const Experiment& experiment : known()) {
      if (!std::ranges::binary_search(wanted, experiment.name)) continue;
      const auto measurements = record::of_experiment(recording, experiment.name);
      if (measurements.empty() || !there.emplace(gpu, experiment.name).second) continue;
      auto findings = experiment.analyze(measurements);
      std::ranges::move(findings, std::back_inserter(of_kind->findings));
    }
  }
  return out;
}

void print(const Options& options, const claims::Board& board, std::span<const record::Recording> recordings,
           std::span<const report::BoardRow> rows) {
  if (options.json) {
    auto sources = nlohmann::ordered_json::array();
    for (const record::Recording& r : recordings) sources.push_back(record::to_json(r.provenance));
    auto all = nlohmann::ordered_json::array();
    for (const report::BoardRow& row : rows) all.push_back(report::to_json(board, row));
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"recordings", std::move(sources)}, {"claims", std::move(all)}}.dump(2));
    return;
  }
  for (const record::Recording& r : recordings)
    fmt::print("{}\n", report::printable(report::provenance_line(r.provenance)));
  fmt::print("\n{}", report::board_table(board, rows, report::colours_on(stdout)));
}

void check(const Options& options) {
  std::vector<claims::Verdict> shown;
  for (const auto& name : options.verdicts) shown.push_back(verdict_from("--verdict", name));
  std::vector<claims::Verdict> failing;
  for (const auto& name : options.fail_on) failing.push_back(verdict_from("--fail-on", name));
  const claims::Board board = claims::read_board(
      options.claims.empty() ? data_folder() / "claims" : std::filesystem::path(options.claims));
  const auto some = chosen(board, options.only);
  std::vector<record::Recording> recordings;
  if (options.files.empty())
    for (const auto& path : shipped_recordings()) recordings.push_back(record::read(path));
  for (const auto& file : options.files) recordings.push_back(record::read(file));
  for (const record::Recording& r : recordings)
    for (const auto& warning : r.warnings) fmt::print(stderr, "warning: {}\n", warning);

  const auto measured = findings_for(some, recordings);
  std::vector<report::BoardRow> rows;
  std::size_t failed = 0;
  for (const claims::Claim* claim : some) {
    const claims::Judged judged = claims::judge(*claim, measured);
    if (std::ranges::find(failing, judged.verdict) != failing.end()) ++failed;
    if (shown.empty() || std::ranges::find(shown, judged.verdict) != shown.end())
      rows.push_back({.claim = claim, .judged = judged});
  }
  print(options, board, recordings, rows);
  if (failed > 0)
    throw Error(Fault::check, fmt::format("--fail-on {}: {} of {} claims.", fmt::join(options.fail_on, ", "),
                                          failed, some.size()));
}

}  // namespace

void add_check(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "check", "The claims board: what has been published, beside what was measured, each with a verdict");
  verb->add_option("FILE", options->files, "Recordings; without one, the H200 runs that Plumb ships");
  verb->add_option("--only", options->only, "Claims: ids or globs such as 'dsm/*' (quote them)")
      ->allow_extra_args(false);
  verb->add_option("--verdict", options->verdicts,
                   "Show those alone: reproduced, differs, other-hardware, not-measured, contradicts-itself")
      ->allow_extra_args(false);
  verb->add_option("--fail-on", options->fail_on,
                   "Exit code 1 where a claim gets this verdict; without it a difference is a result and no "
                   "failure")
      ->allow_extra_args(false);
  verb->add_option("--claims", options->claims,
                   "A folder of claims (*.toml) in place of those that Plumb ships");
  verb->add_flag("--json", options->json, "Every claim with its source, what was measured, and the verdict");
  verb->callback([options] { check(*options); });
}

}  // namespace plumb::cli
