// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/site.h"
#include "mma/kernel.h"
#include "mma/operands.h"

namespace plumb::mma {

/// The matrices of a case and what is known of their product.
struct Data {
  Matrices m;
  StepProducts steps;
};

/// What one launch brought back.
struct Rounds {
  std::size_t slots = 0;
  std::size_t ranks = 1;  ///< SMs of a slot
  std::size_t rounds = 0;
  std::vector<MmaClocks> clocks;     ///< [slot][round]
  std::vector<std::uint32_t> wrong;  ///< [slot][round]
  std::vector<std::uint32_t> smid;   ///< [slot][rank]
};

/// Throws Error (device) where a kernel gave up.
void check_failures(const Mma& work, const std::vector<std::uint32_t>& failed);

/// One launch of wgmma or mma.sync, and of tcgen05.
[[nodiscard]] Rounds launch_warps(const Mma& work, const Site& site, const Data& data, std::size_t rounds);
[[nodiscard]] Rounds launch_tcgen05(const Mma& work, const Site& site, const Data& data, std::size_t rounds);

}  // namespace plumb::mma
