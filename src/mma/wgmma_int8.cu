// SPDX-License-Identifier: Apache-2.0
#include "mma/wgmma.cuh"
#include "mma/wgmma_tables.h"

namespace plumb::mma {

namespace {

template <class In>
const void* find(const Mma& work) {
  return work.operands == Operands::ss ? find_n<In, Kind::s32, false>(work.n, SomeN{})
                                       : find_n<In, Kind::s32, true>(work.n, SomeN{});
}

}  // namespace

const void* wgmma_int8(const Mma& work) { return work.input == Number::s8 ? find<S8>(work) : find<U8>(work); }

}  // namespace plumb::mma
