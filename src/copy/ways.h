// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/copy.h"

namespace plumb::copy {

/// The ways that a path (ldgsts, or boxes of tma) has of keeping `bytes` on their way to an SM, named
/// CTAs x threads x stages, or warps x stages; they have no bytes to bring yet.
[[nodiscard]] std::vector<std::pair<std::string, Copy>> ways(CopyPath path, Memory from, std::int64_t bytes);

}  // namespace plumb::copy
