// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "topology/groups.h"

namespace plumb::topology {

/// Where a TPC is. GPCs, CPCs of a GPC and partitions are counted from 0 in the order of their lowest SM.
struct Seat {
  std::vector<int> sms;
  int gpc = -1;                       ///< -1: undetermined
  int cpc = -1;                       ///< of its GPC; -1: undetermined
  int partition = -1;                 ///< of L2; -1: undetermined, or all SMs see L2 alike
  bool lone = false;                  ///< it is never in a cluster with another TPC
  std::optional<double> probability;  ///< that it is in this GPC, by latency; of lone TPCs
  std::vector<std::string> evidence;  ///< why, one sentence for each method
};

/// How two methods compare.
struct Agreement {
  std::string what;  ///< "CPCs by latency and by contention"
  int agree = 0;
  int judged = 0;
  std::vector<std::string> differences;  ///< each with what the one says and what the other
};

/// Where everything is, as far as the measurements tell.
struct Map {
  std::vector<Seat> tpcs;  ///< by lowest SM
  int gpcs = 0;
  int sms = 0;
  double partition_difference = 0.0;  ///< cycles; 0: no partition was found, or none was looked for
  std::vector<std::string> methods;   ///< what the map rests on
  std::vector<Agreement> agreements;
};

/// Whether a map is made of what an experiment measures.
[[nodiscard]] bool is_of_a_map(std::string_view experiment);

/// From censuses, look-ups in L2, walks of pairs of TPCs and load latencies inside clusters, whichever there
/// are. GPCs are the groups of SMs that share clusters. A lone TPC goes where contention and latency both put
/// it, or the one that was measured; where they differ it stays undetermined and both are told. Its
/// probability is that of the latencies. None where there is no census.
[[nodiscard]] std::optional<Map> map_of(std::span<const Measurement> measurements);

}  // namespace plumb::topology
