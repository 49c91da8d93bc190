// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/grid.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backend/cuda/heat.h"
#include "plumb/core/error.h"

namespace plumb::cuda {
namespace {

enum Counter : std::size_t { kTickets, kArrivals, kCounters };

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

/// What CUDA launches a grid of clusters with.
class ClusterConfig {
 public:
  explicit ClusterConfig(const Clusters& c) {
    add(cudaLaunchAttributeClusterDimension).clusterDim = {c.ranks, 1, 1};
    if (c.policy != Policy::standard)
      add(cudaLaunchAttributeClusterSchedulingPolicyPreference).clusterSchedulingPolicyPreference =
          c.policy == Policy::spread ? cudaClusterSchedulingPolicySpread
                                     : cudaClusterSchedulingPolicyLoadBalancing;
    if (c.preferred != 0)
      add(cudaLaunchAttributePreferredClusterDimension).preferredClusterDim = {c.preferred, 1, 1};
    config_.gridDim = dim3(c.ranks * c.clusters);
    config_.blockDim = dim3(static_cast<unsigned>(c.threads));
    config_.dynamicSmemBytes = static_cast<std::size_t>(c.shared_bytes);
    config_.attrs = attributes_.data();
  }
  ClusterConfig(const ClusterConfig&) = delete;  // the configuration points to the attributes beside it
  ClusterConfig& operator=(const ClusterConfig&) = delete;

  [[nodiscard]] const cudaLaunchConfig_t* get() const noexcept { return &config_; }

 private:
  cudaLaunchAttributeValue& add(cudaLaunchAttributeID id) {
    cudaLaunchAttribute& attribute = attributes_.at(config_.numAttrs++);
    attribute.id = id;
    return attribute.val;
  }

  std::array<cudaLaunchAttribute, 3> attributes_{};
  cudaLaunchConfig_t config_{};
};

/// Two events and what passes between them.
class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&start_), "making an event");
    check(cudaEventCreate(&stop_), "making an event");
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  void start() { check(cudaEventRecord(start_), "recording an event"); }
  void stop() { check(cudaEventRecord(stop_), "recording an event"); }
  /// After both have come.
  [[nodiscard]] double ns() const {
    constexpr double kNsOfMs = 1e6;
    float ms = 0.0F;
    check(cudaEventElapsedTime(&ms, start_, stop_), "reading an event");
    return kNsOfMs * static_cast<double>(ms);
  }

 private:
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
};

int attribute(cudaDeviceAttr which, std::string_view what) {
  int device = 0;
  int value = 0;
  check(cudaGetDevice(&device), "reading the current card");
  check(cudaDeviceGetAttribute(&value, which, device), what);
  return value;
}

}  // namespace

void allow_clusters(const void* kernel, std::int64_t shared_bytes, std::string_view what) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        what);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), what);
}

int fitting(const void* kernel, const Clusters& clusters, std::string_view what) {
  ClusterConfig config(clusters);
  int most = 0;
  check(cudaOccupancyMaxActiveClusters(&most, kernel, config.get()), what);
  return most;
}

double launch(const void* kernel, const Clusters& clusters, const void* argument, std::string_view what) {
  const ClusterConfig config(clusters);
  std::array<void*, 1> arguments{const_cast<void*>(argument)};
  Stopwatch watch;
  watch.start();
  check(cudaLaunchKernelExC(config.get(), kernel, arguments.data()),
        fmt::format("launching the {} kernel", what));
  watch.stop();
  check(cudaDeviceSynchronize(), fmt::format("running the {} kernel", what));
  return watch.ns();
}

int sm_count() { return attribute(cudaDevAttrMultiProcessorCount, "counting the SMs"); }

std::int64_t share_of_an_sm(int per_sm) {
  constexpr int kUnit = 128;  // in which CUDA allots shared memory
  const std::string what = "reading the shared memory of an SM";
  const int all = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, what);
  const int reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock, what);
  const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, what);
  return std::min(most, (all / per_sm - reserved) / kUnit * kUnit);
}

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
  allow_clusters(kernel, shared_bytes, what);
  const int most = fitting(kernel,
                           {.ranks = static_cast<std::uint32_t>(ranks),
                            .threads = threads,
                            .shared_bytes = shared_bytes,
                            .policy = site.policy},
                           what);
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
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "reading its compute capability");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
        "reading its compute capability");
  constexpr int kTen = 10;
  return kTen * major + minor;
}

double ClusterLaunch::run_with(const void* argument) {
  heat(site_.heat_ms);
  const double ns = launch(kernel_,
                           {.ranks = grid_.ranks,
                            .clusters = grid_.clusters,
                            .threads = threads_,
                            .shared_bytes = shared_bytes_,
                            .policy = site_.policy},
                           argument, name_);
  if (grid_.works != nullptr && counters_.to_host()[kTickets] < grid_.workers)
    throw Error(
        Fault::caller,
        fmt::format("gpc = {}: none of {} clusters of {} CTAs came to lie in it; it has {} SMs.", site_.gpc,
                    grid_.clusters, grid_.ranks, gpcs()[static_cast<std::size_t>(site_.gpc)].size()));
  return ns;
}

}  // namespace plumb::cuda
