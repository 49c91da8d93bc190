// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plumb {

/// What one sample does: one thread of every SM in turn looks up `addresses` lines of global memory that sit
/// in L2, one after the other, each by kLookupLoads dependent loads past the L1.
///
/// A backend returns the columns smid, one row for each SM in rising order, and cycles: row s * addresses + a
/// is the time of SM s for the loads from address a, on its own clock. The addresses are the same for all
/// samples and SMs of a case and depend on the case alone.
struct Lookup {
  int addresses = 256;
  std::int64_t span = std::int64_t{16} << 20;  ///< bytes from which they are drawn at random, in lines
  std::int64_t stride = 0;  ///< other than 0: no drawing, but one every `stride` bytes from the start
  bool together = false;    ///< all SMs at once instead of in turn

  bool operator==(const Lookup&) const = default;
};

inline constexpr int kLookupLoads = 4;           ///< dependent loads of one look-up
inline constexpr std::int64_t kLineBytes = 128;  ///< of a line of L2
inline constexpr std::int64_t kSectorBytes = 32;
inline constexpr int kMostAddresses = 4096;
inline constexpr std::int64_t kMostSpan = std::int64_t{1} << 30;

/// The offset of address `a`, a multiple of kLineBytes where they are drawn.
[[nodiscard]] std::int64_t offset_of(const Lookup& lookup, int a);

/// Throws Error (caller) that names the field, its value and what is allowed.
void validate(const Lookup& lookup);

}  // namespace plumb
