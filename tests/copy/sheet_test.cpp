// SPDX-License-Identifier: Apache-2.0
#include "copy/sheet.h"

#include "copy/rates.h"
#include "support.h"

namespace plumb::copy {
namespace {

using test::message_of;

const record::Csv& table() {
  static const record::Csv kTable =
      record::Csv::parse("T,S,W,H,Rate,Cyc\n64,2,128,16,3e12,1000\n128,4,64,8,5e12,1500\n", "t.csv");
  return kTable;
}

std::string refusal(const Sheet& sheet) {
  return message_of([&] { (void)measurements_of(table(), sheet, "t.csv"); });
}

TEST(Sheet, ARowBecomesACopyWithTheNumberAsGiven) {
  const auto all = measurements_of(
      table(), {.sms = 148, .columns = {{"threads", "T"}, {"stages", "S"}, {"rate_Bps", "Rate"}}}, "t.csv");
  ASSERT_EQ(all.size(), 2U);
  const auto& c = std::get<Copy>(all[1].point.work);
  EXPECT_EQ(c.threads, 128);
  EXPECT_EQ(c.stages, 4);
  EXPECT_EQ(axis(all[1].point, "what"), "rate");
  EXPECT_EQ(grid_rates(all[1]), std::vector<double>{5000.0});
  EXPECT_EQ(sms_of(all[1]), 148);
  EXPECT_FALSE(is_wave_of(all[1]));
}

TEST(Sheet, CyclesBecomeTimeByTheClockThatTheUserStates) {
  const auto all =
      measurements_of(table(),
                      {.path = CopyPath::tma,
                       .sms = 148,
                       .clock_ghz = 2.0,
                       .columns = {{"box_width", "W"}, {"box_height", "H"}, {"latency_cycles", "Cyc"}}},
                      "t.csv");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(box_text(std::get<Copy>(all[0].point.work)), "128x16");
  EXPECT_DOUBLE_EQ(latency_of(all[0], 0.0)->ns, 500.0);
  const auto found = latency_findings("x", all[0], 0.0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].estimator, "as given");
}

TEST(Sheet, WhatIsWrongIsSaid) {
  EXPECT_EQ(refusal({.sms = 148, .columns = {{"rate_Bps", "Speed"}}}),
            "t.csv:1: there is no column 'Speed'; there are T, S, W, H, Rate, Cyc.");
  EXPECT_EQ(refusal({.sms = 148, .columns = {{"speed", "Rate"}}}).substr(0, 40),
            "a column cannot mean 'speed'; it can mea");
  EXPECT_EQ(refusal({.sms = 148, .columns = {{"threads", "T"}}}),
            "a sheet has either a rate (rate_Bps, rate_GBps) or a latency (latency_ns, latency_cycles); name "
            "the column "
            "of one of them.");
  EXPECT_EQ(refusal({.columns = {{"rate_Bps", "Rate"}}}),
            "sms = 0: say how many SMs the card of the sheet has.");
  EXPECT_EQ(refusal({.sms = 148, .columns = {{"latency_cycles", "Cyc"}}}),
            "latency_cycles: say how fast the SM clock was (clock_GHz), or name a column in ns.");
  EXPECT_EQ(refusal({.sms = 148, .columns = {{"threads", "H"}, {"rate_Bps", "Rate"}}}),
            "t.csv:2: threads = 16: give a multiple of 32, 1024 at most.");
}

}  // namespace
}  // namespace plumb::copy
