// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace plumb::cuda {

/// Of the current device. Each throws Error (device) where CUDA fails.
[[nodiscard]] std::int64_t l2_bytes();
[[nodiscard]] std::int64_t free_bytes();
/// Most shared memory of one CTA.
[[nodiscard]] std::int64_t most_shared_bytes();

/// Gives `kernel` all of an SM's shared memory, at the L1's cost, so that as many CTAs fit as can.
void prefer_shared(const void* kernel, const std::string& name);

/// What a tensor map describes: a tensor of 4-byte elements without gaps, cut into boxes.
struct TensorMap {
  const void* base = nullptr;
  std::span<const std::uint64_t> extent;  ///< elements, innermost first; 2 or 3 of them
  std::span<const std::uint32_t> box;     ///< likewise
  int swizzle = 0;                        ///< CUtensorMapSwizzle
  int promotion = 0;                      ///< CUtensorMapL2promotion
};
using EncodedMap = std::array<unsigned char, 128>;

/// As the copy engine reads it; `what` names it in errors. Throws Error (device) where the driver has no
/// tensor maps or refuses this one.
[[nodiscard]] EncodedMap encode(const TensorMap& map, const std::string& what);

}  // namespace plumb::cuda
