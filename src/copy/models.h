// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/finding.h"
#include "model/flight.h"
#include "plumb/core/copy.h"

namespace plumb::copy {

/// How a copy keeps its bytes on their way.
[[nodiscard]] model::Flight flight_of(const Copy& c);

/// The measurements of one path that a model is fitted to: rates, or waves, from one memory in one layout.
/// Those of 1D and 3D tiles, swizzles, promotions and warps in step are left out.
struct Selection {
  CopyPath path = CopyPath::ldgsts;
  Memory from = Memory::dram;
  Layout layout = Layout::dense;
};
[[nodiscard]] std::vector<model::Rated> rated(std::span<const Measurement> measurements,
                                              const Selection& which);
/// The rate of one of them; none where it is not of the selection.
[[nodiscard]] std::optional<model::Rated> rated(const Measurement& m, const Selection& which);
[[nodiscard]] std::vector<model::Timed> timed(std::span<const Measurement> measurements,
                                              const Selection& which);

/// None where there are too few.
[[nodiscard]] std::optional<model::PathFit> rate_model(std::span<const Measurement> measurements,
                                                       const Selection& which);
[[nodiscard]] std::optional<model::WaveFit> wave_model(std::span<const Measurement> measurements,
                                                       const Selection& which);

/// The model whose parameters are among `findings`; none where one is missing.
[[nodiscard]] std::optional<model::Path> fitted(std::span<const Finding> findings,
                                                const std::string& experiment, const Selection& which);

/// EXPERIMENT/model/FROM/...: the parameters, the knees and the held-out errors of the models of each memory.
[[nodiscard]] std::vector<Finding> model_findings(std::span<const Measurement> measurements,
                                                  const std::string& experiment, CopyPath path);

}  // namespace plumb::copy
