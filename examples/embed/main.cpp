// SPDX-License-Identifier: Apache-2.0
// The fabric as the interconnect of a larger simulator: your cores offer packets, the clock steps, your cores
// take packets. Here each core writes to its right-hand neighbour, and every fourth core is slow to take.
#include <cstdio>
#include <vector>

#include "plumb/fabric/network.h"

using namespace plumb::fabric;

namespace {

constexpr int kCores = 16;
constexpr int kWrites = 200;  // of 128 bytes: four flits

/// A core of the larger simulator: it knows the network through offer and take alone.
struct Core {
  int rank = 0;
  int offered = 0;
  int received = 0;
  int refused = 0;

  void cycle(Network& network, Cycle now) {
    if (offered < kWrites) {
      const Packet write{.source = rank,
                         .destination = (rank + 1) % kCores,
                         .kind = PacketKind::short_write,
                         .flits = 4,
                         .address = static_cast<std::uint64_t>(offered) * 128};
      // Back-pressure: a refused packet stays with the core, which tries again in the next cycle.
      network.offer(write) ? ++offered : ++refused;
    }
    const bool slow = rank % 4 == 0;
    if (slow && now % 16 != 0) return;  // what is not taken holds up what is behind it
    if (Packet packet; network.take(rank, Channel::request, packet)) ++received;
  }
};

}  // namespace

int main() {
  Network network(Parameters{}, Topology::h200(kCores));
  std::vector<Core> cores(kCores);
  for (int rank = 0; rank < kCores; ++rank) cores[static_cast<std::size_t>(rank)].rank = rank;

  int received = 0;
  while (received < kCores * kWrites && network.now() < 1'000'000) {
    received = 0;
    for (Core& core : cores) {
      core.cycle(network, network.now());
      received += core.received;
    }
    network.step();
  }

  const Statistics statistics = network.statistics();
  std::printf("%d writes in %lld cycles, median latency %lld cycles\n", received,
              static_cast<long long>(network.now()),
              static_cast<long long>(statistics.latency[0].quantile(0.5)));
  int refused = 0;
  for (const Core& core : cores) refused += core.refused;
  std::printf("%d offers met back-pressure and were made again\n", refused);
  return received == kCores * kWrites && network.in_flight() == 0 ? 0 : 1;
}
