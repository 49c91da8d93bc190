// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

/// How rows of a tile are spread over the banks of shared memory: the bytes over which 16-byte pieces are
/// exchanged. Tensor maps (CUtensorMapSwizzle) and matrix descriptors have the same four.
enum class Swizzle : std::uint8_t { none, b32, b64, b128 };

[[nodiscard]] std::string_view name_of(Swizzle swizzle) noexcept;
/// Throws Error (caller) that lists the allowed names.
[[nodiscard]] Swizzle swizzle_from(std::string_view name);

}  // namespace plumb
