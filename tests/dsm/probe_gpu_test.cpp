// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cards.h"
#include "core/validity.h"
#include "dsm/probe.h"
#include "support.h"

namespace plumb::dsm {
namespace {

using test::message_of;

constexpr int kSamples = 3;

class ProbeOnCard : public ::testing::Test {
 protected:
  void SetUp() override {
    const Cards found = find_cards();
    if (found.cards.empty()) GTEST_SKIP() << "no card: " << found.why_none;
    if (!found.cards.front().clusters) GTEST_SKIP() << found.cards.front().name << " has no clusters";
  }
};

double step(const Samples& s, const Probe& p, std::size_t row_index, std::size_t sample = 0) {
  return static_cast<double>(row(s, column::stop_cycles, row_index)[sample] -
                             row(s, column::start_cycles, row_index)[sample]) /
         p.links;
}

TEST_F(ProbeOnCard, EveryOperationEndsWhereItMust) {
  for (std::size_t i = 0; i < kProbeOps; ++i) {
    for (const int links : {2, 14, 200}) {
      Probe p{.op = static_cast<ProbeOp>(i), .ranks = 3, .links = links};
      if (p.op == ProbeOp::sync || p.op == ProbeOp::sync_relaxed) p.threads = 1024;
      SCOPED_TRACE(std::string(name_of(p.op)) + " " + std::to_string(links));
      const Samples s = run_probe(p, {}, kSamples, 42);
      const auto good = usable(s);
      ASSERT_EQ(good.size(), static_cast<std::size_t>(kSamples));
      EXPECT_TRUE(std::all_of(good.begin(), good.end(), [](bool b) { return b; }));
      EXPECT_EQ(s.find(column::bad_bytes)->second.size(), participants(p));
      EXPECT_EQ(s.find(column::smid)->second.size(), 3U);
      for (std::size_t r = 0; r < participants(p); ++r) {
        const bool own = is_pairwise(p.op) && r % 4 == 0;
        EXPECT_EQ(step(s, p, r) > 0.0, !own || has_own(p.op)) << r;
      }
    }
  }
}

TEST_F(ProbeOnCard, AReadOfAPeerTakesLongerThanOneOfTheOwnSmAndAsLongAsTheOtherWay) {
  const Probe p{.op = ProbeOp::load, .ranks = 4, .links = 128};
  const Samples s = run_probe(p, {}, kSamples, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT(step(s, p, i * 4 + j, 2), 2 * step(s, p, i * 4 + i, 2));
      EXPECT_NEAR(step(s, p, i * 4 + j, 2), step(s, p, j * 4 + i, 2), 10.0);
    }
  }
}

TEST_F(ProbeOnCard, ClustersSideBySideAreOnSmsOfTheirOwn) {
  const Probe p{.op = ProbeOp::st_async_wait, .ranks = 4, .links = 16};
  const Samples s = run_probe(p, {.clusters = 0}, kSamples, 1);
  const std::size_t clusters = s.find(column::smid)->second.size() / 4;
  EXPECT_GE(clusters, 2U);
  EXPECT_EQ(s.find(column::bad_bytes)->second.size(), clusters * 16);
  EXPECT_EQ(count_wrong_payload(s), 0U);
  EXPECT_EQ(count_shared_sms(s), 0U);
}

TEST_F(ProbeOnCard, AnIllegalProbeIsRefused) {
  EXPECT_EQ(message_of([] { (void)run_probe({.op = ProbeOp::put, .ranks = 1}, {}, kSamples, 1); }),
            "probe (put): ranks = 1: a cluster on this machine has 2 to 16 CTAs.");
}

}  // namespace
}  // namespace plumb::dsm
