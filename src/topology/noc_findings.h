// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/finding.h"

namespace plumb::topology {

/// The axis value "who" of a walk by a group of SMs with one SM of another group beside it.
[[nodiscard]] std::string name_of_beside(int group, int sm);

/// From walks to findings.
///
///   OP/WHO/rate, OP/WHO/per-sm    B/cycle  all SMs of WHO together (sm-0, tpc-0, cpc-SM, group-SM, all); one
///   of them OP/KIND/speed-up              x        over one SM, median over all of the kind; low and high:
///   least and most OP/all/rate-ns                GB/s     the whole chip, by the SM clock of that case
///   OP/same/WINDOW/rate           B/cycle  all SMs in one window of so many bytes
///   beside/free, /slowed          B/cycle  what one SM reads beside a busy group: in nobody's way, and
///   slowed plane-SM/groups               groups   that slow each other's readers; notes: their lowest SMs
///   lone-SM/own-port              B/cycle  what a lone TPC's SM adds to the reads of the group whose port is
///   full;
///                                          notes: which group; only where it adds less than a fifth of its
///                                          rate
///   pairs/free, /slowed           B/cycle  two TPCs that write the same lines, of two CPCs and of one
///   pairs/sets, /odd              sets, pairs   CPCs with two TPCs or more; pairs in them that do not
///   contend
[[nodiscard]] std::vector<Finding> noc_findings(std::span<const Measurement> measurements);

}  // namespace plumb::topology
