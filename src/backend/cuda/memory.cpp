// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/memory.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "plumb/core/error.h"

namespace plumb::cuda {

void check(int code, std::string_view what) {
  const auto error = static_cast<cudaError_t>(code);
  if (error == cudaSuccess) return;
  throw Error(Fault::device, fmt::format("{} failed: {} ({}). `nvidia-smi` tells whether the card still "
                                         "answers; go on with --resume.",
                                         what, cudaGetErrorString(error), cudaGetErrorName(error)));
}

namespace detail {

void DeviceFree::operator()(void* p) const noexcept { cudaFree(p); }

void* allocate(std::size_t bytes, std::string_view what) {
  void* p = nullptr;
  check(cudaMalloc(&p, bytes != 0 ? bytes : 1), fmt::format("allocating device memory for {}", what));
  return p;
}

void clear(void* device, std::size_t bytes, std::string_view what) {
  check(cudaMemset(device, 0, bytes), fmt::format("clearing {}", what));
}

void copy_in(void* device, const void* host, std::size_t bytes, std::string_view what) {
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), fmt::format("copying {} to the card", what));
}

void copy_out(void* host, const void* device, std::size_t bytes, std::string_view what) {
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost),
        fmt::format("copying {} from the card", what));
}

}  // namespace detail
}  // namespace plumb::cuda
