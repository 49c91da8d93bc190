// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstring>

#include "backend/cuda/memory.h"
#include "plumb/core/error.h"

namespace plumb::cuda {
namespace {

std::int64_t attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  check(cudaGetDevice(&device), "reading the current card");
  check(cudaDeviceGetAttribute(&value, which, device), "reading a property of the card");
  return value;
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// From the driver that is there, so that the program starts where there is none.
Encode find_encode() {
  constexpr unsigned kSince = 12000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, kSince, cudaEnableDefault,
                                         &found),
        "asking the driver for tensor maps");
  if (found != cudaDriverEntryPointSuccess || function == nullptr)
    throw Error(Fault::device,
                "the driver has no tensor maps; the copy engine needs one for CUDA 12.0 or newer.");
  return reinterpret_cast<Encode>(function);
}

}  // namespace

std::int64_t l2_bytes() { return attribute(cudaDevAttrL2CacheSize); }
std::int64_t most_shared_bytes() { return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

std::int64_t free_bytes() {
  std::size_t free = 0;
  std::size_t all = 0;
  check(cudaMemGetInfo(&free, &all), "reading how much memory is free");
  return static_cast<std::int64_t>(free);
}

void prefer_shared(const void* kernel, const std::string& name) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        "preparing the " + name + " kernel");
}

EncodedMap encode(const TensorMap& map, const std::string& what) {
  static const Encode kEncode = find_encode();
  constexpr cuuint64_t kElement = 4;
  const std::size_t rank = map.extent.size();
  std::array<cuuint64_t, 3> extent{};
  std::array<cuuint64_t, 3> pitch{};
  std::array<cuuint32_t, 3> box{};
  std::array<cuuint32_t, 3> step{1, 1, 1};
  for (std::size_t d = 0; d < rank; ++d) {
    extent[d] = map.extent[d];
    box[d] = map.box[d];
    pitch[d] = (d == 0 ? kElement : pitch[d - 1]) * extent[d];
  }
  CUtensorMap encoded{};
  const CUresult result =
      kEncode(&encoded, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, static_cast<cuuint32_t>(rank),
              const_cast<void*>(map.base), extent.data(), pitch.data(), box.data(), step.data(),
              CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(map.swizzle),
              static_cast<CUtensorMapL2promotion>(map.promotion), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error(Fault::device, fmt::format("the driver refused the tensor map of {} (error {}).", what,
                                           static_cast<int>(result)));
  EncodedMap out{};
  static_assert(sizeof encoded == sizeof out);
  std::memcpy(out.data(), &encoded, sizeof encoded);
  return out;
}

}  // namespace plumb::cuda
