// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "dsm/tomography/levels.h"

namespace plumb::dsm::tomo {

inline constexpr std::string_view kName = "dsm/tomography";

/// What a test is for; the axis "kind" of its case.
enum class Kind {
  screen,  ///< several destinations, three sources each: where may two destinations be in each other's way?
  pair,    ///< the same with two destinations
  source,  ///< one flow beside two from one CPC, destinations behind one block: is its source in that CPC?
  block,   ///< flows beside one from each CPC to one destination: which are behind that one's block?
};

/// One destination of a test, and who puts to it.
struct Stream {
  std::vector<int> sources;
  int destination = 0;

  bool operator==(const Stream&) const = default;
};

/// A test. In tests of the kinds source and block the first stream fills its destination, and the others, of
/// one source each, are the probes that are watched.
struct Trial {
  Kind kind = Kind::screen;
  std::vector<Stream> streams;
};

/// Axes "kind" and "plan" ("0+2+4>7 8>1": a stream after another) identify the case.
[[nodiscard]] Case case_of(const Trial& trial, int ranks, int samples);

/// A test with what was measured of each stream.
struct Outcome {
  Trial trial;
  std::vector<Reading> readings;  ///< one for each stream
};

/// Reads the tests of a run. Only samples that can be used count, and of those only the ones in which the
/// cluster sat on the SMs on which it sat most often: another GPC lacks another TPC. Cases with fewer than
/// three such samples are left out.
[[nodiscard]] std::vector<Outcome> read_outcomes(std::span<const Measurement> measurements);

}  // namespace plumb::dsm::tomo
