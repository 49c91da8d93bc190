// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

/// How the hardware is asked to spread clusters over GPCs (cudaClusterSchedulingPolicy).
enum class Policy : std::uint8_t { standard, spread, balanced };

[[nodiscard]] std::string_view name_of(Policy policy) noexcept;
/// Throws Error (caller) that lists the allowed names.
[[nodiscard]] Policy policy_from(std::string_view name);

/// Where on the chip a case runs, and after what.
struct Site {
  int clusters = 1;  ///< that do the work side by side, each its own copy; 0: as many as the machine holds
  int gpc = -1;  ///< the GPC to work in, counted as `plumb info` lists them; -1: wherever the card puts it
  Policy policy = Policy::standard;
  int heat_ms = 0;  ///< tensor-core load on every SM right before, so that the card lowers its own clock

  bool operator==(const Site&) const = default;
};

/// Throws Error (caller) that names the field, its value and what is allowed.
void validate(const Site& site);

}  // namespace plumb
