// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

/// How one thread gets the pointer that it follows next.
enum class ChaseWay : std::uint8_t {
  add,      ///< no memory: a dependent integer addition
  shared,   ///< `ld.shared`
  load,     ///< `ld.global.ca`: the L1 where it holds the line
  load_l2,  ///< `ld.global.cg`: never the L1
  ldgsts,   ///< `cp.async` of 16 bytes, waited for, then `ld.shared`
  bulk,     ///< `cp.async.bulk` of 16 bytes by the copy engine, waited for at an mbarrier, then `ld.shared`
};

[[nodiscard]] std::string_view name_of(ChaseWay way) noexcept;
/// Throws Error (caller) that lists the allowed names.
[[nodiscard]] ChaseWay chase_way_from(std::string_view name);

/// What one sample does: one thread follows `links` pointers, each step only when the one before has come.
///
/// The chain goes through `nodes` places `stride` bytes apart, in an order that visits all before any again
/// and never two neighbours in a row. `cold`: the L2 was flushed after the chain was written, and no place is
/// visited twice in a launch. Otherwise the whole chain was walked once before. A chain of one node lies, in
/// each sample, at another place.
///
/// A backend returns start and stop on both clocks, smid and bad_bytes (8 where the chain ended at a wrong
/// place), with one row each.
struct Chase {
  ChaseWay way = ChaseWay::load_l2;
  std::int64_t nodes = 1;
  std::int64_t stride = 128;
  bool cold = false;
  int links = 64;

  bool operator==(const Chase&) const = default;
};

inline constexpr std::int64_t kMostChaseShared = std::int64_t{128} * 1024;
inline constexpr int kMostChaseLinks = 65536;

[[nodiscard]] constexpr bool is_global(ChaseWay way) noexcept {
  return way != ChaseWay::add && way != ChaseWay::shared;
}

/// Throws Error (caller) that names the field, its value and what is allowed.
void validate(const Chase& c);

}  // namespace plumb
