// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <filesystem>

#include "cli/catalog.h"
#include "config/document.h"
#include "config/pattern_file.h"
#include "config/size.h"
#include "plumb/core/error.h"

namespace plumb::cli {
namespace {

Traffic named_traffic(PlanOptions& options, int machine_sms) {
  options.shape.ranks = options.sms == 0 ? std::min(machine_sms, kMaxRanks) : options.sms;
  std::int64_t bytes = 0;
  try {
    bytes = config::size_from(options.bytes);
  } catch (const Error& error) {
    throw Error(Fault::caller, fmt::format("--bytes {}: {}", options.bytes, error.what()));
  }
  return make_pattern(options.pattern, options.shape, {.op = op_from(options.op), .bytes = bytes});
}

std::string pattern_help() {
  std::string text = "A pattern file (TOML), or one of:";
  for (const Pattern& p : patterns()) text += fmt::format("\n{}: {}", p.name, p.text);
  return text;
}

}  // namespace

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

void add_plan(CLI::App& verb, PlanOptions& options) {
  verb.add_option("--pattern", options.pattern, pattern_help())->capture_default_str();
  options.of_names = {
      verb.add_option("--op", options.op, "load, store or put")->capture_default_str(),
      verb.add_option("--sms", options.sms, "SMs that take part; without it, all of the machine, at most 16"),
      verb.add_option("--bytes", options.bytes, "Payload of each flow: 65536, 64KiB, 1MiB")
          ->capture_default_str(),
      verb.add_option("--stride", options.shape.stride, "ring, pairs: ranks between the ends of a flow")
          ->capture_default_str(),
      verb.add_option("--root", options.shape.root, "incast, gather: the destination; scatter: the source")
          ->capture_default_str()};
}

Traffic plan_from(PlanOptions& options, int machine_sms) {
  const bool from_file = names_a_file(options.pattern);
  for (const CLI::Option* o : options.of_names) {
    if (from_file && o->count() != 0)
      throw Error(Fault::caller, fmt::format("{} goes with a pattern's name; {} says it itself.",
                                             o->get_name(), options.pattern));
  }
  Traffic traffic = from_file ? config::read_pattern(options.pattern) : named_traffic(options, machine_sms);
  validate(traffic, machine_sms);
  return traffic;
}

std::string title_of(const PlanOptions& options) {
  if (names_a_file(options.pattern)) return options.pattern;
  return fmt::format("{}: {} of {} each, {} SMs", options.pattern, options.op, options.bytes,
                     options.shape.ranks);
}

}  // namespace plumb::cli
