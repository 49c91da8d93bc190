// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "infer/observed.h"

namespace plumb::cli {

/// What a recording says that the fabric can be held against.
struct Observations {
  std::string name;  ///< of the file, without its folders
  std::vector<infer::ObservedCase> cases;
};

/// Reads a recording ("": the one that is shipped) and says on `to` what of it the fabric models, and where
/// its ranks sit. Throws Error (caller) where there is nothing to compare.
[[nodiscard]] Observations observations_of(const std::string& file, std::FILE* to);

}  // namespace plumb::cli
