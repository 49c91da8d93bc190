// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/machine.h"
#include "plumb/core/named_pattern.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace plumb::cli {

/// The machine of --machine with the changes of --set, "shaper=bucket". Throws Error (caller).
[[nodiscard]] config::Machine machine_of(const std::string& name, const std::vector<std::string>& changes);

/// Whether a --pattern means a file rather than a pattern that is known by name.
[[nodiscard]] bool names_a_file(const std::string& pattern);

/// A traffic plan as a command line describes it: a named pattern with its options, or a pattern file.
struct PlanOptions {
  std::string pattern = "ring";
  std::string op = "put";
  int sms = 0;
  std::string bytes = "64KiB";
  PatternShape shape;
  std::vector<const CLI::Option*> of_names;  ///< those that go with a pattern's name alone
};
/// Adds --pattern, --op, --sms, --bytes, --stride and --root; `options` must outlive the verb.
void add_plan(CLI::App& verb, PlanOptions& options);
/// The plan, valid for a machine of so many SMs. Throws Error (caller).
[[nodiscard]] Traffic plan_from(PlanOptions& options, int machine_sms);
/// "ring: put of 64KiB each, 16 SMs", or the name of the file.
[[nodiscard]] std::string title_of(const PlanOptions& options);

}  // namespace plumb::cli
