// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace plumb {

enum class WalkOp : std::uint8_t {
  read,   ///< `ld.global.cg.v4.u32`: from L2, past the L1
  write,  ///< `st.global.cg.v4.u32`, complete when the fence of the writing threads says so
};

[[nodiscard]] std::string_view name_of(WalkOp op) noexcept;
/// Throws Error (caller) that lists the allowed names.
[[nodiscard]] WalkOp walk_op_from(std::string_view name);

/// What one sample does: one CTA of kWalkThreads threads on each of the chosen SMs walks its window of global
/// memory, which sits in L2, `rounds` times. All start together. In a window smaller than what the threads
/// have in flight, kWalkStep bytes, several read or write the same place.
///
/// A backend returns the four clock columns, smid and bad_bytes with one row for each SM that walks. Of
/// reads, a window counts as bad where the sum of what was read is not that of what is there; of writes, what
/// is not there afterwards.
struct Walk {
  WalkOp op = WalkOp::read;
  std::vector<int> sms = {};  ///< that walk, rising; empty: all
  std::int64_t window = std::int64_t{128} * 1024;
  int rounds = 16;
  bool same = false;  ///< all walk one window; otherwise each has its own

  bool operator==(const Walk&) const = default;
};

inline constexpr int kWalkThreads = 1024;
inline constexpr int kWalkWidth = 16;    ///< bytes of one thread's access
inline constexpr int kWalkAccesses = 8;  ///< that a thread has in flight
inline constexpr std::int64_t kWalkStep = std::int64_t{kWalkThreads} * kWalkAccesses * kWalkWidth;
inline constexpr std::int64_t kLeastWindow = 512;  ///< one access of every lane of a warp
inline constexpr std::int64_t kMostWindow = std::int64_t{64} << 20;
inline constexpr int kMostRounds = 4096;

/// Bytes that each SM moves in one sample.
[[nodiscard]] constexpr std::int64_t bytes_of(const Walk& w) noexcept {
  return w.rounds * (w.window < kWalkStep ? kWalkStep : w.window);
}

/// Throws Error (caller) that names the field, its value and what is allowed.
void validate(const Walk& walk);

}  // namespace plumb
