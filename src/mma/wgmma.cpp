// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "mma/kernel.h"
#include "mma/wgmma_tables.h"

namespace plumb::mma {
namespace {

constexpr std::array<int, 3> kFewDepths{1, 4, 64};

}  // namespace

const void* wgmma_kernel_for(const Mma& work) {
  if (work.sparse) return wgmma_sparse(work);
  if (work.a_mn_major || work.b_mn_major) return wgmma_turned(work);
  if (std::find(kFewDepths.begin(), kFewDepths.end(), work.in_flight) == kFewDepths.end()) return wgmma_swept(work);
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
