// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fabric/endpoint/endpoint.h"
#include "fabric/random.h"
#include "plumb/core/error.h"

namespace plumb::fabric {
namespace {

/// One sample of a plan in progress.
class Run {
 public:
  Run(const Traffic& traffic, const Parameters& parameters, const Topology& topology,
      const SimulationOptions& options)
      : options_(options),
        network_(parameters, topology, options.seed),
        world_{.p = parameters,
               .network = network_,
               .answers = options.answers == Answers::own_channel ? Channel::response : Channel::request,
               .flows = flows_} {
    const std::vector<Placement> places = layout(traffic);
    for (std::size_t i = 0; i < traffic.flows.size(); ++i) flows_.emplace_back(traffic.flows[i], places[i]);
    wakes_.fill(kNever);
    for (int rank = 0; rank < traffic.ranks; ++rank)
      endpoints_.emplace_back(parameters, static_cast<std::uint32_t>(rank));
    start(traffic.ranks);
    network_.observe(options.observer);
  }

  SimulationResult result() {
    for (std::size_t rank = 0; rank < endpoints_.size(); ++rank) wakes_[rank] = 0;
    while (!finished()) advance();
    network_.observe(nullptr);
    network_.audit();
    SimulationResult r;
    for (const FlowState& f : flows_)
      r.flows.push_back({.start = f.start, .stop = f.stop, .bad_bytes = f.bad_bytes()});
    r.statistics = network_.statistics();
    for (const SmStatistics& sm : r.statistics.sms) r.packets += sm.packets_received;
    return r;
  }

 private:
  /// The barrier lets the SMs go, up to start_jitter cycles apart.
  void start(int ranks) {
    const Parameters& p = world_.p;
    Random random(~options_.seed);
    std::vector<Cycle> stamps;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto limit = static_cast<std::uint32_t>(p.start_jitter) + 1;
      stamps.push_back(options_.seed == 0 ? 0 : random.below(limit));
    }
    const Cycle overhead = p.start_cycles + static_cast<Cycle>(p.start_cycles_per_sm) * (ranks - 2);
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
      FlowState& f = flows_[i];
      const auto issuing = static_cast<std::size_t>(issuer(f.flow));
      const Cycle latency = f.flow.op == Op::put ? p.put_latency : 0;
      f.start = stamps[static_cast<std::size_t>(observer(f.flow))];
      f.issue_slot = endpoints_[issuing].issue(i, f.flow, stamps[issuing] + overhead + latency);
      if (f.flow.op != Op::load)
        f.ack_account = endpoints_[static_cast<std::size_t>(f.flow.destination)].receive(i);
    }
  }

  [[nodiscard]] bool finished() const {
    return network_.in_flight() == 0 && std::ranges::all_of(flows_, &FlowState::done) &&
           std::ranges::all_of(endpoints_, &Endpoint::drained);
  }

  /// Lets every SM that can act do so, then moves time on to the next cycle in which anything can happen.
  void advance() {
    const Cycle now = network_.now();
    std::uint32_t called = network_.deliverable(Channel::request) | network_.deliverable(Channel::response) |
                           network_.reopened();
    for (std::uint32_t rank = 0; rank < kMaxSms; ++rank)
      called |= static_cast<std::uint32_t>(wakes_[rank] <= now) << rank;
    for_each_bit(called, [&](std::uint32_t rank) { wakes_[rank] = endpoints_[rank].act(world_, now); });
    if (network_.next_event() == now) {
      network_.step();
    } else {
      const Cycle next = std::min(*std::ranges::min_element(wakes_), network_.next_event());
      if (next != kNever) {
        network_.step_until(std::max(next, now + 1));
      } else if (!finished()) {
        fail("nothing is left to happen");
      }
    }
    if (network_.now() >= next_look_) watch();
  }

  /// Every so often: has anything moved since the last look?
  void watch() {
    const std::uint64_t movements = network_.movements();
    if (movements == last_movements_ && network_.in_flight() != 0)
      fail(fmt::format("nothing moved for {} cycles", options_.patience));
    last_movements_ = movements;
    next_look_ = network_.now() + options_.patience;
  }

  [[noreturn]] void fail(const std::string& what) const {
    std::string text =
        fmt::format("the run is stuck in cycle {}: {}.\n{}", network_.now(), what, network_.stuck());
    for (const Endpoint& e : endpoints_) {
      if (!e.drained()) text += e.state();
    }
    throw Error(Fault::check, text);
  }

  SimulationOptions options_;
  Network network_;
  std::vector<FlowState> flows_;
  std::vector<Endpoint> endpoints_;
  World world_;
  std::array<Cycle, kMaxSms> wakes_{};
  std::uint64_t last_movements_ = 0;
  Cycle next_look_ = options_.patience;
};

}  // namespace

SimulationResult simulate(const Traffic& traffic, const Parameters& parameters, const Topology& topology,
                          const SimulationOptions& options) {
  plumb::validate(traffic, topology.ranks());
  if (traffic.flows.size() > kMaxFlows)
    throw Error(Fault::caller,
                fmt::format("{} flows; one run has at most {}.", traffic.flows.size(), kMaxFlows));
  if (!options.allow_cycles) {
    const ChannelGraph graph(topology, parameters, options.answers);
    if (const std::vector<std::string> cycle = graph.cycle(); !cycle.empty()) {
      throw Error(Fault::caller,
                  fmt::format("the network could deadlock: {} wait for each other in a circle.",
                              fmt::join(cycle, ", ")));
    }
  }
  return Run(traffic, parameters, topology, options).result();
}

}  // namespace plumb::fabric
