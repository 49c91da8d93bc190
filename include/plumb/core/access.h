// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/core/traffic.h"

namespace plumb {

/// The instruction that one SM issues again and again. Those with an mbarrier are complete where and when
/// that has counted their bytes; loads when the data has arrived; the others when the issuing thread's fence
/// says so.
enum class Form : std::uint8_t {
  load,          ///< `ld.shared`, and `ld.shared::cluster` for a target in the cluster's window
  generic_load,  ///< `ld` through a generic pointer, mapped by `mapa` for a target in the cluster's window
  store,         ///< `st.shared`, `st.shared::cluster`
  red,           ///< `red.shared.add`, `red.shared::cluster.add`: adds without an answer
  async_store,   ///< `st.async`, with an mbarrier beside the data
  async_red,     ///< `red.async.add`, likewise
  bulk,          ///< `cp.async.bulk` from the issuing SM's own shared memory, one thread of each warp
};

/// Whose shared memory an access reads or writes.
enum class Target : std::uint8_t {
  local,  ///< the issuing CTA's own, by the instruction that knows nothing of clusters
  own,    ///< the same memory, addressed as a rank of the cluster
  peer,   ///< that of the other CTA, on another SM
};

/// How the 32 lanes of one warp instruction lie in memory, counted in accesses. Each of them but `broadcast`
/// touches every access of the window exactly once a walk.
enum class Lanes : std::uint8_t {
  coalesced,    ///< side by side
  strided,      ///< in runs of `run` side by side, `stride` apart; other instructions fill what lies between
  swizzled,     ///< lane i in row i of a tile of 32 x 32 accesses, column i xor the instruction's number
  broadcast,    ///< all at one address; loads and reds
  shuffled,     ///< side by side, in an order drawn at random
  shuffled_4k,  ///< drawn at random from 4 KiB
};

[[nodiscard]] std::string_view name_of(Form form) noexcept;
[[nodiscard]] std::string_view name_of(Target target) noexcept;
[[nodiscard]] std::string_view name_of(Lanes lanes) noexcept;
/// Each throws Error (caller) that lists the allowed names.
[[nodiscard]] Form form_from(std::string_view name);
[[nodiscard]] Target target_from(std::string_view name);
[[nodiscard]] Lanes lanes_from(std::string_view name);

/// What one sample does: rank 0 of a cluster of two CTAs, one per SM, walks a window of shared memory with
/// one form of access until `bytes` have moved.
///
/// A backend returns one start and one stop per sample on the clocks of `observer(access)`, the SMs of both
/// ranks, and the bytes that were wrong.
struct Access {
  Form form = Form::load;
  Target target = Target::local;
  Lanes lanes = Lanes::coalesced;
  int stride = 1;  ///< strided: accesses from one run to the next: 2, 4, 8, 16, 32; otherwise 1
  int run = 1;     ///< strided: lanes side by side: a power of two below `stride`; otherwise 1
  int width = 16;  ///< bytes of one thread's access; of a bulk copy: of one command
  int warps = 16;  ///< that issue
  int in_flight =
      8;  ///< accesses a thread issues back to back; other than 8 for loads of 16 bytes and bulk copies
  std::int64_t bytes = 0;  ///< per sample; a multiple of the window

  bool operator==(const Access&) const = default;
};

inline constexpr int kAccessRanks = 2;
inline constexpr int kLanes = 32;  ///< threads of a warp
inline constexpr int kMostAccessWarps = 16;

[[nodiscard]] constexpr bool has_mbarrier(Form form) noexcept {
  return form == Form::async_store || form == Form::async_red || form == Form::bulk;
}
/// Threads of one warp that issue.
[[nodiscard]] constexpr int lanes_of(Form form) noexcept { return form == Form::bulk ? 1 : kLanes; }
/// Warp instructions between two issues of the same address.
[[nodiscard]] constexpr int instructions(const Access& a) noexcept { return a.warps * a.in_flight; }
/// Bytes of distinct addresses, walked again and again.
[[nodiscard]] constexpr std::int64_t window(const Access& a) noexcept {
  return std::int64_t{instructions(a)} * lanes_of(a.form) * a.width;
}
/// Rank whose shared memory is the target.
[[nodiscard]] constexpr int target_rank(const Access& a) noexcept { return a.target == Target::peer ? 1 : 0; }
/// Rank on whose clocks a sample is timed: an mbarrier can be waited on only where it is.
[[nodiscard]] constexpr int observer(const Access& a) noexcept {
  return has_mbarrier(a.form) ? target_rank(a) : 0;
}

/// "stride-8", "stride-32-run-4", "swizzled": how the lanes lie, as a name in findings has it.
[[nodiscard]] std::string pattern_of(const Access& a);

/// Throws Error (caller) that names the field, its value and what is allowed.
void validate(const Access& a);

}  // namespace plumb
