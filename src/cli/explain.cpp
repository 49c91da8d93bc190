// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/observations.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "config/pattern_file.h"
#include "infer/discriminate.h"
#include "infer/verdict.h"
#include "plumb/core/error.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

struct Options {
  std::string file;
  std::string machine = "h200";
  std::vector<std::string> changes;
  std::vector<std::string> only;
  std::vector<std::string> pair;
  std::string output = "discriminate.toml";
  int evaluations = 30;
  std::size_t cases = 300;
  int patterns = 200;
  std::uint64_t seed = 1;
  bool json = false;
};

report::Tone tone_of(infer::Verdict v) {
  if (v == infer::Verdict::refuted) return report::Tone::bad;
  return v == infer::Verdict::survives ? report::Tone::good : report::Tone::dim;
}

nlohmann::ordered_json to_json(const infer::Judged& j) {
  nlohmann::ordered_json out{{"name", j.hypothesis.name},
                             {"claim", j.hypothesis.claim},
                             {"verdict", name_of(j.comparison.verdict)},
                             {"loss", j.comparison.loss},
                             {"chance", j.comparison.chance},
                             {"patterns", j.comparison.patterns}};
  if (j.deciding) out["deciding"] = j.deciding->text;
  if (!j.failure.empty()) out["failure"] = j.failure;
  return out;
}

void print(const infer::Judged& j, bool colours) {
  const infer::Comparison& c = j.comparison;
  fmt::print("\n{}: {}.\n  {}", report::paint(j.hypothesis.name, report::Tone::bold, colours),
             j.hypothesis.claim, report::paint(name_of(c.verdict), tone_of(c.verdict), colours));
  if (!j.failure.empty()) {
    fmt::print(": the cases cannot run so. {}\n",
               report::printable(j.failure.substr(0, j.failure.find('\n'))));
    return;
  }
  if (c.verdict == infer::Verdict::cannot_tell) {
    fmt::print(": these cases hardly depend on it.\n");
    return;
  }
  fmt::print(
      ": log likelihood {:+.1f} against the machine over {} held-out patterns, where seeds alone make "
      "{:.1f}.\n",
      -c.loss, c.patterns, c.chance);
  if (j.deciding) fmt::print("  {}\n", report::printable(j.deciding->text));
}

std::vector<infer::Hypothesis> chosen(const Options& options, const fabric::Parameters& machine) {
  if (options.only.empty()) return infer::hypotheses(machine);
  std::vector<infer::Hypothesis> out;
  for (const std::string& name : options.only) out.push_back(infer::hypothesis(name, machine));
  return out;
}

void judge(const Options& options) {
  const config::Machine machine = machine_of(options.machine, options.changes);
  const auto hypotheses = chosen(options, machine.sim.parameters);
  const Observations seen = observations_of(options.file, options.json ? stderr : stdout);
  const auto cases = infer::spread_out(seen.cases, options.cases);
  Progress progress;
  progress.expect(hypotheses.size() + 1);
  const auto judged = infer::judge(cases, machine.sim, hypotheses,
                                   {.free = machine.free,
                                    .evaluations = options.evaluations,
                                    .cases = options.cases,
                                    .samples = 1,
                                    .seed = options.seed,
                                    .progress = [&](std::size_t number, std::size_t, std::string_view what) {
                                      progress.show(number, what);
                                    }});
  if (options.json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& j : judged) list.push_back(to_json(j));
    const nlohmann::ordered_json all{{"recording", seen.name},
                                     {"machine", machine.sim.name},
                                     {"cases", cases.size()},
                                     {"hypotheses", list}};
    fmt::print("{}\n", all.dump(2));
    return;
  }
  fmt::print(
      "{} cases of all families; free parameters fitted again to each half of the families, {} evaluations "
      "each, and judged on the other half.\n",
      cases.size(), options.evaluations);
  for (const auto& j : judged) print(j, report::colours_on(stdout));
  for (const auto v : {infer::Verdict::refuted, infer::Verdict::survives, infer::Verdict::cannot_tell}) {
    const auto count =
        std::ranges::count_if(judged, [&](const auto& j) { return j.comparison.verdict == v; });
    fmt::print("{}{}: {}", v == infer::Verdict::refuted ? "\n" : ", ", name_of(v), count);
  }
  fmt::print(".\n");
}

