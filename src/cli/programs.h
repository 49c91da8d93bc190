// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cards.h"

namespace plumb::cli {

/// The kernels for every kind of work; empty in a build without CUDA, where no card can be opened.
[[nodiscard]] CardProgram card_program();

}  // namespace plumb::cli
