// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/core/error.h"

namespace plumb {

/// The instruction that moves the payload.
enum class Op : std::uint8_t {
  load,   ///< `ld.shared::cluster.v4`, issued at the destination; done when the data has arrived
  store,  ///< `st.shared::cluster.v4`, issued at the source; done when every store is acknowledged
  put,    ///< `cp.async.bulk` shared::cta to shared::cluster, issued at the source; done when the
          ///< destination's mbarrier has counted every byte
};

[[nodiscard]] std::string_view name_of(Op op) noexcept;
/// Throws Error (caller) that lists the allowed names.
[[nodiscard]] Op op_from(std::string_view name);

/// One stream of payload from the shared memory of one CTA to that of another.
///
/// `source` and `destination` say where the payload is before and after, whichever side issues the
/// instruction: two flows with the same source and destination use the same direction of the wires.
struct Flow {
  int source = 0;       ///< rank that holds the payload before
  int destination = 1;  ///< rank that holds it afterwards
  Op op = Op::load;
  std::int64_t bytes = 0;             ///< payload per sample; a multiple of 16
  std::int64_t command = 16384;       ///< puts: bytes of one bulk copy; a multiple of 16
  std::int64_t window = 0;            ///< bytes of distinct addresses, walked again and again; 0: each once
  std::int64_t delay = 0;             ///< SM cycles from the start barrier to the first instruction
  std::int64_t burst = 0;             ///< bytes between two pauses; 0: no pauses
  std::int64_t gap = 0;               ///< SM cycles of pause after each burst but the last
  std::int64_t source_skew = 0;       ///< bytes added to the start of the source tile
  std::int64_t destination_skew = 0;  ///< bytes added to the start of the destination region
  int warps = 8;                      ///< loads, stores: warps that issue; puts have one issuing thread
  int in_flight = 2;  ///< loads, stores: 16-byte accesses a thread issues back to back: 1, 2, 4, 8

  bool operator==(const Flow&) const = default;
};

/// Rank that issues the instructions of a flow.
[[nodiscard]] constexpr int issuer(const Flow& f) noexcept {
  return f.op == Op::load ? f.destination : f.source;
}
/// Rank whose clocks say when a flow began and when it was complete. For a put that is the destination:
/// only there can the mbarrier be waited on (PTX ISA, mbarrier.test_wait).
[[nodiscard]] constexpr int observer(const Flow& f) noexcept {
  return f.op == Op::store ? f.source : f.destination;
}

/// What the warps of a Background read again and again.
enum class Memory : std::uint8_t {
  shared,           ///< the SM's own shared memory, 16 bytes a thread, no bank conflicts
  shared_conflict,  ///< likewise, 4 bytes a thread, all 32 threads of a warp in one bank
  l2,               ///< global memory that stays in L2
  dram,             ///< global memory far larger than L2
};

[[nodiscard]] std::string_view name_of(Memory memory) noexcept;
/// Throws Error (caller) that lists the allowed names.
[[nodiscard]] Memory memory_from(std::string_view name);

/// Warps of one rank that keep a memory busy from the start barrier until every flow of their cluster is
/// complete. What they read is counted, not checked.
struct Background {
  int rank = 0;
  Memory memory = Memory::shared;
  int warps = 8;

  bool operator==(const Background&) const = default;
};

/// What one sample does: `ranks` CTAs of one cluster, one per SM, start together and move all flows.
///
/// This is the language that the CUDA kernel, the simulator and a user's pattern file share. A backend
/// returns one start and one stop per flow and sample, on the clocks of `observer(flow)`, and after the flows
/// likewise for each background, on the clocks of its rank, with the bytes that it read in between.
struct Traffic {
  int ranks = 2;
  std::vector<Flow> flows;
  std::vector<Background> background = {};

  bool operator==(const Traffic&) const = default;
};

inline constexpr int kMaxRanks = 16;              ///< largest non-portable cluster
inline constexpr int kMaxWarps = 31;              ///< of one CTA: 32, less one that keeps time
inline constexpr int kMaxInFlight = 8;            ///< accesses of one thread
inline constexpr std::int64_t kAccessBytes = 16;  ///< one thread's load or store
inline constexpr std::int64_t kSharedBytes = std::int64_t{200} * 1024;  ///< payload memory of each CTA
inline constexpr std::int64_t kRegionAlignment = 1024;                  ///< of each tile and region in it
inline constexpr std::int64_t kMbarrierTxLimit = 1 << 20;               ///< PTX ISA: tx-count below 2^20

/// Bytes of distinct addresses that a flow touches on each side.
[[nodiscard]] constexpr std::int64_t footprint(const Flow& f) noexcept {
  return f.window != 0 ? f.window : f.bytes;
}

/// Bytes that a flow moves between two returns to its outer loop: a burst, or one walk of the window.
[[nodiscard]] constexpr std::int64_t segment(const Flow& f) noexcept {
  return f.burst != 0 ? f.burst : footprint(f);
}

/// Where a flow's payload lies, in bytes from the start of the payload memory of the two CTAs.
struct Placement {
  std::int64_t source = 0;
  std::int64_t destination = 0;  ///< unused by loads, whose payload ends in registers

  bool operator==(const Placement&) const = default;
};

/// Lays out the payload memory, one entry per flow. All flows out of a rank read one shared tile at offset 0
/// (stores make the same payload in registers); each store and put has a region of its own where it lands.
[[nodiscard]] std::vector<Placement> layout(const Traffic& traffic);

/// Warps that a rank needs: those that issue, one for each put that it waits for, and the background's.
[[nodiscard]] int warps_at(const Traffic& traffic, int rank);

/// What validate() throws about one flow: for a reader that knows where the flow was written.
class FlowError : public Error {
 public:
  FlowError(std::size_t flow, std::string_view field, const std::string& message)
      : Error(Fault::caller, message), flow_(flow), field_(field) {}

  [[nodiscard]] std::size_t flow() const noexcept { return flow_; }
  [[nodiscard]] const std::string& field() const noexcept { return field_; }

 private:
  std::size_t flow_;
  std::string field_;
};

/// Throws Error (caller), a FlowError where one flow is to blame, that names the flow, the field, its value
/// and what is allowed. Every backend calls it first, so that a plan is legal everywhere or nowhere.
/// `max_ranks` is the cluster limit of the machine (18 on a simulated full GPC).
void validate(const Traffic& traffic, int max_ranks = kMaxRanks);

}  // namespace plumb
