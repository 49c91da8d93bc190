// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/counters.h"

#include <array>
#include <string>

#include "support.h"

namespace plumb::cuda {
namespace {

constexpr std::array<const char*, 1> kMetric{"lts__t_sectors_srcunit_tex.sum"};

TEST(Counters, ALibraryThatIsMissingIsALineAndNothingIsLaunched) {
  Counters counters("libno-such-cupti.so.1");
  const std::string missing = "libno-such-cupti.so.1 was not found";
  const std::string unknown = "Plumb was built without CUPTI's headers (CUDA 12.6 or newer has them)";
  EXPECT_TRUE(counters.refusal() == missing || counters.refusal() == unknown) << counters.refusal();
  EXPECT_EQ(counters.count(kMetric, [] { FAIL() << "launched"; }), std::nullopt);
}

TEST(Counters, ALibraryThatIsNotCuptiIsALine) {
  Counters counters("libc.so.6");
  EXPECT_FALSE(counters.refusal().empty());
  EXPECT_EQ(counters.count(kMetric, [] { FAIL() << "launched"; }), std::nullopt);
}

}  // namespace
}  // namespace plumb::cuda
