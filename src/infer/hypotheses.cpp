// SPDX-License-Identifier: Apache-2.0
#include "infer/hypotheses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "plumb/core/error.h"

namespace plumb::infer {
namespace {

/// Those that are more than another value of one choice.
std::vector<Hypothesis> of_several() {
  return {
      {"clock-1GHz",
       "the fabric has a clock of its own of about 1 GHz, and lanes twice as wide",
       {{"clock_ratio", "33/64"}, {"lane_bytes", "64"}, {"flit_bytes", "64"}}},
      {"flit-64", "a flit is 64 bytes and takes a lane for two clocks", {{"flit_bytes", "64"}}},
      {"quantum-64", "a read response carries 64 bytes", {{"response_quantum", "64"}}},
      {"quantum-256", "a read response carries 256 bytes", {{"response_quantum", "256"}}},
      {"bucket-64", "an SM saves up 64 flits while idle", {{"shaper", "bucket"}, {"shaper_burst", "64"}}},
      {"destination-stall", "a destination serves 32 bytes a cycle", {{"smem_bytes_per_cycle", "32"}}},
      {"load-unit-stall", "an SM asks for 64/3 bytes a cycle at most", {{"load_issue", "64/3"}}},
      {"response-header", "a read response has a header flit", {{"response_header_flits", "1"}}},
      {"one-pass", "the planes match in one pass", {{"plane_allocator", "matched"}, {"plane_passes", "1"}}},
      {"three-passes",
       "the planes match in three passes",
       {{"plane_allocator", "matched"}, {"plane_passes", "3"}}},
      {"shallow-planes", "a plane's input holds 16 requests", {{"plane_depth", "16"}}},
      {"equal-pools",
       "a plane's input holds as many responses as requests",
       {{"plane_response_depth", "96"}}},
      {"hash-of-destination", "the route depends on the destination", {{"hash_destination", "true"}}},
  };
}

bool differs(const Hypothesis& h, const fabric::Parameters& machine) {
  return applied(h, machine) != machine;
}

}  // namespace

std::vector<Hypothesis> hypotheses(const fabric::Parameters& machine) {
  std::vector<Hypothesis> out;
  const auto add = [&](Hypothesis h) {
    try {
      if (differs(h, machine)) out.push_back(std::move(h));
    } catch (const Error&) {
      // What cannot be has no evidence against it to show.
    }
  };
  for (const fabric::Parameter& p : fabric::parameters()) {
    if (const auto* choice = std::get_if<fabric::Choice>(&p.member)) {
      for (std::size_t i = 0; i < choice->names.size(); ++i)
        add({.name = fmt::format("{}={}", p.name, choice->names[i]),
             .claim = fmt::format("{}: {}", p.text, choice->texts[i]),
             .changes = {{std::string(p.name), std::string(choice->names[i])}}});
    } else if (const auto* flag = std::get_if<bool fabric::Parameters::*>(&p.member)) {
      if (p.name == "hash_destination") continue;  // below, under a name that says what it claims
      const std::string value = machine.**flag ? "false" : "true";
      add({.name = fmt::format("{}={}", p.name, value),
           .claim = fmt::format("{}: {}", p.text, machine.**flag ? "no" : "yes"),
           .changes = {{std::string(p.name), value}}});
    }
  }
  for (Hypothesis& h : of_several()) add(std::move(h));
  return out;
}

Hypothesis hypothesis(std::string_view name, const fabric::Parameters& machine) {
  if (name == "machine") return {.name = "machine", .claim = "the machine as it is", .changes = {}};
  std::vector<std::string> names{"machine"};
  for (Hypothesis& h : hypotheses(machine)) {
    if (h.name == name) return std::move(h);
    names.push_back(h.name);
  }
  Hypothesis own{.name = std::string(name), .claim = std::string(name), .changes = {}};
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view change = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), change.size() + 1));
    const std::size_t equals = change.find('=');
    const std::string key(change.substr(0, equals));
    if (equals == std::string_view::npos || fabric::find_parameter(key) == nullptr)
      throw Error(Fault::caller,
                  fmt::format("{}: no such hypothesis; there are {}, and KEY=VALUE of any parameter.", name,
                              fmt::join(names, ", ")));
    own.changes.emplace_back(key, std::string(change.substr(equals + 1)));
  }
  (void)applied(own, machine);
  return own;
}

fabric::Parameters applied(const Hypothesis& h, fabric::Parameters machine) {
  for (const auto& [key, value] : h.changes) set(machine, *fabric::find_parameter(key), value);
  validate(machine);
  return machine;
}

}  // namespace plumb::infer
