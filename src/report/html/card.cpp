// SPDX-License-Identifier: Apache-2.0
#include "report/html/card.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace plumb::report::html {
namespace {

std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (!((c >= '0' && c <= '9') || c == '.')) out.push_back(c);
  return out;
}

Part part_of(record::Recording recording) {
  Part part{.provenance = std::move(recording.provenance),
            .warnings = std::move(recording.warnings),
            .flags = {},
            .measurements = {}};
  struct Raised {
    std::string first;
    int cases = 0;
    std::set<std::string> experiments;
  };
  std::map<std::string, Raised> flags;  // those that differ in their numbers alone are one
  for (Measurement& m : recording.measurements) {
    for (const std::string& flag : m.conditions.flags) {
      // A case without samples could not run here: that is no reason to doubt the others.
      const std::string what = m.samples.empty() ? "not measured: " + flag : flag;
      Raised& raised = flags[without_numbers(what)];
      if (raised.cases++ == 0) raised.first = what;
      raised.experiments.insert(m.point.experiment);
    }
    part.measurements[m.point.experiment].push_back(std::move(m));
  }
  for (const auto& [what, raised] : flags)
    part.flags.push_back(fmt::format(
        "{}: {} ({})", fmt::join(raised.experiments, ", "), raised.first,
        raised.cases == 1
            ? std::string("one case")
            : fmt::format("{}{} cases", what != raised.first ? "the first of " : "", raised.cases)));
  return part;
}

std::size_t shared(const Part& a, const Part& b) {
  return static_cast<std::size_t>(
      std::count_if(a.measurements.begin(), a.measurements.end(),
                    [&](const auto& e) { return b.measurements.contains(e.first); }));
}

/// Whether two parts tell of different things.
bool complete_each_other(const Part& a, const Part& b) {
  return 2 * shared(a, b) < std::min(a.measurements.size(), b.measurements.size());
}

bool belongs(const Card& card, const Part& part) {
  const Provenance& first = card.parts.front().provenance;
  return first.gpu_name == part.provenance.gpu_name && first.backend == part.provenance.backend &&
         std::all_of(card.parts.begin(), card.parts.end(),
                     [&](const Part& p) { return complete_each_other(p, part); });
}

void find(Card& card, std::span<const Experiment> experiments) {
  for (const Experiment& e : experiments)
    if (card.has(e.name)) card.experiments.push_back(e);
  std::vector<std::vector<Finding>> found(card.experiments.size());
  const auto map = [&] {
    for (std::size_t p = 0; p < card.parts.size() && !card.map; ++p) {
      std::vector<Measurement> all;  // what a map is made of is one card's
      for (const auto& [name, measurements] : card.parts[p].measurements)
        if (topology::is_of_a_map(name)) all.insert(all.end(), measurements.begin(), measurements.end());
      card.map = topology::map_of(all);
      card.mapped = p;
    }
  };
  // One at a time, and the map first: it takes longer than any other.
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, found.size() + 1, 1),
      [&](const auto& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i)
          i == 0
              ? map()
              : void(found[i - 1] = card.experiments[i - 1].analyze(*card.of(card.experiments[i - 1].name)));
      },
      tbb::simple_partitioner());
  for (auto& some : found)
    card.findings.insert(card.findings.end(), std::move_iterator(some.begin()),
                         std::move_iterator(some.end()));
}

}  // namespace

const std::vector<Measurement>* Card::of(const std::string& experiment) const {
  for (const Part& part : parts)
    if (const auto it = part.measurements.find(experiment); it != part.measurements.end()) return &it->second;
  return nullptr;
}

std::string label_of(const Provenance& p) {
  return p.backend == "sim" ? p.gpu_name + ", simulated"
                            : fmt::format("{} {}", p.gpu_name, p.gpu_uuid_hash.substr(0, 8));
}

std::vector<Card> cards_of(std::vector<record::Recording> recordings,
                           std::span<const Experiment> experiments) {
  std::vector<Card> cards;
  for (record::Recording& recording : recordings) {
    Part part = part_of(std::move(recording));
    const auto same = [&](const Card& c) {
      return c.parts.front().provenance.gpu_uuid_hash == part.provenance.gpu_uuid_hash && belongs(c, part);
    };
    auto at = std::find_if(cards.begin(), cards.end(), same);
    if (at == cards.end())
      at = std::find_if(cards.begin(), cards.end(), [&](const Card& c) { return belongs(c, part); });
    if (at == cards.end()) {
      cards.push_back(
          {.label = label_of(part.provenance), .parts = {}, .experiments = {}, .findings = {}, .map = {}});
      at = cards.end() - 1;
    }
    at->parts.push_back(std::move(part));
  }
  std::map<std::string, int> labels;
  for (Card& card : cards) {
    const int before = labels[card.label]++;
    if (before > 0) card.label += fmt::format(" (run {})", before + 1);
    find(card, experiments);
  }
  return cards;
}

}  // namespace plumb::report::html
