// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "backend/cards.h"
#include "core/validity.h"
#include "mma/run.h"
#include "support.h"

namespace plumb::mma {
namespace {

class MmaOnCard : public ::testing::Test {
 protected:
  void SetUp() override {
    const Cards found = find_cards();
    if (found.cards.empty()) GTEST_SKIP() << "no card: " << found.why_none;
    if (found.cards.front().compute_major != 9) GTEST_SKIP() << found.cards.front().name << " has no wgmma";
  }
};

double cycles_of(const Mma& work) {
  const Samples s = run_mma(work, {}, 9, 1);
  EXPECT_EQ(count_wrong_payload(s), 0U) << instruction_of(work);
  const auto start = row(s, column::start_cycles, 0);
  const auto stop = row(s, column::stop_cycles, 0);
  std::vector<std::int64_t> d;
  for (std::size_t i = 0; i < start.size(); ++i) d.push_back(stop[i] - start[i]);
  std::nth_element(d.begin(), d.begin() + 4, d.end());
  return static_cast<double>(d[4]) / static_cast<double>(work.batches * work.in_flight);
}

TEST_F(MmaOnCard, FirstLook) {
  for (const int n : {64, 128, 256})
    for (const int groups : {1, 2, 3})
      for (const int depth : {1, 4, 64}) {
        const Mma w{.n = n, .groups = groups, .in_flight = depth, .batches = 1024 / depth};
        const double c = cycles_of(w);
        fmt::print("{} groups {} depth {}: {:.2f} cycles, {:.1f} FLOP/cycle\n", instruction_of(w), groups, depth, c,
                   static_cast<double>(flop_of(w)) * groups / c);
      }
  for (int d = 1; d <= 10; ++d) {
    const Mma w{.n = 128, .in_flight = d, .batches = 64};
    fmt::print("depth {}: {:.2f}\n", d, cycles_of(w));
  }
}

}  // namespace
}  // namespace plumb::mma
