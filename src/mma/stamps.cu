// SPDX-License-Identifier: Apache-2.0
// What stands around a library's kernels: the clocks of every SM, and matrices too large for the host to
// make.
#include "backend/cuda/memory.h"
#include "backend/cuda/ptx.cuh"
#include "mma/stamps.h"

namespace plumb::mma {
namespace {

namespace ptx = cuda::ptx;

// More CTAs than SMs, so that each SM has one.
constexpr unsigned kCtas = 2048;
constexpr int kThreads = 256;

__global__ void stamp_kernel(Stamp* to, std::uint32_t most) {
  const std::uint32_t sm = ptx::smid();
  if (sm < most) to[sm] = {ptx::clock(), ptx::globaltimer()};
}

__global__ void fill_kernel(std::uint32_t* to, std::uint64_t count, std::uint32_t mask, std::uint32_t set,
                            std::uint32_t seed) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    auto x = static_cast<std::uint32_t>(i) * 0x9E3779B9U ^ seed;
    x = (x ^ (x >> 16)) * 0x7FEB352DU;
    x = (x ^ (x >> 15)) * 0x846CA68BU;
    to[i] = ((x ^ (x >> 16)) & mask) | set;
  }
}

}  // namespace

void stamp(Stamp* to, std::uint32_t most) {
  stamp_kernel<<<kCtas, 1>>>(to, most);
  cuda::check(cudaGetLastError(), "launching the clock kernel");
}

void fill_random(std::uint32_t* to, std::uint64_t count, std::uint32_t mask, std::uint32_t set,
                 std::uint32_t seed) {
  fill_kernel<<<kCtas, kThreads>>>(to, count, mask, set, seed);
  cuda::check(cudaGetLastError(), "launching the fill kernel");
}

}  // namespace plumb::mma