void discriminate(const Options& options) {
  const config::Machine machine = machine_of(options.machine, options.changes);
  const auto first = infer::hypothesis(options.pair[0], machine.sim.parameters);
  const auto second = infer::hypothesis(options.pair[1], machine.sim.parameters);
  Progress progress;
  progress.expect(static_cast<std::size_t>(options.patterns));
  const infer::Separation s = infer::discriminate(
      machine.sim, first, second,
      {.patterns = options.patterns, .seeds = 3, .seed = options.seed, .progress = [&](int number) {
         progress.show(static_cast<std::size_t>(number), "patterns");
       }});
  if (s.traffic.flows.empty())
    throw Error(Fault::check, fmt::format("none of {} patterns tells {} from {}; try more with --patterns.",
                                          options.patterns, first.name, second.name));
  const Flow& f = s.traffic.flows[s.flow];
  const std::string found = fmt::format(
      "{} against {} on {}: {} {} > {} of {} bytes takes {:.0f} or {:.0f} cycles, {:.1f} times\n"
      "what seeds and a spread of {:.0f} % on the card would give.",
      first.name, second.name, machine.sim.name, name_of(f.op), f.source, f.destination, f.bytes,
      s.first[s.flow], s.second[s.flow], s.score, 100 * infer::kCardSpread);
  std::ofstream out(options.output, std::ios::binary);
  out << config::pattern_text(s.traffic, found);
  out.close();
  if (!out) throw Error(Fault::caller, fmt::format("-o {}: it cannot be written.", options.output));
  if (options.json) {
    const nlohmann::ordered_json j{
        {"first", first.name},     {"second", second.name},     {"score", s.score},         {"flow", s.flow},
        {"cycles_first", s.first}, {"cycles_second", s.second}, {"pattern", options.output}};
    fmt::print("{}\n", j.dump(2));
    return;
  }
  fmt::print(
      "{}\nThe pattern is in {}; measure it with `plumb run --pattern {} -o card.jsonl`, then\n"
      "`plumb explain card.jsonl --only {} --only {}`.\n",
      found, options.output, options.output, first.name, second.name);
}

}  // namespace

void add_explain(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "explain", "Which variants of the fabric a recording refutes, each with the case that decides");
  verb->add_option("FILE", options->file, "A recording; without one, the H200 run that Plumb ships");
  verb->add_option(
          "--only", options->only,
          "Hypotheses by name, or KEY=VALUE,KEY=VALUE of your own; all that are registered where none")
      ->allow_extra_args(false);
  verb->add_option("--machine", options->machine,
                   "What they are judged against: a machine that Plumb ships, or a file")
      ->capture_default_str();
  verb->add_option("--set", options->changes,
                   "A parameter of that machine changed before, such as shaper=bucket")
      ->type_name("KEY=VALUE");
  verb->add_option("--evaluations", options->evaluations,
                   "That each refit of the free parameters may take; 0: no refit")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  verb->add_option("--cases", options->cases, "Of the recording, at most, of all families alike")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str();
  verb->add_option(
          "--discriminate", options->pair,
          "Instead: search the traffic that tells two variants apart, and write it as a pattern file; "
          "'machine' is the one without changes")
      ->expected(2)
      ->type_name("A B");
  verb->add_option("-o,--output", options->output, "With --discriminate: the pattern file")
      ->capture_default_str();
  verb->add_option("--patterns", options->patterns, "With --discriminate: how many to try")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "Of simulations and of the search")->capture_default_str();
  verb->add_flag("--json", options->json, "All of it for machines; messages go to standard error");
  verb->callback([options] { options->pair.empty() ? judge(*options) : discriminate(*options); });
}

}  // namespace plumb::cli
