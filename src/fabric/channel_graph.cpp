// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/channel_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace plumb::fabric {
namespace {

constexpr std::array<std::string_view, kChannels> kNames{"request", "response"};

}  // namespace

int ChannelGraph::node(std::string name) {
  names_.push_back(std::move(name));
  next_.emplace_back();
  return static_cast<int>(names_.size()) - 1;
}

void ChannelGraph::edge(int from, int to) {
  std::vector<int>& out = next_[static_cast<std::size_t>(from)];
  if (std::find(out.begin(), out.end(), to) == out.end()) out.push_back(to);
}

ChannelGraph::ChannelGraph(const Topology& topology, const Parameters& parameters, Answers answers) {
  const int ranks = topology.ranks();
  const auto grid = [&](int count, auto name) {
    std::vector<std::array<int, kChannels>> nodes;
    for (int i = 0; i < count; ++i) {
      auto& pair = nodes.emplace_back();
      for (std::size_t c = 0; c < kChannels; ++c) pair[c] = node(fmt::format("{} ({})", name(i), kNames[c]));
    }
    return nodes;
  };
  const auto at = [](auto& nodes, int i) -> auto& { return nodes[static_cast<std::size_t>(i)]; };
  auto inject = grid(ranks, [](int i) { return fmt::format("injection of rank {}", i); });
  auto ingress = grid(ranks, [](int i) { return fmt::format("GPCARB ingress buffer of rank {}", i); });
  auto plane = grid(kPlanes * kPlanePorts,
                    [](int i) { return fmt::format("GX{} input {}", i / kPlanePorts, i % kPlanePorts); });
  auto pool = grid(kBlocks * kPlanes,
                   [](int i) { return fmt::format("egress block {} from GX{}", i / kPlanes, i % kPlanes); });
  auto delivery = grid(ranks, [](int i) { return fmt::format("delivery at rank {}", i); });

  for (int s = 0; s < ranks; ++s) {
    for (int d = 0; d < ranks; ++d) {
      if (s == d) continue;
      for (std::size_t c = 0; c < kChannels; ++c) {
        for (int k = 0; k < kPlanes; ++k) {
          if ((parameters.planes == Planes::first && k == 1) ||
              (parameters.planes == Planes::second && k == 0))
            continue;
          for (int lane = 0; lane < 2; ++lane) {
            const int input = k * kPlanePorts + topology.cpc(s) * 2 + lane;
            edge(at(inject, s)[c], at(ingress, s)[c]);
            edge(at(ingress, s)[c], at(plane, input)[c]);
            edge(at(plane, input)[c], at(pool, topology.block(d) * kPlanes + k)[c]);
          }
          edge(at(pool, topology.block(d) * kPlanes + k)[c], at(delivery, d)[c]);
        }
      }
    }
    // A destination takes a request only once its answer fits the injection queue; it always takes answers.
    constexpr std::size_t kRequest = 0;
    const std::size_t answer = answers == Answers::own_channel ? 1 : kRequest;
    edge(at(delivery, s)[kRequest], at(inject, s)[answer]);
  }
}

std::size_t ChannelGraph::edges() const noexcept {
  std::size_t sum = 0;
  for (const auto& out : next_) sum += out.size();
  return sum;
}

std::vector<std::string> ChannelGraph::cycle() const {
  enum class Seen : std::uint8_t { no, open, done };
  std::vector<Seen> seen(names_.size(), Seen::no);
  std::vector<std::size_t> path;
  std::vector<std::string> found;
  const std::function<bool(std::size_t)> visit = [&](std::size_t n) {
    seen[n] = Seen::open;
    path.push_back(n);
    for (const int to : next_[n]) {
      const auto m = static_cast<std::size_t>(to);
      if (seen[m] == Seen::open) {
        for (auto it = std::find(path.begin(), path.end(), m); it != path.end(); ++it)
          found.push_back(names_[*it]);
        return true;
      }
      if (seen[m] == Seen::no && visit(m)) return true;
    }
    path.pop_back();
    seen[n] = Seen::done;
    return false;
  };
  for (std::size_t n = 0; n < names_.size(); ++n) {
    if (seen[n] == Seen::no && visit(n)) break;
  }
  return found;
}

}  // namespace plumb::fabric
