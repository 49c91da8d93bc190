// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copy/models.h"

namespace plumb::copy {

/// A way of keeping bytes on their way, and what the model says of it.
struct Advice {
  Copy copy;
  stats::Estimate rate;    ///< GB/s of one SM; 95 %: of the fit, widened by its held-out errors
  double chip_rate = 0.0;  ///< GB/s, with all SMs of the recording at it
  int mbarriers = 0;       ///< of one CTA
};

/// For each path that the measurements (of copy/ldgsts and copy/tma) have a model of: the way that brings
/// most with no more than `bytes` on their way to an SM. Among ways within 1 % of the best, that with fewest
/// threads, and then with fewest stages. Best first. Throws Error (caller) where `bytes` are fewer than 512
/// or more than an SM has room for.
[[nodiscard]] std::vector<Advice> advise(std::span<const Measurement> measurements, std::int64_t bytes,
                                         Memory from, Layout layout, int sms);

}  // namespace plumb::copy
