// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/case.h"
#include "core/finding.h"

namespace plumb::dsm {

/// From the times of dependent steps to findings, with 95 % intervals. SMs are told apart by %smid, and those
/// that were ever in one cluster make a GPC; GPCs are counted from 0 in the order of their lowest SM.
///
///   OP/min, /median, /max   cycles   of one step, over the medians of all ordered pairs of SMs
///   OP/median-ns            ns       by the SM clock that the case was measured at
///   OP/own                  cycles   of an SM with itself, median over the SMs
///   OP/asymmetry            cycles   the largest difference between a pair's two directions
///   OP/leg/SMID             cycles   time(i, j) = leg(i) + leg(j); notes: "GPC g", "rank r"
///   OP/residual-rms, /residual-worst   cycles   of that fit, over all GPCs
///   load/tpc/TPC            cycles   leg of the second SM of a TPC less that of the first; notes: "GPC g",
///   "CPC c" load/cpc/GPC.CPC        cycles   mean step between the TPCs of a CPC, by the means of their legs
///   sync/THREADS/RANKS      cycles   of one cluster barrier; sync-relaxed likewise
///   poll, look              cycles   of one look that finds nothing
///   l2-over-dsm, l2-over-dsm-release   x   hand-off through L2 over hand-off through shared memory
///
/// No register tells the CPC. The card deals TPCs to a cluster of 16 from the CPCs in turn as long as each
/// has one left, so TPC t of the first six (ranks 2t and 2t + 1) is of CPC t mod 3; the last two are given to
/// the CPC whose TPCs have the same difference between their SMs. A case without samples gives no finding.
[[nodiscard]] std::vector<Finding> latency_findings(std::span<const Measurement> measurements);

/// What one step costs from one SM to another, or to itself: the median over the samples of a case.
struct PairLatency {
  int from = 0;  ///< %smid
  int to = 0;
  double cycles = 0.0;
};
/// Of all pairs that a case of dsm/latency has, by from and to; none where it is of something else.
[[nodiscard]] std::vector<PairLatency> pair_latencies(const Measurement& m);

}  // namespace plumb::dsm
