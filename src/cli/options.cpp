// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/catalog.h"
#include "config/document.h"
#include "plumb/core/error.h"
#include "plumb/core/named_pattern.h"

namespace plumb::cli {

config::Machine machine_of(const std::string& name, const std::vector<std::string>& changes) {
  config::Machine machine = config::read_machine(name, data_folder());
  for (const std::string& change : changes) {
    const std::size_t equals = std::min(change.find('='), change.size());
    const std::string key = change.substr(0, equals);
    const fabric::Parameter* parameter = fabric::find_parameter(key);
    if (parameter == nullptr) {
      std::vector<std::string_view> names;
      for (const fabric::Parameter& p : fabric::parameters()) names.push_back(p.name);
      throw Error(Fault::caller,
                  fmt::format("--set {}: unknown parameter{}", change, config::suggestion(key, names)));
    }
    if (equals == change.size())
      throw Error(Fault::caller, fmt::format("--set {}: write {}=VALUE.", change, key));
    set(machine.sim.parameters, *parameter, std::string_view(change).substr(equals + 1));
    machine.sim.name += fmt::format("+{}", change);
  }
  fabric::validate(machine.sim.parameters);
  return machine;
}

bool names_a_file(const std::string& pattern) {
  std::error_code error;
  return !is_pattern(pattern) && (pattern.find('/') != std::string::npos || pattern.ends_with(".toml") ||
                                  std::filesystem::exists(pattern, error));
}

}  // namespace plumb::cli
