// SPDX-License-Identifier: Apache-2.0
#include "report/mma.h"

#include "support.h"

namespace plumb::report {
namespace {

Finding finding(const std::string& name, double value) {
  return {.name = name,
          .value = value,
          .low = value,
          .high = value,
          .unit = "",
          .estimator = "",
          .cases = {},
          .notes = {}};
}

TEST(MmaTable, HasARowForEachFormatAndAColumnForEachN) {
  const std::vector<Finding> all{
      finding("mma/throughput/wgmma/bf16.f32/ss/m64/n64/2g/f64/peak", 99.6),
      finding("mma/throughput/wgmma/bf16.f32/ss/m64/n256/2g/f64/peak", 99.4),
      finding("mma/throughput/wgmma/bf16.f32/ss/m64/n256/2g/f64/cycles", 128.7),
      finding("mma/throughput/wgmma/e4m3.f32/ss/sparse/m64/n64/2g/f64/peak", 66.5)};
  EXPECT_EQ(mma_table("mma/throughput", all, false),
            "% of the peak by N                 64   256\n"
            "wgmma bf16.f32 ss m64 2g         99.6  99.4\n"
            "wgmma e4m3.f32 ss sparse m64 2g  66.5     -\n");
}

TEST(MmaTable, WhatStandsForAWholeRowIsBelowIt) {
  const std::vector<Finding> all{finding("mma/in-flight/wgmma/bf16.f32/ss/m64/n64/1g/f1/cycles", 109),
                                 finding("mma/in-flight/wgmma/bf16.f32/ss/m64/n64/1g/f10/cycles", 38.7),
                                 finding("mma/in-flight/wgmma/bf16.f32/ss/m64/n64/1g/depth-90", 16)};
  EXPECT_EQ(mma_table("mma/in-flight", all, false),
            "SM cycles by instructions in flight      1    10\n"
            "wgmma bf16.f32 ss m64 n64 1g         109.0  38.7\n"
            "  wgmma bf16.f32 ss m64 n64 1g: depth-90 16\n");
}

TEST(MmaTable, OfAWholeChipHasItsClockAndPower) {
  const std::vector<Finding> all{finding("mma/whole-chip/wgmma/bf16.f32/ss/m64/n256/2g/f64/tflops", 828.5),
                                 finding("mma/whole-chip/wgmma/bf16.f32/ss/m64/n256/2g/f64/clock", 1.533),
                                 finding("mma/whole-chip/cublas/bf16.f32/of-wgmma", 79)};
  const std::string text = mma_table("mma/whole-chip", all, false);
  EXPECT_NE(text.find("wgmma bf16.f32 ss m64 n256 2g    828.5     1.533                -  -  -\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  cublas bf16.f32: 79.0 % of-wgmma\n"), std::string::npos) << text;
}

TEST(MmaTable, WithoutFindingsSaysSo) { EXPECT_EQ(mma_table("mma/shape", {}, false), "  no usable case\n"); }

}  // namespace
}  // namespace plumb::report
