// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plumb/fabric/packet.h"
#include "plumb/fabric/topology.h"

namespace plumb::fabric {

/// Which channel the answers to requests ride.
enum class Answers : std::uint8_t {
  own_channel,    ///< as built
  with_requests,  ///< a mistake to study: answers wait behind requests, and the graph has a cycle
};

/// The channel dependency graph: one node for each buffer and channel, an edge where a flit in one may wait
/// for room in the other, the endpoints' own dependencies included (a request is only taken once its answer
/// fits). No cycle, no deadlock (Dally and Seitz 1987).
class ChannelGraph {
 public:
  ChannelGraph(const Topology& topology, const Parameters& parameters, Answers answers);

  [[nodiscard]] std::size_t nodes() const noexcept { return names_.size(); }
  [[nodiscard]] std::size_t edges() const noexcept;
  /// The names of the buffers of one cycle, in order; empty where there is none.
  [[nodiscard]] std::vector<std::string> cycle() const;

 private:
  int node(std::string name);
  void edge(int from, int to);

  std::vector<std::string> names_;
  std::vector<std::vector<int>> next_;
};

}  // namespace plumb::fabric
