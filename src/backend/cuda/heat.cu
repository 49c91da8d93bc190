// SPDX-License-Identifier: Apache-2.0
// Tensor-core work that draws power; what it computes is of no interest.
#include "backend/cuda/heat.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/ptx.cuh"

namespace plumb::cuda {
namespace {

constexpr int kThreads = 512;
constexpr int kTiles = 4;  // independent products, enough to keep the pipe full

__device__ std::uint32_t scramble(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7FEB352DU;
  x = (x ^ (x >> 15)) * 0x846CA68BU;
  return x ^ (x >> 16);
}

__global__ void __launch_bounds__(kThreads, 1) heat_kernel(std::int64_t ns, float* out) {
  std::uint32_t a[4];
  std::uint32_t b[kTiles][2];
  float c[kTiles][4] = {};
  const std::uint32_t seed = blockIdx.x * kThreads + threadIdx.x;
  // Two bf16 a word, each in [1, 2): random mantissas toggle the most wires.
  for (int i = 0; i < 4; ++i) a[i] = 0x3F803F80U | (scramble(seed * 16 + i) & 0x807F807FU);
  for (int t = 0; t < kTiles; ++t)
    for (int i = 0; i < 2; ++i) b[t][i] = 0x3F803F80U | (scramble(seed * 16 + 4 + t * 2 + i) & 0x807F807FU);
  const std::int64_t start = ptx::globaltimer();
  while (ptx::globaltimer() - start < ns) {
#pragma unroll 8
    for (int i = 0; i < 64; ++i) {
#pragma unroll
      for (int t = 0; t < kTiles; ++t) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
            "%9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[t][0]), "+f"(c[t][1]), "+f"(c[t][2]), "+f"(c[t][3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[t][0]), "r"(b[t][1]));
      }
    }
  }
  float sum = 0;
  for (int t = 0; t < kTiles; ++t)
    for (int i = 0; i < 4; ++i) sum += c[t][i];
  if (sum == 0.125F) *out = sum;  // never: the work may not be optimised away
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
  heat_kernel<<<static_cast<unsigned>(sms), kThreads>>>(std::int64_t{milliseconds} * 1'000'000, out);
  check(cudaGetLastError(), "launching the heat kernel");
}

}  // namespace plumb::cuda
