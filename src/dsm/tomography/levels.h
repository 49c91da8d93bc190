// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace plumb::dsm::tomo {

/// The rate of one flow, or of all flows to one destination, over the samples of one case.
struct Reading {
  double log_rate = 0.0;  ///< natural logarithm of B/cycle
  double error = 0.0;     ///< its standard error, from the spread of the samples
};

struct Level {
  double center = 0.0;  ///< logarithm of B/cycle
  double spread = 0.0;  ///< standard deviation from reading to reading, model error included
};

/// The two rates that a kind of test gives: with a collision and without.
struct Levels {
  Level collide;
  Level free;
};

/// Finds the two levels in the readings themselves: no rate of any card is assumed. The split is where the
/// variance within the two parts is least (Otsu 1979). None where a part has fewer than three readings, or
/// the centers lie closer than 2.5 times the two spreads together: a normal sample cut in two gives 1.3, a
/// uniform one 1.7. A spread is at least 2 %: what a model of two levels leaves out.
[[nodiscard]] std::optional<Levels> separate(std::span<const Reading> readings);

/// How much likelier a reading is with a collision than without, as a logarithm. One test in a hundred is
/// taken to be something else entirely or to read as its opposite, so that no single reading decides: the
/// most that one can say is e^5.3, 200 to one.
[[nodiscard]] double log_odds_of_collision(const Levels& levels, const Reading& reading);

}  // namespace plumb::dsm::tomo
