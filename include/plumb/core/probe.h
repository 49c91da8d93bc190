// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumb {

/// The step that a Probe repeats, each time only when the one before has had its effect.
///
/// A chase reads: the value that one step brings is the address of the next. A hand-off writes: a warp of one
/// rank tells a warp of the other, which answers as soon as it has seen that. Both sides look at memory of
/// their own SM, or at their own flag in L2.
enum class ProbeOp : std::uint8_t {
  load,           ///< chase: `ld.shared::cluster.u32`
  atom,           ///< chase: `atom.relaxed.cluster.shared::cluster.add.u32` of zero
  store,          ///< hand-off: `st.relaxed.cluster.shared::cluster.u32`
  store_release,  ///< hand-off: `st.release.cluster`, looked for with `ld.acquire.cluster`
  red,            ///< hand-off: `red.relaxed.cluster.shared::cluster.add.u32`
  st_async,       ///< hand-off: `st.async` of 4 bytes; the peer looks at the word, not at the mbarrier
  put,            ///< hand-off: `cp.async.bulk` of 16 bytes; likewise
  st_async_wait,  ///< `st_async`, but the peer looks at its mbarrier
  put_wait,       ///< `put`, but the peer looks at its mbarrier
  arrive,         ///< hand-off: `mbarrier.arrive` on the peer's mbarrier, which the peer looks at
  l2_store,       ///< hand-off through global memory: `st.relaxed.gpu`, looked for with `ld.relaxed.gpu`
  l2_release,     ///< likewise: `st.release.gpu` and `ld.acquire.gpu`
  l2_atom,        ///< likewise: `atom.add.acq_rel.gpu`, whose result is waited for, and `ld.acquire.gpu`
  sync,           ///< `barrier.cluster.arrive.release` and `.wait.acquire`, one after the other
  sync_relaxed,   ///< likewise with `arrive.relaxed`
  poll,           ///< looks of a warp at a word of its own shared memory that does not change
  look,           ///< looks of a warp at an mbarrier of its own that does not complete
  poll_lane,      ///< `poll`, but by one thread, while the other 31 of its warp wait for it
  look_lane,      ///< `look`, likewise
};
inline constexpr std::size_t kProbeOps = 19;

[[nodiscard]] std::string_view name_of(ProbeOp op) noexcept;
/// Throws Error (caller) that lists the allowed names.
[[nodiscard]] ProbeOp probe_op_from(std::string_view name);

[[nodiscard]] constexpr bool is_chase(ProbeOp op) noexcept {
  return op == ProbeOp::load || op == ProbeOp::atom;
}
/// All that go from one rank to another, hence one participant for each ordered pair of ranks.
[[nodiscard]] constexpr bool is_pairwise(ProbeOp op) noexcept { return op < ProbeOp::sync; }

/// Bulk copies of an SM to itself through the cluster's window are no supported use of them.
[[nodiscard]] constexpr bool has_own(ProbeOp op) noexcept {
  return op != ProbeOp::put && op != ProbeOp::put_wait;
}

/// What one sample does: `links` dependent steps between every ordered pair of ranks in turn, with nothing
/// else on the network, or by all ranks at once where the operation is not pairwise.
///
/// A sample has one participant for each ordered pair: row i * ranks + j, timed by rank i, which reads from
/// rank j or hands off to it first. i = j is a rank with itself: it reads its own memory through the
/// cluster's window, or its two warps hand off to each other. Otherwise it has one participant for each rank.
/// A row without duration was not measured.
struct Probe {
  ProbeOp op = ProbeOp::load;
  int ranks = 16;
  int links = 64;    ///< steps in one sample; of hand-offs, those of both directions together
  int threads = 32;  ///< of each CTA, all of which meet; other operations have one that acts

  bool operator==(const Probe&) const = default;
};

inline constexpr int kMostLinks = 4096;

[[nodiscard]] constexpr std::size_t participants(const Probe& p) noexcept {
  const auto ranks = static_cast<std::size_t>(p.ranks);
  return is_pairwise(p.op) ? ranks * ranks : ranks;
}

/// Throws Error (caller) that names the field, its value and what is allowed. `max_ranks` is the cluster
/// limit of the machine.
void validate(const Probe& probe, int max_ranks);
void validate(const Probe& probe);

}  // namespace plumb
