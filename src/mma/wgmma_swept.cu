// SPDX-License-Identifier: Apache-2.0
#include "mma/wgmma.cuh"
#include "mma/wgmma_tables.h"

namespace plumb::mma {

namespace {

template <class In, bool Rs, int... N>
const void* find(const Mma& work) {
  return find_n<In, Kind::f32, Rs, false, false, false, AllDepths>(work.n,
                                                                   std::integer_sequence<int, N...>{});
}

}  // namespace

const void* wgmma_swept(const Mma& work) {
  const bool rs = work.operands == Operands::rs;
  if (work.output != Number::f32) return nullptr;
  if (work.input == Number::bf16)
    return rs ? find<Bf16, true, 64, 128>(work) : find<Bf16, false, 64, 128, 256>(work);
  return work.input == Number::e4m3 && !rs ? find<E4m3, false, 128>(work) : nullptr;
}

}  // namespace plumb::mma
