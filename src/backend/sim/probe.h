// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/sim/sim.h"

namespace plumb {

/// Runs a probe on the fabric, one access of 16 bytes at a time on an idle network; all samples are alike.
///
/// load and atom take a read command's and its response's way. store, red and st-async end when a short write
/// is in the peer's shared memory, put when a long write is; the looks of the peer, which a card's hand-off
/// contains, are not modelled. st-async-wait and arrive add what an mbarrier takes, put-wait is a put with
/// its mbarrier. An SM's access to itself does not use the network and has no duration. What the fabric has
/// no part in (L2, cluster barriers, looks, the fence of a release) comes back without samples and with a
/// flag that says so.
///
/// `clusters` work side by side; the first has the first ranks. Throws Error (caller) for a probe that this
/// GPC cannot run.
[[nodiscard]] Measurement probe_on(const SimMachine& machine, const Case& point, int clusters);

}  // namespace plumb
