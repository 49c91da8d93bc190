// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "plumb/core/traffic.h"

namespace plumb {

/// Traffic made of copies of `flow` with other ends. None of these checks that the result is legal:
/// validate() does, for each backend.

/// Each rank sends to the one `stride` further on: flow i goes from i to (i + stride) mod ranks.
[[nodiscard]] Traffic ring(int ranks, int stride, const Flow& flow);

/// Ranks 2i and 2i + 1 exchange, in both directions.
[[nodiscard]] Traffic neighbours(int ranks, const Flow& flow);

/// All of `sources` to `destination`.
[[nodiscard]] Traffic incast(int ranks, std::span<const int> sources, int destination, const Flow& flow);

/// From `source` to all of `destinations`.
[[nodiscard]] Traffic fan_out(int ranks, int source, std::span<const int> destinations, const Flow& flow);

}  // namespace plumb
