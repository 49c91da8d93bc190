// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/site.h"
#include "plumb/core/mma.h"
#include "plumb/core/sample.h"

namespace plumb::mma {

/// A whole product by cuBLASLt, `work.batches` of them in a sample after the heat of `site`, between two
/// stamps of the clocks of every SM. 256 elements of D are compared with the host's. One row, of the SM with
/// the lowest number. Throws Unsupported where the library is not on this machine, Error (device) where it
/// fails or D is wrong.
[[nodiscard]] Samples run_library(const Mma& work, const Site& site, int samples, std::uint64_t seed);

}  // namespace plumb::mma
