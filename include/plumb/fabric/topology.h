// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <vector>

#include "plumb/fabric/parameters.h"

namespace plumb::fabric {

/// A place where an SM can be: CPC 0 to 2, TPC 0 to 2 in it, SM 0 to 1 in that.
struct Slot {
  int cpc = 0;
  int tpc = 0;
  int sm = 0;

  auto operator<=>(const Slot&) const = default;
};

inline constexpr int kCpcs = 3;
inline constexpr int kTpcsPerCpc = 3;
inline constexpr int kSmsPerTpc = 2;
inline constexpr int kLanesPerCpc = 4;  ///< of GPCARB ingress: two into each plane
inline constexpr int kPlanes = 2;       ///< GX0 and GX1
inline constexpr int kPlanePorts = 6;   ///< inputs and outputs of a plane
inline constexpr int kBlocks = 6;       ///< egress blocks: two per CPC
inline constexpr int kSmsPerBlock = 3;

/// Which SMs a GPC has and which of them each rank of a cluster runs on. Immutable once built.
class Topology {
 public:
  /// Every place of the CPCs given, minus those that were fused off. `ranks` SMs take part (0: all), dealt
  /// TPC by TPC across the CPCs: on an H200 that is how the hardware places a cluster.
  /// Throws Error (caller) with the reason where the GPC is impossible or too small.
  explicit Topology(const std::vector<Slot>& fused_off = {}, int ranks = 0);

  /// With an explicit place for each rank.
  [[nodiscard]] static Topology placed(std::vector<Slot> rank_slots);

  /// A GPC of an H200 that has 16 SMs: CPCs of 6, 6 and 4.
  [[nodiscard]] static Topology h200(int ranks = 16);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(slots_.size()); }
  [[nodiscard]] const Slot& slot(int rank) const { return slots_.at(static_cast<std::size_t>(rank)); }

  /// 0 to 17, the order in which per-SM parameters and %smid count.
  [[nodiscard]] int index(int rank) const;
  [[nodiscard]] int cpc(int rank) const { return slot(rank).cpc; }
  /// Input of GPCARB ingress in its CPC, 0 to 5.
  [[nodiscard]] int ingress_input(int rank) const;
  /// Egress block, 0 to 5: two per CPC, one for the first SMs of its TPCs and one for the second.
  [[nodiscard]] int block(int rank) const;
  /// Output of that block, 0 to 2.
  [[nodiscard]] int block_port(int rank) const { return slot(rank).tpc; }

  bool operator==(const Topology&) const = default;

 private:
  Topology(std::vector<Slot> rank_slots, bool checked);

  std::vector<Slot> slots_;
};

}  // namespace plumb::fabric
