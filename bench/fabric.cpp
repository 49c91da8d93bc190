// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <cstdint>

#include "plumb/fabric/simulation.h"

namespace plumb::fabric {
namespace {

/// Every rank puts to its neighbour without pause: the load that the speed target is about.
Traffic put_ring(int ranks, std::int64_t bytes, int stride = 1) {
  Traffic t{.ranks = ranks, .flows = {}};
  for (int r = 0; r < ranks; ++r) {
    t.flows.push_back({.source = r,
                       .destination = (r + stride) % ranks,
                       .op = Op::put,
                       .bytes = bytes,
                       .window = bytes >= 65536 ? 65536 : 0});
  }
  return t;
}

/// The saturated part alone: fixed costs are set to zero so that every cycle is a busy one.
Parameters busy() {
  Parameters p;
  p.start_cycles = 0;
  p.start_cycles_per_sm = 0;
  p.put_latency = 0;
  return p;
}

void run_and_count(benchmark::State& state, const Traffic& traffic, const Parameters& p,
                   const SimulationOptions& options) {
  const Topology topology({}, traffic.ranks);
  double cycles = 0;
  double flits = 0;
  for (auto _ : state) {
    const SimulationResult r = simulate(traffic, p, topology, options);
    cycles += static_cast<double>(r.statistics.cycles - r.statistics.skipped);
    for (const SmStatistics& sm : r.statistics.sms) flits += static_cast<double>(sm.sent[0] + sm.sent[1]);
  }
  state.counters["cycles/s"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
  state.counters["flits/s"] = benchmark::Counter(flits, benchmark::Counter::kIsRate);
}

/// Simulated SM clocks per second of a saturated ring, endpoints and all statistics included.
void SaturatedPutRing(benchmark::State& state) {
  run_and_count(state, put_ring(static_cast<int>(state.range(0)), 15 * 65536), busy(), {.seed = 1});
}
BENCHMARK(SaturatedPutRing)->Arg(2)->Arg(4)->Arg(8)->Arg(12)->Arg(16)->Arg(18)->Unit(benchmark::kMillisecond);

void SaturatedLoadRing(benchmark::State& state) {
  Traffic t = put_ring(16, 15 * 65536);
  for (Flow& f : t.flows) f.op = Op::load;
  run_and_count(state, t, busy(), {.seed = 1});
}
BENCHMARK(SaturatedLoadRing)->Unit(benchmark::kMillisecond);

class CountingObserver final : public Observer {
 public:
  void on(std::span<const Event> events) override {
    for (const Event& e : events) sum_ += static_cast<std::uint64_t>(e.cycle) + e.unit;
    benchmark::DoNotOptimize(sum_);
  }

 private:
  std::uint64_t sum_ = 0;
};

/// The same ring with an observer that reads every event.
void ObservedPutRing(benchmark::State& state) {
  CountingObserver observer;
  run_and_count(state, put_ring(16, 15 * 65536), busy(), {.seed = 1, .observer = &observer});
}
BENCHMARK(ObservedPutRing)->Unit(benchmark::kMillisecond);

/// Idle cycles per second: one packet every million cycles.
void IdleNetwork(benchmark::State& state) {
  Network network(Parameters{}, Topology::h200());
  constexpr Cycle kPause = 1'000'000;
  double cycles = 0;
  for (auto _ : state) {
    network.offer({.source = 0, .destination = 1, .flits = 4});
    const Cycle until = network.now() + kPause;
    while (network.now() < until) {
      if (Packet p; network.step_until(until)) network.take(1, Channel::request, p);
    }
    cycles += kPause;
  }
  state.counters["cycles/s"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
}
BENCHMARK(IdleNetwork);

/// 100 independent patterns on so many threads.
void Sweep(benchmark::State& state) {
  const auto threads = static_cast<std::size_t>(state.range(0));
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, threads);
  for (auto _ : state) {
    oneapi::tbb::parallel_for(0, 100, [](int i) {
      const Traffic t = put_ring(2 + i % 15, 65536, 1 + i % (1 + i % 15));
      benchmark::DoNotOptimize(
          simulate(t, Parameters{}, Topology::h200(t.ranks), {.seed = static_cast<std::uint64_t>(i)}));
    });
  }
  state.counters["patterns/s"] =
      benchmark::Counter(100.0 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(Sweep)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace plumb::fabric
