// SPDX-License-Identifier: Apache-2.0
#include "backend/cards.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/nvml.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string hash_of(const cudaUUID_t& uuid) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char byte : uuid.bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3U;
  return fmt::format("{:016x}", hash);
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cuda::check(cudaDeviceGetAttribute(&value, which, device), "reading a property of the card");
  return value;
}

Card describe(int index) {
  cudaDeviceProp p{};
  cuda::check(cudaGetDeviceProperties(&p, index), "reading the card's properties");
  return Card{.index = index,
              .name = p.name,
              .uuid_hash = hash_of(p.uuid),
              .compute_major = p.major,
              .compute_minor = p.minor,
              .sm_count = p.multiProcessorCount,
              .l2_bytes = p.l2CacheSize,
              .memory_bytes = static_cast<std::int64_t>(p.totalGlobalMem),
              .shared_bytes = static_cast<std::int64_t>(p.sharedMemPerBlockOptin),
              .clusters = p.clusterLaunch != 0,
              .ecc = p.ECCEnabled != 0,
              .max_sm_clock_mhz = attribute(cudaDevAttrClockRate, index) / 1000.0};
}

}  // namespace

Cards find_cards() {
  Cards found;
  int runtime = 0;
  int driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  found.cuda_version = version_text(runtime);
  found.driver_version = driver != 0 ? fmt::format("for CUDA {}", version_text(driver)) : "none";
  if (const auto nvml = cuda::Nvml("").driver_version()) found.driver_version = *nvml;
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    cudaGetLastError();
    found.why_none = driver == 0 ? std::string("there is no NVIDIA driver; install one")
                                 : fmt::format("CUDA says: {}", cudaGetErrorString(error));
    return found;
  }
  try {
    for (int i = 0; i < count; ++i) found.cards.push_back(describe(i));
  } catch (const Error& error) {
    found.why_none = error.what();
  }
  if (found.cards.empty() && found.why_none.empty()) found.why_none = "the driver sees no card";
  return found;
}

std::unique_ptr<Backend> open_card(int index, CardProgram program, std::uint64_t seed) {
  const Cards found = find_cards();
  if (found.cards.empty()) throw Error(Fault::device, fmt::format("no card to measure: {}.", found.why_none));
  if (index < 0 || index >= static_cast<int>(found.cards.size())) {
    throw Error(Fault::caller, fmt::format("card {} does not exist; this machine has cards 0 to {}.", index,
                                           found.cards.size() - 1));
  }
  const Card& card = found.cards[static_cast<std::size_t>(index)];
  require_clusters(card);
  return std::make_unique<cuda::CudaBackend>(card, found, std::move(program), seed);
}

}  // namespace plumb
