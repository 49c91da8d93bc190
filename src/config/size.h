// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb::config {

inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;  ///< bytes; sums of sizes cannot overflow

/// "65536", "64KiB", "1 MiB" in bytes. Throws Error (caller) for anything else, and above kLargestSize.
[[nodiscard]] std::int64_t size_from(std::string_view text);

}  // namespace plumb::config
