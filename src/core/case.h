// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/site.h"
#include "plumb/core/access.h"
#include "plumb/core/census.h"
#include "plumb/core/lookup.h"
#include "plumb/core/probe.h"
#include "plumb/core/sample.h"
#include "plumb/core/traffic.h"
#include "plumb/core/walk.h"

namespace plumb {

using AxisValue = std::variant<std::int64_t, std::string>;
using Axes = std::map<std::string, AxisValue, std::less<>>;

/// What one sample of a case does: one kind for each kernel. A kind has `validate`, a JSON form
/// (record/json.cpp) and a program on each backend.
using Work = std::variant<Traffic, Probe, Access, Census, Lookup, Walk>;

/// One fully specified point of an experiment: data, not code. Any backend can run it.
struct Case {
  std::string experiment;  ///< "dsm/pair"
  Axes axes;               ///< what sets the point apart from its siblings; with `experiment`, its identity
  Work work;
  int samples = 30;
  Site site = {};

  bool operator==(const Case&) const = default;
};

/// The traffic of a case that is known to be traffic.
[[nodiscard]] inline const Traffic& traffic_of(const Case& c) { return std::get<Traffic>(c.work); }
[[nodiscard]] inline Traffic& traffic_of(Case& c) { return std::get<Traffic>(c.work); }

/// "dsm/pair bytes=16384 op=load way=one": the experiment and its axes in the order of their names.
[[nodiscard]] std::string id_of(const Case& c);
[[nodiscard]] std::string text_of(const AxisValue& value);
/// The axis `name` as text; empty where the case has no such axis.
[[nodiscard]] std::string axis(const Case& c, std::string_view name);

/// What else was true while a case ran. A value that could not be read is absent.
struct Conditions {
  std::map<std::string, double, std::less<>> readings;  ///< "temperature_C", "power_W", "sm_clock_MHz", ...
  std::vector<std::string> flags;                       ///< why a reader should be careful; empty: nothing

  bool operator==(const Conditions&) const = default;
};

/// A case with what a backend measured.
struct Measurement {
  Case point;
  Samples samples;
  Conditions conditions;

  bool operator==(const Measurement&) const = default;
};

}  // namespace plumb
