// SPDX-License-Identifier: Apache-2.0
#include "mma/wgmma.cuh"
#include "mma/wgmma_tables.h"

namespace plumb::mma {

namespace {

template <class In>
const void* find(const Mma& work) {
  if (work.operands == Operands::rs) return find_n<In, Kind::f32, true, false, false, true>(work.n, FewN{});
  if (!work.b_mn_major) return find_n<In, Kind::f32, false, false, true, false>(work.n, FewN{});
  return work.a_mn_major ? find_n<In, Kind::f32, false, false, true, true>(work.n, FewN{})
                         : find_n<In, Kind::f32, false, false, false, true>(work.n, FewN{});
}

}  // namespace

const void* wgmma_turned(const Mma& work) {
  return work.input == Number::bf16 && work.output == Number::f32 ? find<Bf16>(work) : nullptr;
}

}  // namespace plumb::mma
