// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/case.h"
#include "core/finding.h"

namespace plumb::mma {

/// Of work on all SMs at once, by the medians over samples: NAME/tflops (TFLOP/s, all FLOP over the time from
/// the first start to the last stop), /clock (cycle/ns, the median SM's), /peak (% of what the SMs do at that
/// clock, see peak_of), /sms, and where they could be read /power (W) and /temperature (C).
[[nodiscard]] std::vector<Finding> chip_findings(const Measurement& m);

}  // namespace plumb::mma
