// SPDX-License-Identifier: Apache-2.0
#include "backend/sim/sim.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backend/sim/probe.h"
#include "fabric/random.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

using fabric::Cycle;

constexpr std::string_view kNoModel =
    "not simulated: the fabric models coalesced loads, stores and bulk copies to another SM alone";

constexpr std::string_view kOneGpc =
    "not simulated: the fabric is the network inside one GPC, without the chip around it";

/// FNV-1a, 64 bits.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

/// Tells two machines apart: everything that decides what they do.
std::uint64_t identity_of(const SimMachine& m) {
  std::string all = m.name;
  for (const auto& slots : {m.fused_off, m.placement}) {
    all += '|';
    for (const fabric::Slot& s : slots) all += fmt::format("{}.{}.{} ", s.cpc, s.tpc, s.sm);
  }
  for (const auto& p : fabric::parameters()) all += '|' + fabric::text_of(m.parameters, p);
  return hash_of(all);
}

/// What %globaltimer shows at a cycle: whole ticks of a nanosecond clock.
std::int64_t nanoseconds(Cycle cycle, const fabric::Parameters& p) {
  const std::int64_t exact = cycle * 1000 / p.clock_mhz;
  return exact / p.timer_tick_ns * p.timer_tick_ns;
}

Column column_of(std::size_t rows, int samples) {
  const std::vector<std::int64_t> row(static_cast<std::size_t>(samples));
  Column column(rows, row);
  return column;
}

/// `clusters` copies of a cluster's traffic side by side in one GPC: that of the first on the first ranks.
Traffic side_by_side(const Traffic& one, int clusters) {
  Traffic all{.ranks = one.ranks * clusters, .flows = {}};
  for (int c = 0; c < clusters; ++c) {
    for (Flow f : one.flows) {
      f.source += c * one.ranks;
      f.destination += c * one.ranks;
      all.flows.push_back(f);
    }
  }
  return all;
}

/// The traffic that has the same packets as `a`; none where this machine has no model of them.
std::optional<Traffic> traffic_like(const Access& a) {
  if (a.target != Target::peer || a.lanes != Lanes::coalesced) return std::nullopt;
  Flow flow{.bytes = a.bytes, .window = window(a), .warps = a.warps, .in_flight = a.in_flight};
  if (a.form == Form::bulk) {
    if (a.warps != 1) return std::nullopt;
    flow.op = Op::put;
    flow.command = a.width;
  } else if (a.form == Form::load || a.form == Form::generic_load || a.form == Form::store) {
    // As many bytes side by side in fewer, wider accesses: the same lines.
    const std::int64_t as_wide = std::int64_t{a.in_flight} * a.width;
    if (as_wide % kAccessBytes != 0) return std::nullopt;
    flow.in_flight = static_cast<int>(as_wide / kAccessBytes);
    flow.op = a.form == Form::store ? Op::store : Op::load;
  } else {
    return std::nullopt;
  }
  if (flow.op == Op::load) std::swap(flow.source, flow.destination);
  return Traffic{.ranks = kAccessRanks, .flows = {flow}};
}

/// How many clusters work. Throws Error (caller) where the machine cannot hold them.
int clusters_of(const Site& site, int ranks, int sms) {
  if (site.gpc > 0)
    throw Error(Fault::caller, fmt::format("gpc = {}: a simulated machine has one GPC, 0.", site.gpc));
  const int most = sms / ranks;
  if (site.clusters > most)
    throw Error(Fault::caller,
                fmt::format("clusters = {}: this machine holds at most {} clusters of {} CTAs at once.",
                            site.clusters, most, ranks));
  return site.clusters == 0 ? most : site.clusters;
}

}  // namespace

fabric::Topology topology_of(const SimMachine& machine, int ranks) {
  if (machine.placement.empty()) return fabric::Topology{machine.fused_off, ranks};
  std::vector<fabric::Slot> slots = machine.placement;
  if (ranks > 0 && static_cast<std::size_t>(ranks) < slots.size())
    slots.resize(static_cast<std::size_t>(ranks));
  return fabric::Topology::placed(std::move(slots));
}

SimBackend::SimBackend(SimMachine machine, std::uint64_t seed)
    : machine_(std::move(machine)), seed_(seed), sms_(topology_of(machine_).ranks()) {
  fabric::validate(machine_.parameters);
}

