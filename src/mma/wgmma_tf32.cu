// SPDX-License-Identifier: Apache-2.0
#include "mma/wgmma.cuh"
#include "mma/wgmma_tables.h"

namespace plumb::mma {

const void* wgmma_tf32(const Mma& work) {
  return work.operands == Operands::ss ? find_n<Tf32, Kind::f32, false>(work.n, SomeN{})
                                       : find_n<Tf32, Kind::f32, true>(work.n, SomeN{});
}

}  // namespace plumb::mma
