// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "copy/experiments.h"
#include "copy/rates.h"
#include "copy/timed_at.h"
#include "support.h"

namespace plumb::copy {
namespace {

const Finding& found(const std::vector<Finding>& all, const std::string& name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.name == name; });
  if (it == all.end()) throw std::out_of_range("no finding " + name);
  return *it;
}

Case case_of(const Experiment& e, const std::string& id) {
  for (const Case& c : e.cases({}))
    if (id_of(c) == id) return c;
  throw std::out_of_range("no case " + id);
}

TEST(Ceilings, TheBestWayIsTheCeilingAndTheOthersArePartsOfIt) {
  const Experiment e = ceilings();
  // 64 MiB x 100 SMs in 1 ms, 1.25 ms and 2 ms: the second is 80 % of the first, the third 50 %.
  const auto all = e.analyze(std::vector<Measurement>{
      timed_at(case_of(e, "copy/ceilings KiB=192 config=2x1 memory=dram op=read sms=chip way=tma"), 1000000),
      timed_at(case_of(e, "copy/ceilings memory=dram op=read sms=chip way=load"), 1250000),
      timed_at(case_of(e, "copy/ceilings KiB=192 config=1x1024x12 memory=dram op=read sms=chip way=ldgsts"),
               2000000)});
  const Finding& best = found(all, "copy/ceilings/dram/read/chip/rate");
  // 64 MiB in boxes of 96 KiB, two at once: 341 x 192 KiB.
  EXPECT_DOUBLE_EQ(best.value, 100 * 341.0 * 192 * 1024 / 1e6);
  EXPECT_EQ(best.notes.back(), "the best way: copy/ceilings/dram/read/chip/tma/192/2x1");
  EXPECT_NEAR(found(all, "copy/ceilings/dram/read/chip/load/of-best").value, 80.0, 0.2);
  EXPECT_NEAR(found(all, "copy/ceilings/dram/read/chip/ldgsts/of-best").value, 50.0, 0.2);
  EXPECT_DOUBLE_EQ(found(all, "copy/ceilings/dram/read/chip/tma/of-best").value, 100.0);
}

TEST(Ceilings, EventsAreLaidOverTheRoundsOfTheLaunch) {
  const Experiment e = ceilings();
  Measurement m = timed_at(case_of(e, "copy/ceilings check=clock way=tma"), 30000000);
  // Three launches of three rounds of 30 ms; the events see 0.1, 0.2 and 0.3 % more.
  m.samples["round_ns"] = {{90000000, 90000000, 90000000}};
  m.samples["event_ns"] = {{90090000, 90180000, 90270000}};
  const Finding f =
      found(e.analyze(std::vector<Measurement>{m}), "copy/ceilings/clock/tma/events-over-rounds");
  EXPECT_DOUBLE_EQ(f.value, 1.002);
  EXPECT_DOUBLE_EQ(f.low, 1.001);
  EXPECT_DOUBLE_EQ(f.high, 1.003);
}

TEST(Multicast, CountedSectorsStandOverThoseThatWereFilled) {
  const Experiment e = multicast();
  const auto cases = e.more({}, {});
  const auto it = std::find_if(cases.begin(), cases.end(), [](const Case& c) {
    return id_of(c) ==
           "copy/multicast box=128x64 cluster=4 from=dram sharing=multicast stages=4 what=counted";
  });
  ASSERT_NE(it, cases.end());
  EXPECT_EQ(it->samples, 1);  // which is what asks for counters
  EXPECT_TRUE(e.more({.quick = true}, {}).empty());
  Measurement m = timed_at(*it, 1000000);
  m.samples["sectors"] = {{1000, 1000}, {250, 270}, {250, 250}, {1000, 1000}, {-1, -1}, {300, 300}};
  const auto all = e.analyze(std::vector<Measurement>{m});
  const std::string name = "copy/multicast/dram/multicast/4/128x64/4";
  const Finding& l2 = found(all, name + "/l2-bytes");
  EXPECT_DOUBLE_EQ(l2.value, 0.26);
  EXPECT_DOUBLE_EQ(l2.low, 0.25);
  EXPECT_DOUBLE_EQ(l2.high, 0.27);
  EXPECT_EQ(l2.notes, std::vector<std::string>{"ideal: 0.25"});
  EXPECT_DOUBLE_EQ(found(all, name + "/gpc-bytes").value, 1.0);
  EXPECT_DOUBLE_EQ(found(all, name + "/dram-bytes").value, 0.3);
  // What the chip does not count, and what was refused, is no zero.
  EXPECT_THROW((void)found(all, name + "/multicast-bytes"), std::out_of_range);
  m.samples["sectors"] = Column(kSectorRows, {-1});
  for (const Finding& f : e.analyze(std::vector<Measurement>{m})) EXPECT_FALSE(f.name.ends_with("-bytes"));
}

}  // namespace
}  // namespace plumb::copy
