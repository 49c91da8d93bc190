// SPDX-License-Identifier: Apache-2.0
#include "copy/experiments.h"

#include <set>

#include "copy/advice.h"
#include "copy/models.h"
#include "copy/rates.h"
#include "support.h"

namespace plumb::copy {
namespace {

TEST(CopyExperiments, EveryCaseIsLegalAndNamedOnce) {
  for (const bool quick : {false, true}) {
    std::set<std::string> seen;
    for (const Experiment& e : experiments())
      for (const Case& c : e.cases({.quick = quick})) {
        EXPECT_TRUE(seen.insert(id_of(c)).second) << id_of(c);
        EXPECT_NO_THROW(std::visit([](const auto& work) { validate(work); }, c.work)) << id_of(c);
      }
  }
}

TEST(CopyExperiments, EveryConfigurationOfAComparisonHasTheBytesThatItIsNamedAfter) {
  for (const Case& c : compare().cases({})) {
    const auto& copy = std::get<Copy>(c.work);
    EXPECT_EQ(sm_flight_bytes(copy), 1024 * std::get<std::int64_t>(c.axes.at("KiB"))) << id_of(c);
    EXPECT_EQ(axis(c, "what") == "wave", is_wave(copy)) << id_of(c);
  }
}

TEST(CopyExperiments, ThePublishedSettingsAreThere) {
  // ldgsts: 3 widths x 3 counts of threads x 3 of stages x 4 of CTAs, and 16 bytes with 8, 12, 16 stages.
  int attention = 0;
  int latent = 0;
  for (const Case& c : ldgsts().cases({})) {
    const auto& copy = std::get<Copy>(c.work);
    if (is_wave(copy) || copy.from != Memory::dram || copy.layout != Layout::dense) continue;
    ++(copy.stages <= 4 ? attention : latent);
  }
  EXPECT_EQ(attention, 108);
  EXPECT_EQ(latent, 9);
}

/// A path that brings 512 bytes of each warp in 500 ns and never more than 20 GB/s an SM.
Measurement planted(int threads, int stages, int ctas) {
  Copy c{.threads = threads, .stages = stages, .ctas = ctas};
  c = steady(c);
  const double rate = std::min(20.0, static_cast<double>(sm_flight_bytes(c)) / 500.0);
  Measurement m{.point = whole_chip("copy/ldgsts", {}, c, 1), .samples = {}, .conditions = {}};
  m.samples["given_Bps"] = {{static_cast<std::int64_t>(1e9 * rate * 100)}};
  m.samples["sms"] = {{100}};
  return m;
}

TEST(Models, AFitIsReadBackFromItsFindings) {
  std::vector<Measurement> all;
  for (const int threads : {64, 128, 256})
    for (const int stages : {1, 2, 4})
      for (const int ctas : {1, 2, 4}) all.push_back(planted(threads, stages, ctas));
  auto findings = model_findings(all, "copy/ldgsts", CopyPath::ldgsts);
  const auto path = fitted(findings, "copy/ldgsts", {});
  ASSERT_TRUE(path);
  // Far below the ceiling 2 KiB come in 500 ns, far above it 20 GB/s do.
  EXPECT_NEAR(model::rate(*path, {.bytes = 2048, .issuers = 4, .command = 512}), 2048.0 / 500, 0.1);
  EXPECT_NEAR(model::rate(*path, {.bytes = 65536, .issuers = 32, .command = 512}), 20.0, 0.5);
  EXPECT_FALSE(fitted(findings, "copy/ldgsts", {.from = Memory::l2}));
  std::erase_if(findings, [](const Finding& f) { return f.name == "copy/ldgsts/model/dram/port"; });
  EXPECT_FALSE(fitted(findings, "copy/ldgsts", {}));
}

TEST(Advice, TheFewestThreadsThatReachTheCeilingWithinThePlace) {
  std::vector<Measurement> all;
  for (const int threads : {64, 128, 256})
    for (const int stages : {1, 2, 4})
      for (const int ctas : {1, 2, 4}) all.push_back(planted(threads, stages, ctas));
  const auto advice = advise(all, 64 * 1024, Memory::dram, Layout::dense, 100);
  ASSERT_EQ(advice.size(), 1U);  // of tma there is nothing
  EXPECT_EQ(advice[0].copy.path, CopyPath::ldgsts);
  EXPECT_NEAR(advice[0].rate.value, 20.0, 0.5);
  EXPECT_NEAR(advice[0].chip_rate, 2000.0, 50.0);
  EXPECT_LE(advice[0].rate.low, advice[0].rate.value);
  EXPECT_EQ(advice[0].mbarriers, 0);
  EXPECT_LE(flight_bytes(advice[0].copy), 64 * 1024);
  EXPECT_EQ(test::message_of([&] { (void)advise(all, 100, Memory::dram, Layout::dense, 100); }),
            "bytes in flight = 100: give 512 to 230400, which an SM has room for.");
}

}  // namespace
}  // namespace plumb::copy
