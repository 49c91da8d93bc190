// SPDX-License-Identifier: Apache-2.0
#include "dsm/traffic.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "backend/cuda/memory.h"
#include "dsm/schedule.h"
#include "dsm/traffic_kernel.h"
#include "plumb/core/error.h"

namespace plumb::dsm {
namespace {

using cuda::DeviceArray;

constexpr std::size_t kWarmUpRounds = 2;
constexpr std::uint32_t kNotChecked = 0x7FFFFFFF;  // what a flow that the kernel forgot would show

}  // namespace

Samples run_traffic(const Traffic& traffic, int samples, std::uint64_t seed) {
  const Schedule plan = schedule(traffic);
  const std::size_t flows = traffic.flows.size();
  const auto ranks = static_cast<std::size_t>(traffic.ranks);
  const std::size_t rounds = static_cast<std::size_t>(samples) + kWarmUpRounds;

  const DeviceArray jobs(plan.jobs, "the traffic plan");
  const DeviceArray first_job(plan.first_job, "the traffic plan");
  const DeviceArray landings(plan.landings, "the traffic plan");
  const DeviceArray first_landing(plan.first_landing, "the traffic plan");
  const DeviceArray tile_bytes(plan.tile_bytes, "the traffic plan");
  const DeviceArray<Clocks> clocks(rounds * flows, "the samples");
  const DeviceArray bad_bytes(std::vector<std::uint32_t>(rounds * flows, kNotChecked), "the samples");
  const DeviceArray<std::uint32_t> smid(ranks, "the samples");
  const DeviceArray timed_out(std::vector<std::uint32_t>{0}, "the samples");

  launch_traffic({.jobs = jobs.get(),
                  .first_job = first_job.get(),
                  .landings = landings.get(),
                  .first_landing = first_landing.get(),
                  .tile_bytes = tile_bytes.get(),
                  .clocks = clocks.get(),
                  .bad_bytes = bad_bytes.get(),
                  .smid = smid.get(),
                  .timed_out = timed_out.get(),
                  .seed = seed,
                  .flows = static_cast<std::uint32_t>(flows),
                  .rounds = static_cast<std::uint32_t>(rounds)},
                 traffic.ranks, plan.threads);

  if (const std::uint32_t late = timed_out.to_host().front(); late != 0) {
    const Flow& f = traffic.flows[late - 1];
    throw Error(
        Fault::device,
        fmt::format(
            "flow {} ({} {} -> {}, {} bytes): its completion did not come within {} million SM cycles.",
            late - 1, name_of(f.op), f.source, f.destination, f.bytes, kTimeoutCycles / 1'000'000));
  }

  Samples out;
  const auto all_clocks = clocks.to_host();
  const auto all_bad = bad_bytes.to_host();
  const auto per_flow = [&](std::string_view name, auto&& value) {
    Column& column = out[std::string(name)];
    column.assign(flows, {});
    for (std::size_t f = 0; f < flows; ++f)
      for (std::size_t r = kWarmUpRounds; r < rounds; ++r)
        column[f].push_back(static_cast<std::int64_t>(value(r * flows + f)));
  };
  per_flow(column::start_cycles, [&](std::size_t i) { return all_clocks[i].start_cycles; });
  per_flow(column::stop_cycles, [&](std::size_t i) { return all_clocks[i].stop_cycles; });
  per_flow(column::start_ns, [&](std::size_t i) { return all_clocks[i].start_ns; });
  per_flow(column::stop_ns, [&](std::size_t i) { return all_clocks[i].stop_ns; });
  per_flow(column::bad_bytes, [&](std::size_t i) { return all_bad[i]; });
  Column& placed = out[std::string(column::smid)];
  for (const std::uint32_t sm : smid.to_host())
    placed.emplace_back(static_cast<std::size_t>(samples), static_cast<std::int64_t>(sm));
  return out;
}

}  // namespace plumb::dsm
