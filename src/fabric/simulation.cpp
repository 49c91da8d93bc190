// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fabric/endpoint/endpoint.h"
#include "fabric/engine.h"
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
        engine_(parameters, topology, options.seed),
        world_{.p = parameters,
               .engine = engine_,
               .answers = options.answers == Answers::own_channel ? Channel::response : Channel::request,
               .flows = flows_},
        tied_(options.answers == Answers::own_channel ? 0 : ~std::uint32_t{0}) {
    const std::vector<Placement> places = layout(traffic);
    for (std::size_t i = 0; i < traffic.flows.size(); ++i) flows_.emplace_back(traffic.flows[i], places[i]);
    for (int rank = 0; rank < traffic.ranks; ++rank)
      endpoints_.emplace_back(parameters, static_cast<std::uint32_t>(rank));
    start(traffic.ranks);
    engine_.events.observe(options.observer);
  }

  SimulationResult result() {
    for (std::uint32_t rank = 0; rank < endpoints_.size(); ++rank) issue_wakes_.set(rank, 0);
    while (!finished()) advance();
    engine_.events.observe(nullptr);
    engine_.audit();
    SimulationResult r;
    for (const FlowState& f : flows_)
      r.flows.push_back({.start = f.start, .stop = f.stop, .bad_bytes = f.bad_bytes()});
    r.statistics = engine_.statistics();
    for (const SmStatistics& sm : r.statistics.sms) r.packets += sm.packets_received;
    return r;
  }

 private:
  /// When each rank has to be called, for one kind of work.
  class Wakes {
   public:
    Wakes() { at_.fill(kNever); }
    void set(std::uint32_t rank, Cycle at) noexcept {
      at_[rank] = at;
      next_ = std::min(next_, at);
    }
    /// Not after the first.
    [[nodiscard]] Cycle next() const noexcept { return next_; }
    /// Ranks whose time has come. Each has to be set again in this cycle.
    [[nodiscard]] std::uint32_t due(Cycle now) noexcept {
      if (next_ > now) return 0;
      std::uint32_t mask = 0;
      next_ = kNever;
      for (std::uint32_t rank = 0; rank < kMaxSms; ++rank) {
        const bool come = at_[rank] <= now;
        mask |= static_cast<std::uint32_t>(come) << rank;
        next_ = std::min(next_, come ? kNever : at_[rank]);
      }
      return mask;
    }

   private:
    std::array<Cycle, kMaxSms> at_{};
    Cycle next_ = kNever;
  };

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
    const bool mixed =
        std::ranges::any_of(flows_, [&](const FlowState& f) { return f.flow.op != flows_.front().flow.op; });
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
      FlowState& f = flows_[i];
      const auto issuing = static_cast<std::size_t>(issuer(f.flow));
      const Cycle latency = f.flow.op == Op::put     ? p.put_latency + (mixed ? p.mixed_puts : 0)
                            : f.flow.op == Op::store ? p.store_latency
                                                     : p.load_latency;
      // A flow's clocks start once its delay is over, at both ends.
      f.start = stamps[static_cast<std::size_t>(observer(f.flow))] + f.flow.delay;
      f.issue_slot = endpoints_[issuing].issue(i, f.flow, stamps[issuing] + overhead + latency);
      if (f.flow.op != Op::load)
        f.ack_account = endpoints_[static_cast<std::size_t>(f.flow.destination)].receive(i);
    }
  }

  [[nodiscard]] bool finished() const {
    return engine_.in_flight() == 0 && std::ranges::all_of(flows_, &FlowState::done) &&
           std::ranges::all_of(endpoints_, &Endpoint::drained);
  }

  /// Lets every SM that can act do so, then moves time on to the next cycle in which anything can happen. SMs
  /// are visited by kind of work: the same work in a row is what a processor predicts.
  void advance() {
    const Cycle now = engine_.now;
    const std::uint32_t requests = engine_.deliverable[0] | request_wakes_.due(now);
    std::uint32_t acks = ack_wakes_.due(now);
    const std::uint32_t issuing = std::exchange(again_, 0) | std::exchange(engine_.reopened, 0) |
                                  engine_.deliverable[1] | (engine_.deliverable[0] & tied_) |
                                  issue_wakes_.due(now);
    for_each_bit(engine_.deliverable[1],
                 [&](std::uint32_t rank) { endpoints_[rank].take_responses(world_, now); });
    for_each_bit(requests, [&](std::uint32_t rank) {
      request_wakes_.set(rank, endpoints_[rank].take_requests(world_, now));
      const Cycle ack = endpoints_[rank].ack_wake();
      ack_wakes_.set(rank, ack <= now ? kNever : ack);
      acks |= static_cast<std::uint32_t>(ack <= now) << rank;
    });
    for_each_bit(
        acks, [&](std::uint32_t rank) { ack_wakes_.set(rank, endpoints_[rank].acknowledge(world_, now)); });
    for_each_bit(issuing, [&](std::uint32_t rank) {
      const Cycle next = endpoints_[rank].issue_packets(world_, now);
      const bool at_once = next == now + 1;
      again_ |= static_cast<std::uint32_t>(at_once) << rank;
      issue_wakes_.set(rank, at_once ? kNever : next);
    });
    if (engine_.next_event() == now) {
      engine_.step();
    } else {
      const Cycle next = std::min({engine_.next_event(), request_wakes_.next(), ack_wakes_.next(),
                                   issue_wakes_.next(), again_ != 0 ? now + 1 : kNever});
      if (next != kNever) {
        engine_.step_until(next);
      } else if (!finished()) {
        fail("nothing is left to happen");
      }
    }
    if (engine_.now >= next_look_) watch();
  }

  /// Every so often: has anything moved since the last look?
  void watch() {
    const std::uint64_t movements = engine_.movements();
    if (movements == last_movements_ && engine_.in_flight() != 0)
      fail(fmt::format("nothing moved for {} cycles", options_.patience));
    last_movements_ = movements;
    next_look_ = engine_.now + options_.patience;
  }

  [[noreturn]] void fail(const std::string& what) const {
    std::string text =
        fmt::format("the run is stuck in cycle {}: {}.\n{}", engine_.now, what, engine_.stuck());
    for (const Endpoint& e : endpoints_) {
      if (!e.drained()) text += e.state();
    }
    throw Error(Fault::check, text);
  }

  SimulationOptions options_;
  Engine engine_;
  std::vector<FlowState> flows_;
  std::vector<Endpoint> endpoints_;
  World world_;
  std::uint32_t tied_;       ///< all ranks where answers come in among the requests
  std::uint32_t again_ = 0;  ///< ranks that issue in the next cycle
  Wakes issue_wakes_;        ///< when it may issue without anything arriving
  Wakes request_wakes_;      ///< when a waiting request may be served
  Wakes ack_wakes_;          ///< when an acknowledgment may be due
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
