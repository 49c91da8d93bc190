// SPDX-License-Identifier: Apache-2.0
// Which SMs share a GPC: those that were ever in one cluster.
#include <algorithm>
#include <map>
#include <numeric>

#include "backend/cuda/grid.cuh"

namespace plumb::cuda {
namespace {

constexpr int kThreads = 32;
constexpr std::int64_t kOneCtaPerSm = std::int64_t{120} * 1024;  // more than half of an SM's shared memory
constexpr int kLaunches = 8;

struct Census {
  Grid grid;
  std::uint32_t* smid;  // [slot][rank]
};

__global__ void __launch_bounds__(kThreads, 1) census_kernel(const __grid_constant__ Census census) {
  __shared__ std::uint32_t slot;
  const std::uint32_t mine = take_place(census.grid, &slot);
  if (mine != kIdle && threadIdx.x == 0)
    census.smid[mine * census.grid.ranks + ptx::cluster_rank()] = ptx::smid();
}

int root_of(std::vector<int>& parent, int sm) {
  while (parent[static_cast<std::size_t>(sm)] != sm) sm = parent[static_cast<std::size_t>(sm)];
  return sm;
}

std::vector<std::vector<int>> find() {
  const int sms = sm_count();
  std::vector<int> parent(static_cast<std::size_t>(sms));
  std::iota(parent.begin(), parent.end(), 0);
  for (const int ranks : {16, 12, 10, 8, 6, 4, 2}) {
    for (int launch = 0; launch < kLaunches; ++launch) {
      const Policy policy = launch % 2 == 0 ? Policy::standard : Policy::balanced;
      ClusterLaunch clusters(reinterpret_cast<const void*>(&census_kernel), "census", ranks, kThreads,
                             kOneCtaPerSm, {.clusters = 0, .policy = policy});
      const DeviceArray<std::uint32_t> smid(clusters.workers() * static_cast<std::size_t>(ranks),
                                            "the census");
      clusters.run(Census{.grid = clusters.grid(), .smid = smid.get()});
      const auto seen = smid.to_host();
      for (std::size_t i = 0; i < seen.size(); ++i) {
        const auto first = seen[i - i % static_cast<std::size_t>(ranks)];
        parent[static_cast<std::size_t>(root_of(parent, static_cast<int>(seen[i])))] =
            root_of(parent, static_cast<int>(first));
      }
    }
  }
  std::map<int, std::vector<int>> groups;
  for (int sm = 0; sm < sms; ++sm) groups[root_of(parent, sm)].push_back(sm);
  std::vector<std::vector<int>> out;
  for (auto& [root, group] : groups) out.push_back(std::move(group));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

const std::vector<std::vector<int>>& gpcs() {
  static const std::vector<std::vector<int>> kFound = find();
  return kFound;
}

}  // namespace plumb::cuda
