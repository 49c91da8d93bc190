// SPDX-License-Identifier: Apache-2.0
// The kernels that wgmma_*.cu make, a table for each file, and the N for which they are made.
#pragma once

#include <utility>

#include "plumb/core/mma.h"

namespace plumb::mma {

/// Every legal N but 64 and 128 (and 256 of SS), which are swept, in two halves so that two compilers can
/// work; what other formats are measured at; and what variants of the layout are.
using LowerN = std::integer_sequence<int, 8, 16, 24, 32, 40, 48, 56, 72, 80, 88, 96, 104, 112, 120>;
using UpperN =
    std::integer_sequence<int, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248>;
using WidestN = std::integer_sequence<int, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232,
                                      240, 248, 256>;
using SomeN = std::integer_sequence<int, 8, 32, 64, 128, 256>;
using FewN = std::integer_sequence<int, 64, 128, 256>;

/// Each returns null for work that is not in its file.
const void* wgmma_bf16_lower(const Mma& work);
const void* wgmma_bf16_upper(const Mma& work);
const void* wgmma_swept(const Mma& work);  ///< every number in flight
const void* wgmma_f16(const Mma& work);
const void* wgmma_tf32(const Mma& work);
const void* wgmma_e4m3(const Mma& work);
const void* wgmma_e5m2(const Mma& work);
const void* wgmma_int8(const Mma& work);
const void* wgmma_sparse(const Mma& work);
const void* wgmma_turned(const Mma& work);  ///< MN-major

}  // namespace plumb::mma
