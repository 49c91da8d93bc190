// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <vector>

#include "dsm/tomography/partition.h"

namespace plumb::dsm::tomo {

[[nodiscard]] constexpr bool has(Mask m, int item) { return (m >> item & 1U) != 0; }
[[nodiscard]] constexpr Mask bit(int item) { return Mask{1} << item; }

[[nodiscard]] inline std::vector<int> members(Mask m) {
  std::vector<int> out;
  for (; m != 0; m &= m - 1) out.push_back(std::countr_zero(m));
  return out;
}

/// The group that holds `item`; empty where none does.
[[nodiscard]] inline Mask group_of(const std::vector<Mask>& groups, int item) {
  for (const Mask g : groups)
    if (has(g, item)) return g;
  return 0;
}

}  // namespace plumb::dsm::tomo
