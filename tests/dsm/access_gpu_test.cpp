// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cards.h"
#include "core/validity.h"
#include "dsm/access.h"
#include "dsm/experiments.h"
#include "support.h"

namespace plumb::dsm {
namespace {

class AccessOnCard : public ::testing::Test {
 protected:
  void SetUp() override {
    const Cards found = find_cards();
    if (found.cards.empty()) GTEST_SKIP() << "no card: " << found.why_none;
    if (!found.cards.front().clusters) GTEST_SKIP() << found.cards.front().name << " has no clusters";
  }
};

double cycles(const Access& a, const Site& site = {}) {
  const Samples s = run_access(a, site, 9, 1);
  const auto start = row(s, column::start_cycles, 0);
  const auto stop = row(s, column::stop_cycles, 0);
  std::vector<std::int64_t> d(start.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = stop[i] - start[i];
  std::nth_element(d.begin(), d.begin() + 4, d.end());
  return static_cast<double>(d[4]);
}

TEST_F(AccessOnCard, EveryFormAndPatternMovesEveryByte) {
  for (const Case& c : forms().cases({.quick = true})) {
    constexpr int kSamples = 4;
    const Samples s = run_access(std::get<Access>(c.work), {}, kSamples, 42);
    const auto good = usable(s);
    EXPECT_EQ(std::count(good.begin(), good.end(), true), kSamples) << id_of(c);
    EXPECT_EQ(count_wrong_payload(s), 0U) << id_of(c);
    EXPECT_EQ(count_shared_sms(s), 0U) << id_of(c);
  }
}

TEST_F(AccessOnCard, NoLoadIsLeftOut) {
  // Faster than the port or the way in would mean that the compiler took a load out of the loop.
  constexpr double kBytes = 3 * 262144;
  for (const Form form : {Form::load, Form::generic_load}) {
    for (const int width : {4, 8, 16}) {
      const Access near{.form = form, .width = width, .bytes = static_cast<std::int64_t>(kBytes)};
      EXPECT_GT(cycles(near), kBytes / 128.0) << name_of(form) << width;
      Access far = near;
      far.target = Target::peer;
      EXPECT_GT(cycles(far), kBytes / 22.0) << name_of(form) << width;
    }
  }
}

TEST_F(AccessOnCard, ClustersSideBySideHaveARowEach) {
  const Samples s = run_access({.form = Form::async_red, .target = Target::peer, .width = 8, .bytes = 65536},
                               {.clusters = 4}, 5, 3);
  EXPECT_EQ(s.find(column::start_cycles)->second.size(), 4U);
  EXPECT_EQ(s.find(column::smid)->second.size(), 8U);
  EXPECT_EQ(count_wrong_payload(s), 0U);
  EXPECT_EQ(count_shared_sms(s), 0U);
}

TEST_F(AccessOnCard, AnIllegalAccessIsRefused) {
  EXPECT_EQ(test::message_of([] { (void)run_access({.width = 5, .bytes = 65536}, {}, 3, 1); }),
            "width = 5: load takes 4, 8, 16 bytes.");
}

}  // namespace
}  // namespace plumb::dsm
