// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/machine.h"
#include "model/mma.h"

namespace plumb::config {

/// The [tensor_cores] of a machine file.
struct TensorCoreFile {
  std::string name;
  model::TensorCores cores;
  std::vector<Known> values;  ///< in the order of the file
};

/// Throws Error (caller) that begins with file, line and column and names key and reason, also where the file
/// has no such table.
[[nodiscard]] TensorCoreFile tensor_cores_from(std::string_view text, const std::string& file);
/// `name` is a file, or the name of one in `folder`/machines.
[[nodiscard]] TensorCoreFile read_tensor_cores(const std::string& name, const std::filesystem::path& folder);

}  // namespace plumb::config
