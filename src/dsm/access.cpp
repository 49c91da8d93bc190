// SPDX-License-Identifier: Apache-2.0
#include "dsm/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backend/cuda/memory.h"
#include "dsm/access_kernel.h"
#include "dsm/lanes.h"
#include "plumb/core/error.h"

namespace plumb::dsm {
namespace {

using cuda::DeviceArray;

constexpr std::size_t kWarmUpRounds = 2;
constexpr std::uint32_t kNotChecked = 0x7FFFFFFF;  // what a sample that the kernel forgot would show

Error failure_of(const Access& a, std::uint32_t why) {
  if (why == kNoStart)
    return {Fault::device,
            "the clusters of the grid did not start together; does another process use the card?"};
  return {Fault::device,
          fmt::format(
              "{} to {}, {} lanes of {} bytes: the completion of {} bytes did not come within {} million SM "
              "cycles.",
              name_of(a.form), name_of(a.target), pattern_of(a), a.width, a.bytes,
              cuda::kTimeoutCycles / 1'000'000)};
}

int threads_of(const Access& a) {
  const int waiters = has_mbarrier(a.form) ? static_cast<int>(kAccessWaiters) : 0;
  return (a.warps + waiters + 1) * kLanes;
}

}  // namespace

Samples run_access(const Access& access, const Site& site, int samples, std::uint64_t seed) {
  const std::vector<std::uint32_t> offsets = lane_offsets(access);
  cuda::ClusterLaunch launch(access_kernel_for(access), "access", kAccessRanks, threads_of(access),
                             kSharedBytes, site);
  const std::size_t slots = launch.workers();
  const std::size_t rounds = static_cast<std::size_t>(samples) + kWarmUpRounds;
  const bool same = access.lanes == Lanes::broadcast;

  const DeviceArray places(offsets, "the places of the accesses");
  const DeviceArray<Clocks> clocks(slots * rounds, "the samples");
  const DeviceArray bad_bytes(std::vector<std::uint32_t>(slots * rounds, kNotChecked), "the samples");
  const DeviceArray<std::uint32_t> smid(slots * kAccessRanks, "the samples");
  const DeviceArray failed(std::vector<std::uint32_t>(slots), "the samples");
  launch.run(AccessLaunch{.grid = launch.grid(),
                          .offsets = places.get(),
                          .clocks = clocks.get(),
                          .bad_bytes = bad_bytes.get(),
                          .smid = smid.get(),
                          .timed_out = failed.get(),
                          .seed = seed,
                          .target = static_cast<std::uint32_t>(target_rank(access)),
                          .mapped = access.target == Target::local ? 0U : 1U,
                          .warps = static_cast<std::uint32_t>(access.warps),
                          .in_flight = static_cast<std::uint32_t>(access.in_flight),
                          .width = static_cast<std::uint32_t>(access.width),
                          .window = static_cast<std::uint32_t>(window(access)),
                          .walks = static_cast<std::uint32_t>(access.bytes / window(access)),
                          .hits = same ? static_cast<std::uint32_t>(kLanes) : 1U,
                          .spacing = same ? static_cast<std::uint32_t>(kLanes) : 1U,
                          .rounds = static_cast<std::uint32_t>(rounds)});
  for (const std::uint32_t why : failed.to_host())
    if (why != 0) throw failure_of(access, why);

  Samples out;
  const auto column = [&](std::string_view name, const auto& all, auto&& value) {
    Column& to = out[std::string(name)];
    for (std::size_t slot = 0; slot < slots; ++slot) {
      std::vector<std::int64_t>& row = to.emplace_back();
      for (std::size_t r = kWarmUpRounds; r < rounds; ++r)
        row.push_back(static_cast<std::int64_t>(value(all[slot * rounds + r])));
    }
  };
  const auto times = clocks.to_host();
  column(column::start_cycles, times, [](const Clocks& c) { return c.start_cycles; });
  column(column::stop_cycles, times, [](const Clocks& c) { return c.stop_cycles; });
  column(column::start_ns, times, [](const Clocks& c) { return c.start_ns; });
  column(column::stop_ns, times, [](const Clocks& c) { return c.stop_ns; });
  column(column::bad_bytes, bad_bytes.to_host(), [](std::uint32_t bad) { return bad; });
  Column& placed = out[std::string(column::smid)];
  for (const std::uint32_t sm : smid.to_host())
    placed.emplace_back(static_cast<std::size_t>(samples), static_cast<std::int64_t>(sm));
  return out;
}

}  // namespace plumb::dsm
