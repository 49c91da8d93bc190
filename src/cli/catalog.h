// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment.h"

namespace plumb::cli {

/// Every experiment that this program has, in the order in which `plumb list` shows them.
[[nodiscard]] const std::vector<Experiment>& catalog();

/// catalog() and the experiment of a user's own pattern: all that a recording can hold.
[[nodiscard]] const std::vector<Experiment>& known();

/// Those whose names match any of the globs ("dsm/*"); all where there is none. Throws Error (caller) that
/// lists the names where a glob matches nothing.
[[nodiscard]] std::vector<Experiment> select(const std::vector<std::string>& globs);

/// The folder with machines/ and recordings/: $PLUMB_DATA, beside the program, ../share/plumb from it, or the
/// source tree that it was built from. Throws Error (caller) that lists where it looked.
[[nodiscard]] std::filesystem::path data_folder();

/// The H200 run of a subject ("dsm") that Plumb ships, which stands in for a card where there is none.
[[nodiscard]] std::filesystem::path shipped_recording(std::string_view subject);
/// Those of all subjects that the catalog has, in its order.
[[nodiscard]] std::vector<std::filesystem::path> shipped_recordings();

}  // namespace plumb::cli
