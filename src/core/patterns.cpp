// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/patterns.h"

namespace plumb {
namespace {

void add(Traffic& traffic, int source, int destination, Flow flow) {
  flow.source = source;
  flow.destination = destination;
  traffic.flows.push_back(flow);
}

}  // namespace

Traffic ring(int ranks, int stride, const Flow& flow) {
  Traffic traffic{.ranks = ranks, .flows = {}};
  for (int i = 0; i < ranks; ++i) add(traffic, i, (i + stride) % ranks, flow);
  return traffic;
}

Traffic neighbours(int ranks, const Flow& flow) {
  Traffic traffic{.ranks = ranks, .flows = {}};
  for (int i = 0; i + 1 < ranks; i += 2) {
    add(traffic, i, i + 1, flow);
    add(traffic, i + 1, i, flow);
  }
  return traffic;
}

Traffic incast(int ranks, std::span<const int> sources, int destination, const Flow& flow) {
  Traffic traffic{.ranks = ranks, .flows = {}};
  for (const int source : sources) add(traffic, source, destination, flow);
  return traffic;
}

Traffic fan_out(int ranks, int source, std::span<const int> destinations, const Flow& flow) {
  Traffic traffic{.ranks = ranks, .flows = {}};
  for (const int destination : destinations) add(traffic, source, destination, flow);
  return traffic;
}

}  // namespace plumb
