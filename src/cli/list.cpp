// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/catalog.h"
#include "cli/verbs.h"
#include "report/terminal.h"

namespace plumb::cli {

void add_list(CLI::App& app) {
  struct Options {
    std::vector<std::string> globs;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("list", "The experiments: what each asks, its cases, its seconds on a card");
  verb->add_option("PATTERN", options->globs,
                   "Names or globs such as 'dsm/*' (quote them); all where none is given");
  verb->add_flag("--json", options->json, "For machines");
  verb->callback([options] {
    const bool colours = report::colours_on(stdout);
    auto json = nlohmann::ordered_json::array();
    for (const Experiment& e : select(options->globs)) {
      const std::size_t cases = e.cases({}).size();
      const double seconds = e.seconds_a_case * static_cast<double>(cases);
      json.push_back({{"name", e.name},
                      {"question", e.question},
                      {"cases", cases},
                      {"adaptive", e.more != nullptr},
                      {"seconds", seconds}});
      if (!options->json)
        fmt::print("{}  {} cases{}, about {:.1f} s\n  {}\n",
                   report::paint(e.name, report::Tone::bold, colours), cases, e.more ? " or more" : "",
                   seconds, e.question);
    }
    if (options->json) fmt::print("{}\n", json.dump(2));
  });
}

}  // namespace plumb::cli
