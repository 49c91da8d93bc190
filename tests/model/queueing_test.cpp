// SPDX-License-Identifier: Apache-2.0
#include "model/queueing.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>

#include "support.h"

namespace plumb::model {
namespace {

// Karol, Hluchyj and Morgan 1987, "Input Versus Output Queueing on a Space-Division Packet Switch", Table I.
TEST(HeadOfLine, SquareSwitchesAreThoseOfKarolHluchyjAndMorgan) {
  EXPECT_NEAR(head_of_line_limit(1, 1) / 1, 1.0000, 1e-4);
  EXPECT_NEAR(head_of_line_limit(2, 2) / 2, 0.7500, 1e-4);
  EXPECT_NEAR(head_of_line_limit(3, 3) / 3, 0.6825, 1e-4);
  EXPECT_NEAR(head_of_line_limit(4, 4) / 4, 0.6553, 1e-4);
  EXPECT_NEAR(head_of_line_limit(5, 5) / 5, 0.6399, 1e-4);
  EXPECT_NEAR(head_of_line_limit(6, 6) / 6, 0.6302, 1e-4);
}

// Two heads are the same in 1/d of the cycles, and then one flit moves instead of two.
TEST(HeadOfLine, TwoQueuesOntoSomeOutputsLoseOneInAsMany) {
  for (int d = 1; d <= 9; ++d) EXPECT_NEAR(head_of_line_limit(2, d), 2.0 - 1.0 / d, 1e-9) << d;
}

TEST(HeadOfLine, RefusesWhatItCannotCount) {
  EXPECT_THROW(static_cast<void>(head_of_line_limit(0, 4)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(head_of_line_limit(4, 10)), std::invalid_argument);
}

PLUMB_PROPERTY(HeadOfLine, MoreQueuesMoveMoreAndNeverMoreThanThereAreLanes, [] {
  const int inputs = *rc::gen::inRange(1, 7);
  const int outputs = *rc::gen::inRange(1, 6);
  const double limit = head_of_line_limit(inputs, outputs);
  RC_ASSERT(limit <= std::min(inputs, outputs) + 1e-9);
  RC_ASSERT(limit < head_of_line_limit(inputs + 1, outputs) + 1e-9);
});

}  // namespace
}  // namespace plumb::model
