// SPDX-License-Identifier: Apache-2.0
#include "mma/wgmma.cuh"
#include "mma/wgmma_tables.h"

namespace plumb::mma {

namespace {

template <class In, Kind D>
const void* find(const Mma& work) {
  return work.operands == Operands::ss ? find_n<In, D, false, true>(work.n, FewN{})
                                       : find_n<In, D, true, true>(work.n, FewN{});
}

}  // namespace

const void* wgmma_sparse(const Mma& work) {
  switch (work.input) {
    case Number::bf16:
      return find<Bf16, Kind::f32>(work);
    case Number::tf32:
      return find<Tf32, Kind::f32>(work);
    case Number::e4m3:
      return work.output == Number::f32 ? find<E4m3, Kind::f32>(work) : nullptr;
    case Number::s8:
      return find<S8, Kind::s32>(work);
    default:
      return nullptr;
  }
}

}  // namespace plumb::mma
