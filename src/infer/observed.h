// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/sim/sim.h"
#include "core/case.h"
#include "dsm/tomography/partition.h"

namespace plumb::infer {

/// One duration that a recording holds and the fabric can compute: of a flow, or of one row of a probe.
struct Observed {
  std::size_t row = 0;  ///< of the clock columns
  double cycles = 0.0;  ///< midmean over the samples that can be used
  double error = 0.0;   ///< standard error of that, cycles
  double spread = 0.0;  ///< half the central 95 % of the samples, cycles: how far the card repeats itself
};

/// A case of a recording, with what to compare a simulation of it with.
struct ObservedCase {
  Case point;
  std::string family;                ///< cases that are held out together: "dsm/stride put"
  std::vector<fabric::Slot> places;  ///< of each rank; empty: wherever the machine deals it
  std::vector<Observed> rows;
};

/// Where SMs sit, by %smid, as the tomography in a recording says; empty where it has no answer.
using Places = std::map<std::int64_t, fabric::Slot>;
[[nodiscard]] Places places_in(std::span<const Measurement> measurements);

/// Why the fabric has no model of a case; empty where it has.
[[nodiscard]] std::string_view not_modelled(const Case& point);

/// The cases that the fabric models, each with the rows that have samples. Those of one cluster that sat on
/// SMs which `places` knows get their places.
[[nodiscard]] std::vector<ObservedCase> observe(std::span<const Measurement> measurements,
                                                const Places& places);

/// What is held out together: the experiment, and of traffic the operations that it mixes.
[[nodiscard]] std::string family_of(const Case& point);

}  // namespace plumb::infer
