// SPDX-License-Identifier: Apache-2.0
// The model with its shipped parameters against what an H200 does.
#include "fabric/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "support.h"

namespace plumb::fabric::validation {
namespace {

std::map<std::string, std::vector<double>> deviations_by_family() {
  std::map<std::string, std::vector<double>> by_family;
  for (const Row& row : rows()) {
    const std::vector<double> values = simulated(row, Parameters{});
    for (std::size_t i = 0; i < values.size(); ++i)
      by_family[row.family].push_back(std::abs(deviation(row, i, values[i])));
  }
  for (auto& [family, all] : by_family) std::ranges::sort(all);
  return by_family;
}

TEST(Validation, EveryFamilyIsWithinFivePercentAndNoNumberBeyondSixteen) {
  for (const auto& [family, all] : deviations_by_family()) {
    EXPECT_LE(all[(all.size() - 1) / 2], 0.05) << family;
    EXPECT_LE(all.back(), 0.16) << family;
  }
}

/// The readings of the row of that name.
std::vector<double> reading(std::string_view family, std::string_view name) {
  for (const Row& row : rows()) {
    if (row.family == family && row.name == name) return simulated(row, Parameters{});
  }
  ADD_FAILURE() << "no row " << name;
  return {0.0};
}

TEST(Validation, DestinationsBehindOneEgressBlockShareItsLanes) {
  EXPECT_LT(reading("two destinations", "to 2 8")[0], 54);
  EXPECT_GT(reading("two destinations", "to 2 5")[0], 62);
  EXPECT_LE(reading("three destinations", "to 0 6 12")[0], 64);
  // 96 on the card: a pool that is full for one output holds up the others more than there.
  EXPECT_GT(reading("three destinations", "to 0 1 2")[0], 80);
}

TEST(Validation, IncastFillsOneLaneWhateverTheOperation) {
  for (const char* op : {"load", "store", "put"})
    EXPECT_NEAR(reading("incast", fmt::format("{}, 6 sources", op))[0], 32.0, 0.6) << op;
}

TEST(Validation, ARingOfSixteenLosesWhereTheSourcesCpcIsFull) {
  const std::vector<double> ring = reading("put ring of 16", "stride 1");
  double full = 0;
  double rest = 0;
  for (std::size_t d = 0; d < 16; ++d) {
    const std::size_t source = (d + 15) % 16;
    (source / 2 % 3 == 2 ? rest : full) += ring[d];
  }
  EXPECT_GT(rest / 4, full / 12 + 1.0);
}

}  // namespace
}  // namespace plumb::fabric::validation
