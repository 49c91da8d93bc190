// SPDX-License-Identifier: Apache-2.0
// What an instruction of the tensor cores costs: closed form, the same for Hopper and Blackwell.
#pragma once

#include <optional>
#include <string_view>

#include "plumb/core/mma.h"

namespace plumb::model {

/// The tensor cores of a machine, all in SM cycles unless said otherwise. A machine file's [tensor_cores];
/// the defaults are those of machines/h200.toml.
struct TensorCores {
  MmaFamily family = MmaFamily::wgmma;
  int flop_per_cycle = 4096;         ///< of one SM, dense 16-bit numbers; others in proportion to their bits
  int full_rows = 64;                ///< rows of D on one SM that use the whole datapath
  int shared_bytes_per_cycle = 128;  ///< that shared memory delivers
  int register_issue = 13;           ///< least time between two instructions with A in registers
  int trip = 77;                     ///< a batch of one, beyond its math, A in shared memory
  int trip_elsewhere = 67;           ///< the same with A in registers or tensor memory
  int trip_hidden = 10;              ///< of it, what a second instruction hides
  bool fetch_first = false;          ///< whether A's fetch from shared memory adds to the trip
  int observed_alone = 22;           ///< latency of one instruction alone less its trip
  int crowd = 6;                     ///< what each further warpgroup adds to the trip, A in shared memory
  int crowd_elsewhere = 3;           ///< the same with A in registers
  int pair_trip = 0;                 ///< further trip where two SMs share an instruction
  int half_pair_trip = 0;            ///< further trip where they have 64 rows each
  int pair_pipeline = 0;       ///< instructions between fetch and completion that a pair holds, 128 rows each
  int pair_pipeline_trip = 0;  ///< what one takes there beyond its fetch and math
  int half_pair_pipeline = 0;  ///< the same two with 64 rows each
  int half_pair_pipeline_trip = 0;
  int scale_trip = 0;  ///< further trip of block-scaled numbers

  bool operator==(const TensorCores&) const = default;
};

/// What limits an instruction.
enum class MmaLimit { math, shared_memory, issue, pair };
[[nodiscard]] std::string_view name_of(MmaLimit limit) noexcept;

/// Cycles that one instruction keeps each part of its SM (of each SM of a pair) busy.
struct MmaStages {
  double math = 0;     ///< FLOP over the rate of the datapath that it uses
  double fetch_a = 0;  ///< shared memory
  double fetch_b = 0;
  double issue = 0;
  double pair = 0;  ///< fetch, math and trip over the instructions that a pair holds: Little's law
};
[[nodiscard]] MmaStages stages_of(const Mma& work, const TensorCores& tc);

/// Cycles from one instruction to the next where many are in flight, and what sets them.
[[nodiscard]] double interval_of(const MmaStages& stages);
[[nodiscard]] MmaLimit limit_of(const MmaStages& stages);

/// Cycles from issue to observed completion of one instruction alone.
[[nodiscard]] double latency_of(const Mma& work, const TensorCores& tc);

/// Cycles in which all groups finish a batch of `work.in_flight` each.
[[nodiscard]] double batch_cycles(const Mma& work, const TensorCores& tc);
/// batch_cycles over the instructions of all groups: cycles of one instruction on its SM.
[[nodiscard]] double cycles_of(const Mma& work, const TensorCores& tc);

/// FLOP that one SM does in a cycle, at best and as `work` says.
[[nodiscard]] double peak_of(const Mma& work, const TensorCores& tc);
[[nodiscard]] double rate_of(const Mma& work, const TensorCores& tc);

/// The fewest instructions in flight of each group for `share` of the rate with many; none up to
/// kMostInFlight.
[[nodiscard]] std::optional<int> depth_for(const Mma& work, const TensorCores& tc, double share);

/// The smallest legal N, from that of `work` on, that only the math limits; none where there is none.
[[nodiscard]] std::optional<int> unlimited_n(const Mma& work, const TensorCores& tc);

}  // namespace plumb::model
