// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/catalog.h"
#include "cli/verbs.h"
#include "plumb/core/error.h"
#include "report/html/document.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;

/// The page without data: data/report.html of an installed Plumb, or where the build has put it.
std::string page_template() {
  const std::array<fs::path, 2> places{data_folder() / "report.html", fs::path(PLUMB_TEMPLATE)};
  for (const fs::path& place : places) {
    std::ifstream in(place, std::ios::binary);
    if (in) return {std::istreambuf_iterator<char>(in), {}};
  }
  throw Error(Fault::caller,
              fmt::format("the report's page was not built: neither {} nor {} is there. It needs Node.js 18 "
                          "or newer and npm; install them, "
                          "run `make build` again, and `plumb report` works. `plumb analyze` needs neither.",
                          places[0].string(), places[1].string()));
}

/// What the options name; for the shipped runs, what is shipped beside them. Null where there is nothing.
report::html::Json explained_from(std::string file, bool shipped) {
  if (const fs::path beside = data_folder() / "recordings/h200/explained.json";
      file.empty() && shipped && fs::exists(beside))
    file = beside.string();
  if (file.empty()) return {};
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(Fault::caller, fmt::format("--explained {}: it cannot be read.", file));
  auto json = report::html::Json::parse(in, nullptr, false);
  if (!json.is_object() || !json.contains("hypotheses") || !json["hypotheses"].is_array())
    throw Error(Fault::caller,
                fmt::format("--explained {}: it is not what `plumb explain --json` prints.", file));
  return json;
}

void write(const fs::path& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  out << content;
  out.flush();
  if (!out)
    throw Error(Fault::caller,
                fmt::format("cannot write the report to {}; is the folder there, and may you write to it?",
                            path.string()));
}

}  // namespace

std::vector<report::html::Card> cards_from(const std::vector<std::string>& files) {
  std::vector<record::Recording> recordings;
  std::vector<fs::path> paths(files.begin(), files.end());
  if (files.empty())
    for (const fs::path& path : shipped_recordings())
      if (fs::exists(path)) paths.push_back(path);
  recordings.resize(paths.size());
  tbb::parallel_for(std::size_t{0}, paths.size(),
                    [&](std::size_t i) { recordings[i] = record::read(paths[i]); });
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (const std::string& warning : recordings[i].warnings)
      fmt::print(stderr, "warning: {}\n", report::printable(warning));
    if (recordings[i].measurements.empty())
      throw Error(Fault::caller,
                  fmt::format("{} has no finished case; there is nothing to tell. `plumb run -o {} "
                              "--resume` goes on with it.",
                              paths[i].string(), paths[i].string()));
  }
  return report::html::cards_of(std::move(recordings), known());
}

void add_report(CLI::App& app) {
  struct Options {
    std::vector<std::string> files;
    std::string output = "report.html";
    std::string explained;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("report", "One HTML file that explains a card: opens from disk, needs no network");
  verb->add_option("RECORDING", options->files,
                   "Recordings; without one, the H200 runs that Plumb ships. Several of one card make one "
                   "report; of others, those are compared with the first; a simulated "
                   "one stands beside the measured");
  verb->add_option("-o,--output", options->output, "The file to write")->capture_default_str();
  verb->add_option(
      "--explained", options->explained,
      "What `plumb explain --json` printed: hypotheses with their verdicts; of the shipped runs, theirs");
  verb->add_flag("--json", options->json, "Print what the page shows as JSON, and write no file");
  verb->callback([options] {
    const std::string blank = options->json ? std::string() : page_template();
    const auto cards = cards_from(options->files);
    const report::html::Json document =
        report::html::document(cards, claims::read_board(data_folder() / "claims"),
                               explained_from(options->explained, options->files.empty()));
    if (options->json) {
      fmt::print("{}\n", document.dump(1, ' ', false, report::html::Json::error_handler_t::replace));
      return;
    }
    const std::string page = report::html::page(blank, document);
    write(options->output, page);
    std::size_t charts = 0;
    for (const auto& section : document["sections"])
      for (const auto& block : section["blocks"]) charts += block["kind"] == "chart" ? 1 : 0;
    fmt::print("{}: {}, {} sections, {} charts, {:.1f} MB; open it in a browser\n", options->output,
               report::printable(cards.front().label), document["sections"].size(), charts,
               static_cast<double>(page.size()) / 1e6);
  });
}

}  // namespace plumb::cli
