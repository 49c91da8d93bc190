// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plumb::mma {

struct Stamp {
  std::int64_t cycles, ns;
};

/// Queues a kernel that writes the clocks of every SM to `to`, by the number of the SM below `most`.
void stamp(Stamp* to, std::uint32_t most);

/// Queues a kernel that fills `count` words with pseudo-random numbers of bf16, f16 or e4m3 in -1 to 1: words
/// of `bits` random bits under `mask` beside the constant `set`.
void fill_random(std::uint32_t* to, std::uint64_t count, std::uint32_t mask, std::uint32_t set,
                 std::uint32_t seed);

}  // namespace plumb::mma