Provenance SimBackend::provenance() const {
  Provenance p;
  p.backend = "sim";
  p.seed = seed_;
  p.gpu_name = machine_.name;
  p.gpu_uuid_hash = fmt::format("{:016x}", identity_of(machine_));
  p.compute_capability = machine_.compute_capability;
  p.sm_count = sms_;
  p.clocks_mhz = {{"sm", machine_.parameters.clock_mhz}};
  return p;
}

Measurement SimBackend::run(const Case& point) {
  validate(point.site);
  if (const auto* probe = std::get_if<Probe>(&point.work)) {
    validate(*probe, sms_);
    return probe_on(machine_, point, clusters_of(point.site, probe->ranks, sms_));
  }
  if (const auto* access = std::get_if<Access>(&point.work)) {
    validate(*access);
    if (const auto traffic = traffic_like(*access)) return run(point, *traffic);
    return {.point = point, .samples = {}, .conditions = {.readings = {}, .flags = {std::string(kNoModel)}}};
  }
  if (!std::holds_alternative<Traffic>(point.work))
    return {.point = point, .samples = {}, .conditions = {.readings = {}, .flags = {std::string(kOneGpc)}}};
  return run(point, traffic_of(point));
}

Measurement SimBackend::run(const Case& point, const Traffic& one) {
  const fabric::Parameters& p = machine_.parameters;
  validate(one, sms_);
  const int clusters = clusters_of(point.site, one.ranks, sms_);
  const Traffic traffic = side_by_side(one, clusters);
  const fabric::Topology topology = topology_of(machine_, traffic.ranks);
  const std::size_t flows = one.flows.size();
  const std::size_t rows = flows + one.background.size();

  Column start_cycles = column_of(static_cast<std::size_t>(clusters) * rows, point.samples);
  Column stop_cycles = start_cycles;
  Column start_ns = start_cycles;
  Column stop_ns = start_cycles;
  Column bad_bytes = column_of(traffic.flows.size(), point.samples);
  Column smid = column_of(static_cast<std::size_t>(traffic.ranks), point.samples);
  const std::uint64_t identity = fabric::mix64(seed_ ^ hash_of(id_of(point)));
  for (std::size_t sample = 0; sample < static_cast<std::size_t>(point.samples); ++sample) {
    // Zero would mean no jitter at all.
    const std::uint64_t seed = std::max<std::uint64_t>(1, fabric::mix64(identity + sample + 1));
    const fabric::SimulationResult result = fabric::simulate(traffic, p, topology, {.seed = seed});
    const auto note = [&](std::size_t row, const Cycle start, const Cycle stop) {
      start_cycles[row][sample] = start;
      stop_cycles[row][sample] = stop;
      start_ns[row][sample] = nanoseconds(start, p);
      stop_ns[row][sample] = nanoseconds(stop, p);
    };
    for (std::size_t f = 0; f < traffic.flows.size(); ++f) {
      note(f / flows * rows + f % flows, clock_ + result.flows[f].start, clock_ + result.flows[f].stop);
      bad_bytes[f][sample] = result.flows[f].bad_bytes;
    }
    // A background is over when the flows are. This machine has no model of what it reads, so there is no
    // read_bytes, and it disturbs nothing.
    for (std::size_t row = 0; row < start_cycles.size(); ++row)
      if (row % rows >= flows) note(row, clock_, clock_ + result.statistics.cycles);
    for (int rank = 0; rank < traffic.ranks; ++rank)
      smid[static_cast<std::size_t>(rank)][sample] = topology.index(rank);
    clock_ += result.statistics.cycles;
  }

  Measurement m{.point = point, .samples = {}, .conditions = {}};
  m.samples.emplace(column::start_cycles, std::move(start_cycles));
  m.samples.emplace(column::stop_cycles, std::move(stop_cycles));
  m.samples.emplace(column::start_ns, std::move(start_ns));
  m.samples.emplace(column::stop_ns, std::move(stop_ns));
  m.samples.emplace(column::smid, std::move(smid));
  m.samples.emplace(column::bad_bytes, std::move(bad_bytes));
  m.conditions.readings.emplace("sm_clock_MHz", p.clock_mhz);
  return m;
}

}  // namespace plumb
