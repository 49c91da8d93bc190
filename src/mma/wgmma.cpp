// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "mma/kernel.h"
#include "mma/wgmma_tables.h"

namespace plumb::mma {
namespace {

constexpr std::array<int, 3> kFewDepths{1, 4, 64};
constexpr std::array<int, 13> kAllDepths{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64};

template <std::size_t N>
bool has(const std::array<int, N>& depths, int depth) {
  return std::find(depths.begin(), depths.end(), depth) != depths.end();
}

}  // namespace

const void* wgmma_kernel_for(const Mma& work) {
  if (work.sparse) return has(kFewDepths, work.in_flight) ? wgmma_sparse(work) : nullptr;
  if (work.a_mn_major || work.b_mn_major)
    return has(kFewDepths, work.in_flight) ? wgmma_turned(work) : nullptr;
  // One kernel for a whole sweep, so that nothing but the depth changes.
  if (!has(kAllDepths, work.in_flight)) return nullptr;
  if (const void* swept = wgmma_swept(work); swept != nullptr) return swept;
  if (!has(kFewDepths, work.in_flight)) return nullptr;
  switch (work.input) {
    case Number::bf16:
      return work.n <= 128 ? wgmma_bf16_lower(work) : wgmma_bf16_upper(work);
    case Number::f16:
      return wgmma_f16(work);
    case Number::tf32:
      return wgmma_tf32(work);
    case Number::e4m3:
      return wgmma_e4m3(work);
    case Number::e5m2:
      return wgmma_e5m2(work);
    default:
      return wgmma_int8(work);
  }
}

}  // namespace plumb::mma
