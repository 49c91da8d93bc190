// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/grid.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "backend/cuda/heat.h"
#include "plumb/core/error.h"

namespace plumb::cuda {
namespace {

enum Counter : std::size_t { kTickets, kArrivals, kCounters };

struct Config {
  cudaLaunchConfig_t config{};
  std::array<cudaLaunchAttribute, 2> attributes{};
};

/// `out` must stay where it is: the configuration points into it.
void configure(Config& out, std::uint32_t ranks, std::uint32_t clusters, int threads,
               std::int64_t shared_bytes, Policy policy) {
  out.attributes[0].id = cudaLaunchAttributeClusterDimension;
  out.attributes[0].val.clusterDim = {ranks, 1, 1};
  out.attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  out.attributes[1].val.clusterSchedulingPolicyPreference =
      policy == Policy::spread     ? cudaClusterSchedulingPolicySpread
      : policy == Policy::balanced ? cudaClusterSchedulingPolicyLoadBalancing
                                   : cudaClusterSchedulingPolicyDefault;
  out.config.gridDim = dim3(ranks * clusters);
  out.config.blockDim = dim3(static_cast<unsigned>(threads));
  out.config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  out.config.attrs = out.attributes.data();
  out.config.numAttrs = policy == Policy::standard ? 1 : 2;
}

std::vector<std::uint8_t> mask_of(int gpc) {
  const auto& all = gpcs();
  if (gpc >= static_cast<int>(all.size()))
    throw Error(Fault::caller, fmt::format("gpc = {}: this card has GPCs 0 to {}.", gpc, all.size() - 1));
  int most = 0;
  for (const auto& sms : all) most = std::max(most, sms.back());
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(most) + 1);
  for (const int sm : all[static_cast<std::size_t>(gpc)]) mask[static_cast<std::size_t>(sm)] = 1;
  return mask;
}

}  // namespace

ClusterLaunch::ClusterLaunch(const void* kernel, std::string name, int ranks, int threads,
                             std::int64_t shared_bytes, const Site& site)
    : kernel_(kernel),
      name_(std::move(name)),
      threads_(threads),
      shared_bytes_(shared_bytes),
      site_(site),
      counters_(std::vector<std::uint32_t>(kCounters), "the meeting place of clusters"),
      works_(site.gpc < 0 ? std::vector<std::uint8_t>(1) : mask_of(site.gpc), "the SMs of a GPC") {
  const std::string what = "preparing the " + name_ + " kernel";
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        what);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), what);
  Config c;
  configure(c, static_cast<std::uint32_t>(ranks), 1, threads, shared_bytes, site.policy);
  int most = 0;
  check(cudaOccupancyMaxActiveClusters(&most, kernel, &c.config), what);
  if (most == 0)
    throw Error(
        Fault::caller,
        fmt::format("this card holds no cluster of {} CTAs with {} threads and {} KiB of shared memory "
                    "each.",
                    ranks, threads, shared_bytes / 1024));
  if (site.clusters > most)
    throw Error(Fault::caller,
                fmt::format("clusters = {}: this card holds at most {} clusters of {} CTAs at once.",
                            site.clusters, most, ranks));
  const auto all = static_cast<std::uint32_t>(most);
  const auto wanted = static_cast<std::uint32_t>(site.clusters);
  grid_ = {.works = site.gpc < 0 ? nullptr : works_.get(),
           .tickets = counters_.get() + kTickets,
           .arrivals = counters_.get() + kArrivals,
           .ranks = static_cast<std::uint32_t>(ranks),
           .clusters = site.gpc >= 0 || wanted == 0 ? all : wanted,
           .workers = wanted == 0 ? all : wanted};
}

int compute_capability() {
  int device = 0;
  int major = 0;
  int minor = 0;
  check(cudaGetDevice(&device), "reading the current card");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "reading its compute capability");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "reading its compute capability");
  constexpr int kTen = 10;
  return kTen * major + minor;
}

void ClusterLaunch::run_with(const void* argument) {
  heat(site_.heat_ms);
  Config c;
  configure(c, grid_.ranks, grid_.clusters, threads_, shared_bytes_, site_.policy);
  std::array<void*, 1> arguments{const_cast<void*>(argument)};
  check(cudaLaunchKernelExC(&c.config, kernel_, arguments.data()), "launching the " + name_ + " kernel");
  check(cudaDeviceSynchronize(), "running the " + name_ + " kernel");
  if (grid_.works == nullptr) return;
  if (counters_.to_host()[kTickets] < grid_.workers)
    throw Error(
        Fault::caller,
        fmt::format("gpc = {}: none of {} clusters of {} CTAs came to lie in it; it has {} SMs.", site_.gpc,
                    grid_.clusters, grid_.ranks, gpcs()[static_cast<std::size_t>(site_.gpc)].size()));
}

}  // namespace plumb::cuda
