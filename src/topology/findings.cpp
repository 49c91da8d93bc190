// SPDX-License-Identifier: Apache-2.0
#include "topology/findings.h"

#include <fmt/format.h>

namespace plumb::topology {

Finding& Findings::count(const std::string& name, double value, std::string unit) {
  findings_.push_back({.name = fmt::format("{}/{}", experiment_, name),
                       .value = value,
                       .low = value,
                       .high = value,
                       .unit = std::move(unit),
                       .estimator = "count",
                       .cases = {},
                       .notes = {}});
  return findings_.back();
}

Finding& Findings::add(const std::string& name, const stats::Estimate& e, std::string unit) {
  Finding& f = count(name, e.value, std::move(unit));
  f.low = e.low;
  f.high = e.high;
  f.estimator = "median";
  return f;
}

void Findings::from(const Measurement& m) {
  Finding& f = findings_.back();
  f.cases.push_back(id_of(m.point));
  f.notes.insert(f.notes.end(), m.conditions.flags.begin(), m.conditions.flags.end());
}

}  // namespace plumb::topology
