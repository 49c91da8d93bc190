// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/site.h"
#include "plumb/core/census.h"
#include "plumb/core/lookup.h"
#include "plumb/core/sample.h"
#include "plumb/core/walk.h"

namespace plumb::topology {

/// Each runs `samples` samples on the current device and returns the columns that the kind of work names.
/// Throws Error: caller for what the card cannot run, device where CUDA fails.
[[nodiscard]] Samples run_census(const Census& census, const Site& site, int samples);
[[nodiscard]] Samples run_lookup(const Lookup& lookup, int samples);
[[nodiscard]] Samples run_walk(const Walk& walk, int samples);

}  // namespace plumb::topology
