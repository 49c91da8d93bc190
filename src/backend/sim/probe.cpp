// SPDX-License-Identifier: Apache-2.0
#include "backend/sim/probe.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace plumb {
namespace {

using fabric::Cycle;

/// What the network does for an operation, and what comes after it.
struct Equivalent {
  Op op = Op::load;
  bool until_delivery = false;  ///< until the payload is where it goes, not until a thread can go on
  Cycle after = 0;
};

std::optional<Equivalent> equivalent_of(ProbeOp op, const fabric::Parameters& p) {
  switch (op) {
    case ProbeOp::load:
      return Equivalent{.op = Op::load, .until_delivery = true};
    case ProbeOp::atom:
      return Equivalent{.op = Op::load, .until_delivery = true, .after = p.atomic_cycles};
    case ProbeOp::store:
    case ProbeOp::red:
    case ProbeOp::st_async:
      return Equivalent{.op = Op::store, .until_delivery = true};
    case ProbeOp::st_async_wait:
    case ProbeOp::arrive:
      return Equivalent{.op = Op::store, .until_delivery = true, .after = p.mbarrier_cycles};
    case ProbeOp::put:
      return Equivalent{.op = Op::put, .until_delivery = true};
    case ProbeOp::put_wait:
      return Equivalent{.op = Op::put};
    default:
      return std::nullopt;
  }
}

/// Notes when the first packet with payload is ready at its destination.
class FirstDelivery final : public fabric::Observer {
 public:
  void on(std::span<const fabric::Event> events) override {
    for (const fabric::Event& e : events) {
      const bool payload = e.kind == fabric::PacketKind::read_response ||
                           e.kind == fabric::PacketKind::short_write ||
                           e.kind == fabric::PacketKind::long_write;
      if (payload && e.what == fabric::EventKind::deliver && !at_) at_ = e.cycle;
    }
  }
  [[nodiscard]] Cycle at() const { return at_.value_or(0); }

 private:
  std::optional<Cycle> at_;
};

/// Cycles from the instruction of rank `i` to its effect, of which rank `j` is the other end.
Cycle latency(const Equivalent& what, const SimMachine& machine, const fabric::Topology& topology, int i,
              int j) {
  const fabric::Parameters& p = machine.parameters;
  Flow flow{.source = i,
            .destination = j,
            .op = what.op,
            .bytes = kAccessBytes,
            .command = kAccessBytes,
            .warps = 1,
            .in_flight = 1};
  if (what.op == Op::load) std::swap(flow.source, flow.destination);
  FirstDelivery first;
  const fabric::SimulationResult result =
      fabric::simulate({.ranks = topology.ranks(), .flows = {flow}}, p, topology, {.observer = &first});
  // What a first instruction takes more after the start barrier, one in the middle of a chain does not.
  const Cycle first_of_its_kind = what.op == Op::load    ? p.load_latency
                                  : what.op == Op::store ? p.store_latency
                                                         : 0;
  const Cycle before =
      first_of_its_kind + p.start_cycles + static_cast<Cycle>(p.start_cycles_per_sm) * (topology.ranks() - 2);
  return (what.until_delivery ? first.at() : result.flows[0].stop) - before + what.after;
}

}  // namespace

Measurement probe_on(const SimMachine& machine, const Case& point, int clusters) {
  const auto& probe = std::get<Probe>(point.work);
  const fabric::Parameters& p = machine.parameters;
  Measurement m{.point = point, .samples = {}, .conditions = {}};
  m.conditions.readings.emplace("sm_clock_MHz", p.clock_mhz);
  const auto what = equivalent_of(probe.op, p);
  if (!what) {
    m.conditions.flags.push_back(
        fmt::format("the fabric simulator has no model of {}, so there are no samples", name_of(probe.op)));
    return m;
  }

  const auto samples = static_cast<std::size_t>(point.samples);
  const fabric::Topology topology = topology_of(machine, clusters * probe.ranks);
  Column& start_cycles = m.samples[std::string(column::start_cycles)];
  Column& stop_cycles = m.samples[std::string(column::stop_cycles)];
  Column& start_ns = m.samples[std::string(column::start_ns)];
  Column& stop_ns = m.samples[std::string(column::stop_ns)];
  Column& bad_bytes = m.samples[std::string(column::bad_bytes)];
  Column& smid = m.samples[std::string(column::smid)];
  for (int cluster = 0; cluster < clusters; ++cluster) {
    const int first = cluster * probe.ranks;
    for (int i = first; i < first + probe.ranks; ++i) {
      smid.emplace_back(samples, topology.index(i));
      for (int j = first; j < first + probe.ranks; ++j) {
        const Cycle cycles = i == j ? 0 : probe.links * latency(*what, machine, topology, i, j);
        start_cycles.emplace_back(samples, 0);
        stop_cycles.emplace_back(samples, cycles);
        start_ns.emplace_back(samples, 0);
        stop_ns.emplace_back(samples, cycles * 1000 / p.clock_mhz / p.timer_tick_ns * p.timer_tick_ns);
        bad_bytes.emplace_back(samples, 0);
      }
    }
  }
  return m;
}

}  // namespace plumb
