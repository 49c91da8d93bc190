// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "plumb/core/traffic.h"

namespace plumb {

/// A family of traffic plans that is known by name.
struct Pattern {
  std::string_view name;  ///< "ring"
  std::string_view text;  ///< who sends to whom
};

/// All of them, in the order in which help texts list them.
[[nodiscard]] std::span<const Pattern> patterns();
[[nodiscard]] bool is_pattern(std::string_view name);

/// How a pattern is laid over the ranks.
struct PatternShape {
  int ranks = 16;
  int stride = 1;  ///< ring, pairs: ranks between the two ends of a flow
  int root = 0;    ///< incast, gather: the destination; scatter: the source

  bool operator==(const PatternShape&) const = default;
};

/// The plan of a named pattern. Every flow is a copy of `flow` between ranks of its own.
///
/// Where `flow.window` is 0 and the plan would need more shared memory than an SM has, the flows walk the
/// largest window that fits, halving it; where `flow.warps` is more than the issuing ranks have, they share
/// what there is. Both keep what the wires see.
///
/// Throws Error (caller) for an unknown name (with those allowed) and for a stride, root or number of ranks
/// that makes no such pattern. The plan may still be illegal in other ways: see validate().
[[nodiscard]] Traffic make_pattern(std::string_view name, const PatternShape& shape, const Flow& flow);

}  // namespace plumb
