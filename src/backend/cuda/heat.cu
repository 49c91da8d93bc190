// SPDX-License-Identifier: Apache-2.0
// Tensor-core work that draws power; what it computes is of no interest.
#include "backend/cuda/heat.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/ptx.cuh"

namespace plumb::cuda {
namespace {

constexpr int kThreads = 256;  // two warpgroups
constexpr std::uint32_t kTileBytes = 16 * 1024;
constexpr std::uint32_t kSharedBytes = 6 * kTileBytes;

__device__ std::uint32_t scramble(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7FEB352DU;
  x = (x ^ (x >> 15)) * 0x846CA68BU;
  return x ^ (x >> 16);
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// Any 64-bit matrix descriptor without swizzle will do: the products mean nothing (PTX ISA, wgmma).
__device__ std::uint64_t descriptor(std::uint32_t address) {
  return (std::uint64_t{address & 0x3FFFFU} >> 4) | (std::uint64_t{128 >> 4} << 16) |
         (std::uint64_t{256 >> 4} << 32);
}

// Inlined: accumulators that cross a call would not stay in registers.
__device__ __forceinline__ void multiply(float (&d)[128], std::uint64_t a, std::uint64_t b) {
#define PLUMB_D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define PLUMB_D16(i) PLUMB_D4(i), PLUMB_D4(i + 4), PLUMB_D4(i + 8), PLUMB_D4(i + 12)
#define PLUMB_D64(i) PLUMB_D16(i), PLUMB_D16(i + 16), PLUMB_D16(i + 32), PLUMB_D16(i + 48)
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
      "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
      "%59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, "
      "%78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, "
      "%97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, "
      "%113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
      "%127}, %128, %129, 1, 1, 1, 0, 0;"
      : PLUMB_D64(0), PLUMB_D64(64)
      : "l"(a), "l"(b));
#undef PLUMB_D64
#undef PLUMB_D16
#undef PLUMB_D4
}
#endif

// On Blackwell, which has no wgmma, it only waits: tcgen05 has never been run here.
__global__ void __launch_bounds__(kThreads, 1) heat_kernel(std::int64_t ns, float* out) {
  extern __shared__ __align__(1024) std::uint32_t tiles[];
  // Two bf16 a word, each in [1, 2) or its negative: random mantissas toggle the most wires.
  for (std::uint32_t i = threadIdx.x; i < kSharedBytes / 4; i += kThreads)
    tiles[i] = 0x3F803F80U | (scramble(blockIdx.x * kSharedBytes + i) & 0x807F807FU);
  __syncthreads();
  ptx::fence_async_proxy();
  const std::int64_t start = ptx::globaltimer();
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  const std::uint32_t a = ptx::shared_address(tiles) + threadIdx.x / 128 * kTileBytes;
  const std::uint32_t b = ptx::shared_address(tiles) + 2 * kTileBytes;
  float d[128] = {};
  // One thread decides for all: a warp that went on while others of its warpgroup left would be undefined.
  while (__syncthreads_or(threadIdx.x == 0 && ptx::globaltimer() - start < ns) != 0) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (std::uint32_t k = 0; k < 8; ++k) multiply(d, descriptor(a + k * 2048), descriptor(b + k * 8192));
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  float sum = 0;
  for (const float v : d) sum += v;
  if (sum == 0.125F) *out = sum;  // never: the work may not be optimised away
#else
  while (ptx::globaltimer() - start < ns) {
  }
#endif
}

}  // namespace

void heat(int milliseconds) {
  if (milliseconds == 0) return;
  int device = 0;
  int sms = 0;
  check(cudaGetDevice(&device), "reading the current card");
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "counting the SMs");
  static float* out = nullptr;
  if (out == nullptr) check(cudaMalloc(&out, sizeof(float)), "allocating a word for the heat kernel");
  check(cudaFuncSetAttribute(heat_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
        "preparing the heat kernel");
  heat_kernel<<<static_cast<unsigned>(sms), kThreads, kSharedBytes>>>(std::int64_t{milliseconds} * 1'000'000,
                                                                      out);
  check(cudaGetLastError(), "launching the heat kernel");
}

}  // namespace plumb::cuda
