// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/named_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "plumb/core/error.h"

namespace plumb {
namespace {

constexpr std::array kPatterns{
    Pattern{"ring", "every rank to the rank `stride` further on"},
    Pattern{"pairs", "ranks `stride` apart, each to the other"},
    Pattern{"incast", "every rank to the root"},
    Pattern{"gather", "another name of incast"},
    Pattern{"scatter", "the root to every rank"},
    Pattern{"all-to-all", "every rank to every other"},
};

[[noreturn]] void refuse(const std::string& what) { throw Error(Fault::caller, what); }

void check(std::string_view name, const PatternShape& s) {
  constexpr int kMost = 64;
  if (!is_pattern(name)) {
    std::vector<std::string_view> names;
    names.reserve(kPatterns.size());
    for (const Pattern& p : kPatterns) names.push_back(p.name);
    refuse(fmt::format("unknown pattern '{}'; allowed are {}.", name, fmt::join(names, ", ")));
  }
  if (s.ranks < 2 || s.ranks > kMost)
    refuse(fmt::format("ranks = {}: a pattern has 2 to {}.", s.ranks, kMost));
  if (name == "ring" && (s.stride < 1 || s.stride >= s.ranks))
    refuse(fmt::format("stride = {}: in a ring of {} it is 1 to {}.", s.stride, s.ranks, s.ranks - 1));
  if (name == "pairs" && (s.stride < 1 || s.ranks % s.stride != 0 || s.ranks / s.stride % 2 != 0))
    refuse(fmt::format("stride = {}: pairs need ranks ({}) that are a multiple of twice the stride.",
                       s.stride, s.ranks));
  if (s.root < 0 || s.root >= s.ranks)
    refuse(fmt::format("root = {}: ranks go from 0 to {}.", s.root, s.ranks - 1));
}

/// Whether `from` sends to `to`.
bool connected(std::string_view name, const PatternShape& s, int from, int to) {
  if (name == "ring") return (from + s.stride) % s.ranks == to;
  if (name == "pairs") return (from / s.stride % 2 == 0 ? from + s.stride : from - s.stride) == to;
  if (name == "scatter") return from == s.root;
  if (name == "all-to-all") return true;
  return to == s.root;
}

bool fits(const Traffic& traffic) {
  std::vector<std::int64_t> ends(static_cast<std::size_t>(traffic.ranks), 0);
  const std::vector<Placement> places = layout(traffic);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Flow& f = traffic.flows[i];
    const auto reach = [&](int rank, std::int64_t start) {
      auto& end = ends[static_cast<std::size_t>(rank)];
      end = std::max(end, start + footprint(f));
    };
    if (f.op != Op::store) reach(f.source, places[i].source);
    if (f.op != Op::load) reach(f.destination, places[i].destination);
  }
  return std::ranges::all_of(ends, [](std::int64_t end) { return end <= kSharedBytes; });
}

void fit_memory(Traffic& traffic) {
  constexpr std::int64_t kLeast = kRegionAlignment;
  while (!fits(traffic)) {
    const std::int64_t now = footprint(traffic.flows.front());
    if (now / 2 < kLeast || now % (2 * kAccessBytes) != 0) return;
    for (Flow& f : traffic.flows) f.window = now / 2;
  }
}

void share_warps(Traffic& traffic) {
  std::vector<int> issued(static_cast<std::size_t>(traffic.ranks), 0);
  for (const Flow& f : traffic.flows) ++issued[static_cast<std::size_t>(issuer(f))];
  const int most = *std::ranges::max_element(issued);
  for (Flow& f : traffic.flows)
    if (f.op != Op::put && f.warps > 1) f.warps = std::max(1, std::min(f.warps, kMaxWarps / most));
}

}  // namespace

std::span<const Pattern> patterns() { return kPatterns; }

bool is_pattern(std::string_view name) {
  return std::ranges::any_of(kPatterns, [&](const Pattern& p) { return p.name == name; });
}

Traffic make_pattern(std::string_view name, const PatternShape& shape, const Flow& flow) {
  check(name, shape);
  Traffic traffic{.ranks = shape.ranks, .flows = {}};
  for (int from = 0; from < shape.ranks; ++from) {
    for (int to = 0; to < shape.ranks; ++to) {
      if (from == to || !connected(name, shape, from, to)) continue;
      Flow f = flow;
      f.source = from;
      f.destination = to;
      traffic.flows.push_back(f);
    }
  }
  if (flow.window == 0) fit_memory(traffic);
  share_warps(traffic);
  return traffic;
}

}  // namespace plumb
