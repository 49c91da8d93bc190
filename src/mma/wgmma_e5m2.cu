// SPDX-License-Identifier: Apache-2.0
#include "mma/wgmma.cuh"
#include "mma/wgmma_tables.h"

namespace plumb::mma {

namespace {

template <bool Rs>
const void* find(const Mma& work) {
  return work.output == Number::f32 ? find_n<E5m2, Kind::f32, Rs>(work.n, SomeN{})
                                    : find_n<E5m2, Kind::f16, Rs>(work.n, SomeN{});
}

}  // namespace

const void* wgmma_e5m2(const Mma& work) {
  return work.operands == Operands::ss ? find<false>(work) : find<true>(work);
}

}  // namespace plumb::mma
