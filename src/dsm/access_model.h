// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/dsm.h"
#include "plumb/core/access.h"

namespace plumb::dsm {

/// What the way between SMs makes of a form of access.
struct AccessModel {
  std::optional<model::Expected>
      cycles;        ///< SM cycles of one warp instruction (of a bulk copy: of one thread's)
  std::string text;  ///< what it is limited by, or why nothing is said
};

/// A flit costs an SM lanes/clients of a cycle. Loads are answered by sectors of 32 bytes; stores travel in
/// granules of 16 bytes, or two flits for a whole aligned 64; adds carry a fifth flit for 128 bytes; one
/// thread sets up a bulk copy in the command cycles; loads in flight follow model::in_flight_rate.
[[nodiscard]] AccessModel access_model(const Access& access, const model::DsmParameters& p = {});

}  // namespace plumb::dsm
