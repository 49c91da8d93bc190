// SPDX-License-Identifier: Apache-2.0
// A CTA that notes where it is and stays for a while.
#include "backend/cuda/ptx.cuh"
#include "topology/kernels.h"

namespace plumb::topology {
namespace {

namespace ptx = cuda::ptx;

__global__ void census_kernel(const __grid_constant__ CensusLaunch launch) {
  if (threadIdx.x != 0) return;
  const std::int64_t arrived = ptx::globaltimer();
  while (ptx::globaltimer() - arrived < launch.hold) {
  }
  launch.smid[blockIdx.x] = ptx::smid();
  launch.arrived[blockIdx.x] = arrived;
}

}  // namespace

const void* census_kernel_entry() { return reinterpret_cast<const void*>(&census_kernel); }

}  // namespace plumb::topology
