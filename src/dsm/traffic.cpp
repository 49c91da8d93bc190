// SPDX-License-Identifier: Apache-2.0
#include "dsm/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backend/cuda/memory.h"
#include "dsm/schedule.h"
#include "dsm/traffic_kernel.h"
#include "plumb/core/error.h"

namespace plumb::dsm {
namespace {

using cuda::DeviceArray;

/// What backgrounds read, made once: to allocate a gibibyte for each case would take longer than the case.
const void* global_memory(const Traffic& traffic) {
  const bool wanted = std::any_of(traffic.background.begin(), traffic.background.end(), [](const auto& b) {
    return b.memory == Memory::l2 || b.memory == Memory::dram;
  });
  if (!wanted) return nullptr;
  static const auto kMemory =
      DeviceArray<std::uint8_t>::zeros(kDramBytes, "a gibibyte for backgrounds to read");
  return kMemory.get();
}

Error timed_out(const Traffic& traffic, std::uint32_t late) {
  if (late == kNoStart)
    return {Fault::device,
            "the clusters of the grid did not start together; does another process use the card?"};
  const Flow& f = traffic.flows[late - 1];
  return {Fault::device,
          fmt::format(
              "flow {} ({} {} -> {}, {} bytes): its completion did not come within {} million SM cycles.",
              late - 1, name_of(f.op), f.source, f.destination, f.bytes, cuda::kTimeoutCycles / 1'000'000)};
}

constexpr std::size_t kWarmUpRounds = 2;
constexpr std::uint32_t kNotChecked = 0x7FFFFFFF;  // what a flow that the kernel forgot would show

}  // namespace

Samples run_traffic(const Traffic& traffic, const Site& site, int samples, std::uint64_t seed) {
  const Schedule plan = schedule(traffic);
  cuda::ClusterLaunch launch(traffic_kernel_for(plan.threads), "traffic", traffic.ranks, plan.threads,
                             kSharedBytes, site);
  const std::size_t slots = launch.workers();
  const std::size_t flows = traffic.flows.size();
  const std::size_t backgrounds = traffic.background.size();
  const auto ranks = static_cast<std::size_t>(traffic.ranks);
  const std::size_t rounds = static_cast<std::size_t>(samples) + kWarmUpRounds;

  const DeviceArray jobs(plan.jobs, "the traffic plan");
  const DeviceArray first_job(plan.first_job, "the traffic plan");
  const DeviceArray landings(plan.landings, "the traffic plan");
  const DeviceArray first_landing(plan.first_landing, "the traffic plan");
  const DeviceArray tile_bytes(plan.tile_bytes, "the traffic plan");
  const DeviceArray<Clocks> clocks(slots * rounds * (flows + backgrounds), "the samples");
  const DeviceArray bad_bytes(std::vector<std::uint32_t>(slots * rounds * flows, kNotChecked), "the samples");
  const DeviceArray<std::uint32_t> read_bytes(slots * rounds * backgrounds, "the samples");
  const DeviceArray<std::uint32_t> smid(slots * ranks, "the samples");
  const DeviceArray late(std::vector<std::uint32_t>(slots), "the samples");
  std::uint32_t background_ranks = 0;
  for (const Background& b : traffic.background) background_ranks |= 1U << b.rank;

  launch.run(Launch{.grid = launch.grid(),
                    .jobs = jobs.get(),
                    .first_job = first_job.get(),
                    .landings = landings.get(),
                    .first_landing = first_landing.get(),
                    .tile_bytes = tile_bytes.get(),
                    .global = global_memory(traffic),
                    .clocks = clocks.get(),
                    .bad_bytes = bad_bytes.get(),
                    .read_bytes = read_bytes.get(),
                    .smid = smid.get(),
                    .timed_out = late.get(),
                    .seed = seed,
                    .flows = static_cast<std::uint32_t>(flows),
                    .backgrounds = static_cast<std::uint32_t>(backgrounds),
                    .background_ranks = background_ranks,
                    .rounds = static_cast<std::uint32_t>(rounds)});
  for (const std::uint32_t flow : late.to_host())
    if (flow != 0) throw timed_out(traffic, flow);

  Samples out;
  // [slot][round][row of a slot] to one row of samples for each row of each slot.
  const auto column = [&](std::string_view name, const auto& all, std::size_t rows, auto&& value) {
    Column& to = out[std::string(name)];
    for (std::size_t slot = 0; slot < slots; ++slot) {
      for (std::size_t i = 0; i < rows; ++i) {
        std::vector<std::int64_t>& row = to.emplace_back();
        for (std::size_t r = kWarmUpRounds; r < rounds; ++r)
          row.push_back(static_cast<std::int64_t>(value(all[(slot * rounds + r) * rows + i])));
      }
    }
  };
  const auto times = clocks.to_host();
  column(column::start_cycles, times, flows + backgrounds, [](const Clocks& c) { return c.start_cycles; });
  column(column::stop_cycles, times, flows + backgrounds, [](const Clocks& c) { return c.stop_cycles; });
  column(column::start_ns, times, flows + backgrounds, [](const Clocks& c) { return c.start_ns; });
  column(column::stop_ns, times, flows + backgrounds, [](const Clocks& c) { return c.stop_ns; });
  column(column::bad_bytes, bad_bytes.to_host(), flows, [](std::uint32_t bad) { return bad; });
  if (backgrounds > 0)
    column(column::read_bytes, read_bytes.to_host(), backgrounds, [](std::uint32_t read) { return read; });
  Column& placed = out[std::string(column::smid)];
  for (const std::uint32_t sm : smid.to_host())
    placed.emplace_back(static_cast<std::size_t>(samples), static_cast<std::int64_t>(sm));
  return out;
}

}  // namespace plumb::dsm
