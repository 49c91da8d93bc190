// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cards.h"
#include "core/validity.h"
#include "mma/cases.h"
#include "mma/experiments.h"
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

TEST_F(MmaOnCard, EveryKernelComputesTheProduct) {
  constexpr int kSamples = 3;
  for (const Experiment& e : {throughput(), shape(), in_flight()})
    for (const Case& c : e.cases({.quick = true})) {
      Mma w = std::get<Mma>(c.work);
      if (w.family != MmaFamily::wgmma && w.family != MmaFamily::mma_sync) continue;
      w.batches = w.family == MmaFamily::mma_sync ? 4 : 1;
      const Samples s = run_mma(w, {}, kSamples, 42);
      const auto good = usable(s);
      EXPECT_EQ(std::count(good.begin(), good.end(), true), kSamples) << id_of(c);
      EXPECT_EQ(count_wrong_payload(s), 0U) << id_of(c);
    }
}

TEST_F(MmaOnCard, EveryKindOfDataIsProven) {
  for (const MmaData data : {MmaData::zeros, MmaData::constant, MmaData::activations})
    for (const auto& [input, output] : wgmma_formats()) {
      Mma w{.input = input, .output = output, .n = 64, .groups = 2, .in_flight = 4, .batches = 2};
      w.data = data;
      EXPECT_EQ(count_wrong_payload(run_mma(w, {}, 3, 5)), 0U) << instruction_of(w) << name_of(data);
    }
}

TEST_F(MmaOnCard, NothingIsFasterThanTheTensorCores) {
  for (const auto& [input, output] : wgmma_formats()) {
    const Mma w{.input = input, .output = output, .n = 128, .groups = 2, .in_flight = 64, .batches = 8};
    Measurement m{
        .point = case_of("mma/throughput", w, 9), .samples = run_mma(w, {}, 9, 1), .conditions = {}};
    const auto found = rate_findings(m);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_LE(found[2].value, 100.0) << found[2].name;
  }
}

TEST_F(MmaOnCard, EverySmHasARow) {
  const Samples s = run_mma({.n = 64, .in_flight = 4}, {.clusters = 0}, 3, 1);
  EXPECT_GT(s.at("smid").size(), 100U);
  EXPECT_EQ(count_shared_sms(s), 0U);
  EXPECT_EQ(count_wrong_payload(s), 0U);
}

TEST_F(MmaOnCard, WhatIsNotThereIsSaid) {
  EXPECT_EQ(
      test::message_of([] { (void)run_mma({.in_flight = 11}, {}, 3, 1); }),
      "wgmma bf16.f32 m64n128k16 ss with 11 in flight: no kernel was made for it; `plumb list` shows what is "
      "measured.");
  EXPECT_EQ(test::message_of([] { (void)run_mma({.n = 12}, {}, 3, 1); }),
            "n = 12: wgmma takes 8 to 256 in steps of 8.");
  const Mma blackwell{.family = MmaFamily::tcgen05, .m = 128};
  EXPECT_THROW((void)run_mma(blackwell, {}, 3, 1), Unsupported);
}

}  // namespace
}  // namespace plumb::mma
