// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/machine.h"

namespace plumb::cli {

/// The machine of --machine with the changes of --set, "shaper=bucket". Throws Error (caller).
[[nodiscard]] config::Machine machine_of(const std::string& name, const std::vector<std::string>& changes);

/// Whether a --pattern means a file rather than a pattern that is known by name.
[[nodiscard]] bool names_a_file(const std::string& pattern);

}  // namespace plumb::cli
