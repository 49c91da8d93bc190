// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/catalog.h"
#include "cli/verbs.h"
#include "config/size.h"
#include "copy/advice.h"
#include "plumb/core/error.h"
#include "record/recording.h"
#include "report/findings.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

struct Options {
  std::string bytes;
  std::string pattern = "dense";
  std::string from = "dram";
  std::string recording;
  bool json = false;
};

std::string way(const Copy& c) {
  if (c.path == CopyPath::ldgsts)
    return fmt::format("{} threads x 16 bytes x {} stages", c.threads, c.stages);
  return fmt::format("{} warps x {} stages of boxes of {}", c.threads / 32, c.stages, box_text(c));
}

void print(const std::vector<copy::Advice>& advice, const Options& options, const Provenance& provenance) {
  const bool colours = report::colours_on(stdout);
  fmt::print("{}\n", report::printable(report::provenance_line(provenance)));
  report::Table table({"path", "GB/s of an SM", "95 % interval", "TB/s of the chip", "KiB in flight",
                       "threads", "mbarriers", "as"});
  for (const copy::Advice& a : advice)
    table.add({std::string(name_of(a.copy.path)), fmt::format("{:.2f}", a.rate.value),
               fmt::format("{:.2f}..{:.2f}", a.rate.low, a.rate.high),
               fmt::format("{:.2f}", a.chip_rate / 1000),
               fmt::format("{:g}", static_cast<double>(sm_flight_bytes(a.copy)) / 1024),
               fmt::format("{}", a.copy.threads), fmt::format("{}", a.mbarriers), way(a.copy)});
  constexpr std::size_t kFirstLeft = 7;
  fmt::print("{}", table.text(colours, kFirstLeft));
  const copy::Advice& best = advice.front();
  if (advice.size() > 1 && advice[1].rate.high >= best.rate.low)
    fmt::print(
        "Take either: the intervals overlap. ldgsts costs threads, tma mbarriers and one thread of each "
        "warp.\n");
  else
    fmt::print("Take {}: {}.\n", name_of(best.copy.path), way(best.copy));
  fmt::print(
      "One CTA on each SM, all SMs at once, {}, {}. Within 1 % of the best, the way with fewest threads.\n",
      options.from, options.pattern);
}

}  // namespace

void add_predict_copy(CLI::App& predict) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = predict.add_subcommand(
      "copy", "Which way into shared memory brings most with so many bytes in flight, and what it costs");
  verb->add_option("--bytes-in-flight", options->bytes, "On their way to one SM at once: 24KiB, 32768")
      ->required();
  verb->add_option("--pattern", options->pattern,
                   "dense: tiles side by side; paged: each far from the one before")
      ->capture_default_str();
  verb->add_option("--from", options->from, "dram or l2")->capture_default_str();
  verb->add_option(
      "--recording", options->recording,
      "Of copy/ldgsts and copy/tma, on the card in question; without one, the H200 run that Plumb ships");
  verb->add_flag("--json", options->json, "For machines");
  verb->callback([options] {
    const auto path =
        options->recording.empty() ? shipped_recording("copy") : std::filesystem::path(options->recording);
    const record::Recording recording = record::read(path);
    for (const auto& warning : recording.warnings) fmt::print(stderr, "warning: {}\n", warning);
    const auto advice =
        copy::advise(recording.measurements, config::size_from(options->bytes), memory_from(options->from),
                     layout_from(options->pattern), recording.provenance.sm_count);
    if (advice.empty())
      throw Error(Fault::caller, fmt::format("{}: it has too few rates from {}, {}, for a model; `plumb run "
                                             "'copy/ldgsts' 'copy/tma'` measures them.",
                                             path.string(), options->from, options->pattern));
    if (!options->json) {
      print(advice, *options, recording.provenance);
      return;
    }
    auto json = nlohmann::ordered_json::array();
    for (const copy::Advice& a : advice)
      json.push_back({{"path", name_of(a.copy.path)},
                      {"threads", a.copy.threads},
                      {"stages", a.copy.stages},
                      {"box", a.copy.box},
                      {"bytes_in_flight", sm_flight_bytes(a.copy)},
                      {"mbarriers", a.mbarriers},
                      {"rate_GBps_an_SM", a.rate.value},
                      {"low", a.rate.low},
                      {"high", a.rate.high},
                      {"rate_GBps_chip", a.chip_rate}});
    fmt::print("{}\n", json.dump(2));
  });
}

}  // namespace plumb::cli
