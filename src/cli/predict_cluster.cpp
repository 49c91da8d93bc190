// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "backend/cards.h"
#include "cli/last_topology.h"
#include "cli/verbs.h"
#include "model/cluster_fit.h"
#include "plumb/core/error.h"
#include "plumb/core/traffic.h"
#include "report/findings.h"
#include "report/terminal.h"
#include "topology/groups.h"

namespace plumb::cli {
namespace {

struct Options {
  int size = 0;
  int preferred = 0;
  int fallback = 0;
  int grid = 0;
  int per_sm = 1;
  int device = 0;
  std::string recording;
  bool json = false;
};

/// One way to launch the grid.
struct Choice {
  int ranks = 0;
  int preferred = 0;
  model::ClusterPlan plan;

  [[nodiscard]] std::string name() const {
    return preferred != 0 ? fmt::format("{} or {}", preferred, ranks) : fmt::format("{}", ranks);
  }
};

KnownTopology topology_for(const Options& options) {
  if (!options.recording.empty())
    return {.recording = record::read(options.recording), .path = options.recording, .shipped = false};
  const Cards found = find_cards();
  const auto card = std::find_if(found.cards.begin(), found.cards.end(),
                                 [&](const Card& c) { return c.index == options.device; });
  return last_topology(card == found.cards.end() ? "" : card->uuid_hash);
}

void check(const Options& o) {
  if (o.size == 0 && o.preferred == 0)
    throw Error(Fault::caller, "give --size, or --preferred with --fallback: CTAs of a cluster.");
  if ((o.preferred == 0) != (o.fallback == 0))
    throw Error(Fault::caller,
                "--preferred and --fallback go together: the size to try first, and the one that "
                "fills what it leaves.");
  if (o.size != 0 && o.preferred != 0 && o.size != o.preferred)
    throw Error(Fault::caller,
                fmt::format("--size {} and --preferred {}: with a preferred size that is the size.", o.size,
                            o.preferred));
  for (const int size : {o.size, o.preferred, o.fallback})
    if (size < 0 || size > kMaxRanks)
      throw Error(Fault::caller, fmt::format("a cluster of {} CTAs: allowed is 1 to {}.", size, kMaxRanks));
  if (o.per_sm < 1) throw Error(Fault::caller, fmt::format("--per-sm {}: give 1 or more CTAs.", o.per_sm));
  if (o.grid < 0) throw Error(Fault::caller, fmt::format("--grid {}: give 1 or more CTAs.", o.grid));
}

/// Fewer waves, then fewer places that stay empty.
bool is_better(const Choice& a, const Choice& b) {
  if ((a.plan.waves == 0) != (b.plan.waves == 0)) return b.plan.waves == 0;
  if (a.plan.waves != b.plan.waves) return a.plan.waves < b.plan.waves;
  return a.plan.wave.idle_sms < b.plan.wave.idle_sms;
}

nlohmann::ordered_json to_json(const Choice& c) {
  nlohmann::ordered_json out{{"size", c.ranks}};
  if (c.preferred != 0) out = {{"preferred", c.preferred}, {"fallback", c.ranks}};
  out.update({{"clusters_at_once", c.plan.wave.clusters},
              {"preferred_clusters_at_once", c.plan.wave.preferred},
              {"ctas_at_once", c.plan.wave.ctas},
              {"idle_sms", c.plan.wave.idle_sms},
              {"grid_ctas", c.plan.ctas},
              {"waves", c.plan.waves},
              {"ctas_in_last_wave", c.plan.last_ctas},
              {"busy", c.plan.busy}});
  return out;
}

/// "15 clusters of 8 (120 CTAs) at once, 12 of 132 SMs idle".
std::string sentence(const Choice& c, int sms, int grid) {
  const model::ClusterPlan& p = c.plan;
  if (p.waves == 0) return fmt::format("this card holds no cluster of {} CTAs", c.name());
  std::string out = c.preferred != 0 ? fmt::format("{} clusters of {} and {} of {}", p.wave.preferred,
                                                   c.preferred, p.wave.clusters, c.ranks)
                                     : fmt::format("{} clusters of {}", p.wave.clusters, c.ranks);
  out += fmt::format(" ({} CTAs) at once, {} of {} SMs idle; {} CTAs{} take {} wave{}", p.wave.ctas,
                     p.wave.idle_sms, sms, grid,
                     p.ctas == grid ? "" : fmt::format(", in whole clusters {},", p.ctas), p.waves,
                     p.waves == 1 ? "" : "s");
  if (p.waves > 1) out += fmt::format(", the last with {}", p.last_ctas);
  return out;
}

void print(const Options& options, const KnownTopology& known, const std::vector<int>& groups) {
  const bool colours = report::colours_on(stdout);
  int sms = 0;
  for (const int g : groups) sms += g;
  const int grid = options.grid != 0 ? options.grid : sms * options.per_sm;
  const auto choice = [&](int ranks, int preferred) {
    return Choice{.ranks = ranks,
                  .preferred = preferred,
                  .plan = model::plan_clusters(groups, options.per_sm, ranks, preferred, grid)};
  };
  const Choice asked =
      options.preferred != 0 ? choice(options.fallback, options.preferred) : choice(options.size, 0);
  std::vector<Choice> all;
  for (int ranks = 1; ranks <= kMaxRanks; ++ranks) all.push_back(choice(ranks, 0));
  if (asked.preferred != 0) all.push_back(asked);
  // Of several that are alike the largest cluster: it shares most.
  Choice best = all[1];
  for (std::size_t i = 1; i < all.size(); ++i)
    if (!is_better(best, all[i])) best = all[i];

  if (options.json) {
    auto table = nlohmann::ordered_json::array();
    for (const Choice& c : all) table.push_back(to_json(c));
    const nlohmann::ordered_json out{
        {"topology", known.path.string()}, {"of_this_card", !known.shipped}, {"sms", sms},
        {"ctas_an_sm", options.per_sm},    {"asked", to_json(asked)},        {"best", to_json(best)},
        {"all", std::move(table)}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("{}\n", report::printable(report::provenance_line(known.recording.provenance)));
  if (known.shipped)
    fmt::print(
        "That is the card whose topology Plumb ships; `plumb run 'topology/*'` records that of yours.\n");
  fmt::print("\n{}.\n", report::paint(sentence(asked, sms, grid), report::Tone::bold, colours));
  if (asked.preferred != 0)
    fmt::print(
        "Preferred cluster sizes need compute capability 10.0 or newer; that part of the model has never run "
        "on "
        "hardware.\n");
  fmt::print("Best size of 2 or more for this grid: {}.\n\n", sentence(best, sms, grid));
  report::Table table({"CTAs of a cluster", "clusters at once", "CTAs at once", "idle SMs", "waves",
                       "in the last", "places busy %"});
  for (const Choice& c : all) {
    const model::ClusterPlan& p = c.plan;
    table.add({c.name(), fmt::format("{}", p.wave.clusters + p.wave.preferred),
               fmt::format("{}", p.wave.ctas), fmt::format("{}", p.wave.idle_sms),
               p.waves == 0 ? "-" : fmt::format("{}", p.waves),
               p.waves == 0 ? "-" : fmt::format("{}", p.last_ctas), fmt::format("{:.1f}", 100 * p.busy)});
  }
  fmt::print("{}", table.text(colours));
  fmt::print("  a grid of {} CTAs, {} an SM, all taking the same time\n", grid, options.per_sm);
}

}  // namespace

void add_predict_cluster(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = verb.add_subcommand(
      "cluster",
      "How many clusters of a size run at once on a card, how many SMs they leave idle, and which size "
      "is best");
  sub->add_option("--size", options->size, "CTAs of a cluster");
  sub->add_option(
      "--preferred", options->preferred,
      "CTAs of the cluster that the hardware is to try first (compute capability 10.0 and newer)");
  sub->add_option("--fallback", options->fallback,
                  "With --preferred: CTAs of the clusters that fill the rest");
  sub->add_option("--grid", options->grid, "CTAs of the grid; without it, one for each place on each SM");
  sub->add_option("--per-sm", options->per_sm,
                  "CTAs that an SM holds, by their registers, threads and shared memory")
      ->capture_default_str();
  sub->add_option("--recording", options->recording,
                  "Whose topology; without it, the last recorded of this card, or else the shipped H200's");
  sub->add_option("--device", options->device, "Which card, by its CUDA index")->capture_default_str();
  sub->add_flag("--json", options->json, "For machines");
  sub->callback([options] {
    check(*options);
    const KnownTopology known = topology_for(*options);
    const topology::Groups groups = topology::groups_of(known.recording.measurements);
    if (groups.groups.empty())
      throw Error(Fault::caller,
                  fmt::format("{}: it does not show which SMs share clusters; `plumb run topology/gpc` "
                              "records that.",
                              known.path.string()));
    std::vector<int> sizes;
    for (const auto& group : groups.groups) sizes.push_back(static_cast<int>(group.size()));
    print(*options, known, sizes);
  });
}

}  // namespace plumb::cli
