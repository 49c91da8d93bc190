// SPDX-License-Identifier: Apache-2.0
#include "copy/envelope.h"

#include "copy/rates.h"
#include "copy/timed_at.h"
#include "support.h"

namespace plumb::copy {
namespace {

TEST(Crossings, LieWhereStraightLinesOverTheLogarithmMeet) {
  // 10 % apart one way at 8 KiB and 10 % the other way at 32: in the middle, 16.
  const auto found = crossings({{8, 100.0}, {32, 90.0}}, {{8, 90.0}, {32, 100.0}}, 0.005);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0], 16.0, 1e-9);
}

TEST(Crossings, DifferencesWithinTheNoiseDecideNothing) {
  EXPECT_TRUE(crossings({{8, 100.0}, {16, 100.1}, {32, 102.0}}, {{8, 98.0}, {16, 100.3}, {32, 100.0}}, 0.005)
                  .empty());
}

TEST(Crossings, SizesThatOneCurveLacksAreLeftOut) {
  EXPECT_TRUE(crossings({{8, 1.0}}, {{16, 2.0}}, 0.005).empty());
}

Measurement rate(std::int64_t kib, const char* path, const char* config, std::int64_t occasion,
                 std::int64_t ns) {
  const Copy c{.threads = 32, .bytes = 1000000};
  return timed_at(whole_chip("copy/compare",
                             {{"what", std::string("rate")},
                              {"from", std::string("dram")},
                              {"path", std::string(path)},
                              {"KiB", kib},
                              {"config", std::string(config)},
                              {"occasion", occasion}},
                             c, 1),
                  ns);
}

const Finding* find(const std::vector<Finding>& all, const std::string& name) {
  for (const Finding& f : all)
    if (f.name == name) return &f;
  return nullptr;
}

TEST(Envelope, TheBestConfigurationOfEachOccasionAndTheSpread) {
  // 100 SMs x 1 MB in 50, 40, 100 us: 2000, 2500, 1000 GB/s.
  const std::vector<Measurement> all{rate(8, "ldgsts", "slow", 1, 50000), rate(8, "ldgsts", "fast", 1, 40000),
                                     rate(8, "ldgsts", "fast", 2, 50000), rate(8, "tma", "x", 1, 100000),
                                     rate(8, "tma", "x", 2, 100000)};
  const auto found = envelope_findings(all);
  const Finding* best = find(found, "copy/compare/dram/rate/ldgsts/8");
  ASSERT_NE(best, nullptr);
  EXPECT_DOUBLE_EQ(best->low, 2000.0);
  EXPECT_DOUBLE_EQ(best->high, 2500.0);
  EXPECT_EQ(best->notes, std::vector<std::string>{"best as fast"});
  const Finding* spread = find(found, "copy/compare/dram/rate/spread");
  ASSERT_NE(spread, nullptr);
  EXPECT_NEAR(spread->value, 100.0 * 500 / 2250, 1e-9);
}

TEST(GridRates, AnSmWithoutItsCtasMakesNoRate) {
  Measurement m = rate(8, "tma", "x", 1, 1000);
  EXPECT_EQ(grid_rates(m).size(), 1U);
  m.samples["sms"] = {{0}};
  EXPECT_TRUE(grid_rates(m).empty());
  EXPECT_TRUE(rate_findings("x", m).empty());
}

TEST(Steady, FillsAtLeast128TimesAndWhereItMatters16MiB) {
  EXPECT_EQ(steady({.threads = 64}).bytes, 128 * 1024);
  EXPECT_EQ(steady({.threads = 1024, .stages = 2}).bytes, 16 * 1024 * 1024);
  EXPECT_TRUE(is_wave(one_wave({.threads = 64})));
}

}  // namespace
}  // namespace plumb::copy
