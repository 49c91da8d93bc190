// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cards.h"

namespace plumb::cli {

/// The kernel that interprets traffic plans; empty in a build without CUDA, where no card can be opened.
[[nodiscard]] TrafficProgram traffic_program();

}  // namespace plumb::cli
