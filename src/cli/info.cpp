// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "backend/cards.h"
#include "cli/catalog.h"
#include "cli/last_topology.h"
#include "cli/verbs.h"
#include "core/version.h"
#include "plumb/core/error.h"
#include "record/json.h"
#include "report/findings.h"
#include "report/floor_plan.h"
#include "report/terminal.h"

namespace plumb::cli {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

nlohmann::ordered_json to_json(const Card& c) {
  return {{"index", c.index},
          {"name", c.name},
          {"compute_capability", fmt::format("{}.{}", c.compute_major, c.compute_minor)},
          {"sm_count", c.sm_count},
          {"max_sm_clock_MHz", c.max_sm_clock_mhz},
          {"l2_bytes", c.l2_bytes},
          {"memory_bytes", c.memory_bytes},
          {"shared_bytes_per_cta", c.shared_bytes},
          {"clusters", c.clusters},
          {"ecc", c.ecc}};
}

/// The shipped recordings that are there, and why one is not.
std::pair<std::vector<std::string>, std::string> recording_state() {
  std::vector<std::string> there;
  try {
    for (const auto& path : shipped_recordings()) {
      if (!std::filesystem::exists(path)) return {there, path.string() + " is missing"};
      there.push_back(path.string());
    }
  } catch (const Error& error) {
    return {there, error.what()};
  }
  return {there, ""};
}

void print_text(const Cards& found) {
  const bool colours = report::colours_on(stdout);
  const auto yes = [&](std::string_view what) { return report::paint(what, report::Tone::good, colours); };
  const auto no = [&](std::string_view what) { return report::paint(what, report::Tone::warn, colours); };
  fmt::print("Plumb {} ({})\n", kVersion, kCommit.empty() ? "unknown commit" : kCommit);
  if (!found.cuda_version.empty())
    fmt::print("Driver {}, CUDA runtime {} built in\n", found.driver_version, found.cuda_version);

  fmt::print("\nMeasure on a card:  ");
  if (found.cards.empty()) fmt::print("{}: {}.\n", no("no"), found.why_none);
  for (const Card& c : found.cards) {
    fmt::print(
        "{}card {}: {}, compute {}.{}, {} SMs at up to {:.0f} MHz, L2 {:.0f} MiB, memory {:.0f} GiB, "
        "{:.0f} KiB shared memory a CTA, ECC {}: {}\n",
        c.index == 0 ? "" : "                    ", c.index, report::printable(c.name), c.compute_major,
        c.compute_minor, c.sm_count, c.max_sm_clock_mhz, static_cast<double>(c.l2_bytes) / kMiB,
        static_cast<double>(c.memory_bytes) / kMiB / 1024, static_cast<double>(c.shared_bytes) / 1024,
        c.ecc ? "on" : "off",
        c.clusters ? yes("yes") : no("no: it has no thread block clusters; Hopper (9.0) or newer is needed"));
  }
  const auto [paths, why] = recording_state();
  fmt::print("Replay recordings:  {}\n",
             why.empty() ? fmt::format("{}: {}", yes("yes"), fmt::join(paths, ", ")) : no("no") + ": " + why);
}

}  // namespace

namespace {

void print_topology(bool json) {
  const Cards found = find_cards();
  const KnownTopology known = last_topology(found.cards.empty() ? "" : found.cards.front().uuid_hash);
  const auto map = topology::map_of(known.recording.measurements);
  if (!map)
    throw Error(Fault::caller, fmt::format("{}: it shows no topology; `plumb run 'topology/*'` records it.",
                                           known.path.string()));
  if (json) {
    nlohmann::ordered_json all{{"recording", known.path.string()},
                               {"of_this_card", !known.shipped},
                               {"provenance", record::to_json(known.recording.provenance)}};
    all["floor_plan"] = report::to_json(*map);
    fmt::print("{}\n", all.dump(2));
    return;
  }
  fmt::print("{}\n", report::printable(report::provenance_line(known.recording.provenance)));
  if (known.shipped)
    fmt::print(
        "That is the card whose topology Plumb ships; `plumb run 'topology/*'` records that of yours.\n");
  fmt::print("\n{}", report::floor_plan(*map, report::colours_on(stdout)));
}

}  // namespace

void add_info(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  auto topology = std::make_shared<bool>(false);
  CLI::App* verb =
      app.add_subcommand("info", "What this machine and this build can do, and why not where not");
  verb->add_flag("--json", *json, "For machines");
  verb->add_flag("--topology", *topology,
                 "The floor plan of this card as last recorded, or else the shipped H200's");
  verb->callback([json, topology] {
    if (*topology) return print_topology(*json);
    const Cards found = find_cards();
    if (!*json) return print_text(found);
    auto cards = nlohmann::ordered_json::array();
    for (const Card& c : found.cards) cards.push_back(to_json(c));
    const auto [paths, why] = recording_state();
    const nlohmann::ordered_json all{{"version", kVersion},
                                     {"commit", kCommit},
                                     {"driver_version", found.driver_version},
                                     {"cuda_version", found.cuda_version},
                                     {"cards", std::move(cards)},
                                     {"why_no_card", found.why_none},
                                     {"shipped_recordings", paths},
                                     {"why_no_recording", why}};
    fmt::print("{}\n", all.dump(2));
  });
}

}  // namespace plumb::cli
