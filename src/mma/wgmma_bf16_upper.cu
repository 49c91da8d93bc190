// SPDX-License-Identifier: Apache-2.0
#include "mma/wgmma.cuh"
#include "mma/wgmma_tables.h"

namespace plumb::mma {

const void* wgmma_bf16_upper(const Mma& work) {
  return work.operands == Operands::ss ? find_n<Bf16, Kind::f32, false>(work.n, UpperN{})
                                       : find_n<Bf16, Kind::f32, true>(work.n, WidestN{});
}

}  // namespace plumb::mma
