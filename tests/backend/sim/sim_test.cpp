// SPDX-License-Identifier: Apache-2.0
#include "backend/sim/sim.h"

#include <algorithm>
#include <set>

#include "support.h"

namespace plumb {
namespace {

using test::message_of;

Case ring(int samples = 5) {
  Case c{.experiment = "dsm/ring",
         .axes = {{"ranks", std::int64_t{16}}},
         .work = Traffic{.ranks = 16, .flows = {}},
         .samples = samples};
  for (int r = 0; r < 16; ++r)
    traffic_of(c).flows.push_back({.source = r, .destination = (r + 1) % 16, .op = Op::put, .bytes = 32768});
  return c;
}

const Column& column_named(const Measurement& m, std::string_view name) {
  return m.samples.find(name)->second;
}

TEST(SimBackend, ReturnsTheColumnsOfACard) {
  const Measurement m = SimBackend(SimMachine{}).run(ring());
  ASSERT_EQ(m.samples.size(), 6U);
  for (const std::string_view name : {column::start_cycles, column::stop_cycles, column::start_ns,
                                      column::stop_ns, column::bad_bytes, column::smid}) {
    ASSERT_EQ(m.samples.count(name), 1U) << name;
    EXPECT_EQ(column_named(m, name).size(), 16U) << name;
    for (const auto& row : column_named(m, name)) EXPECT_EQ(row.size(), 5U) << name;
  }
  EXPECT_EQ(m.point, ring());
  EXPECT_EQ(m.conditions.readings.at("sm_clock_MHz"), 1980.0);
}

TEST(SimBackend, EveryByteArrives) {
  const Measurement m = SimBackend(SimMachine{}).run(ring());
  for (const auto& row : column_named(m, column::bad_bytes)) {
    for (const std::int64_t bad : row) EXPECT_EQ(bad, 0);
  }
}

TEST(SimBackend, ClocksRunOnAndAgree) {
  const Measurement m = SimBackend(SimMachine{}).run(ring());
  const auto& start = column_named(m, column::start_cycles);
  const auto& stop = column_named(m, column::stop_cycles);
  const auto& start_ns = column_named(m, column::start_ns);
  const auto& stop_ns = column_named(m, column::stop_ns);
  for (std::size_t f = 0; f < start.size(); ++f) {
    for (std::size_t s = 0; s < 5; ++s) {
      EXPECT_GT(stop[f][s], start[f][s]);
      EXPECT_TRUE(s == 0 || start[f][s] > stop[f][s - 1]) << "samples follow one another";
      EXPECT_EQ(start_ns[f][s] % 32, 0);
      const double exact = static_cast<double>(stop[f][s] - start[f][s]) / 1.98;
      EXPECT_NEAR(static_cast<double>(stop_ns[f][s] - start_ns[f][s]), exact, 33.0);
    }
  }
}

TEST(SimBackend, EveryRankHasAnSmOfItsOwn) {
  const Measurement m = SimBackend(SimMachine{}).run(ring());
  std::set<std::int64_t> sms;
  for (const auto& row : column_named(m, column::smid)) sms.insert(row[0]);
  EXPECT_EQ(sms.size(), 16U);
  EXPECT_EQ(sms.count(4), 0U) << "fused off: TPC 2 of CPC 0";
  EXPECT_EQ(sms.count(5), 0U) << "fused off: TPC 2 of CPC 0";
}

TEST(SimBackend, ACaseGivesTheSameSamplesWhateverRanBefore) {
  const auto durations = [](const Measurement& m) {
    Column d = column_named(m, column::stop_cycles);
    for (std::size_t f = 0; f < d.size(); ++f) {
      for (std::size_t s = 0; s < d[f].size(); ++s) d[f][s] -= column_named(m, column::start_cycles)[f][s];
    }
    return d;
  };
  SimBackend first(SimMachine{}, 7);
  SimBackend second(SimMachine{}, 7);
  (void)second.run(ring(2));
  EXPECT_EQ(durations(first.run(ring())), durations(second.run(ring())));
  EXPECT_NE(durations(first.run(ring())), durations(SimBackend(SimMachine{}, 8).run(ring())));
}

TEST(SimBackend, SamplesDifferByTheirSeedsAlone) {
  SimMachine still;
  const Measurement m = SimBackend(still).run(ring());
  const auto& stop = column_named(m, column::stop_cycles);
  const auto& start = column_named(m, column::start_cycles);
  std::set<std::int64_t> durations;
  for (std::size_t s = 0; s < 5; ++s) durations.insert(stop[0][s] - start[0][s]);
  EXPECT_GT(durations.size(), 1U);
}

TEST(SimBackend, SaysWhatItIs) {
  const Provenance p = SimBackend(SimMachine{}, 9).provenance();
  EXPECT_EQ(p.backend, "sim");
  EXPECT_EQ(p.gpu_name, "h200");
  EXPECT_EQ(p.sm_count, 16);
  EXPECT_EQ(p.seed, 9U);
  EXPECT_EQ(p.clocks_mhz.at("sm"), 1980.0);
}

TEST(SimBackend, RefusesWhatTheMachineCannotRun) {
  Case c = ring();
  traffic_of(c).ranks = 17;
  EXPECT_EQ(message_of([&] { (void)SimBackend(SimMachine{}).run(c); }),
            "ranks = 17: a cluster on this machine has 2 to 16 CTAs.");
  SimMachine full;
  full.fused_off.clear();
  EXPECT_NO_THROW((void)SimBackend(full).run(c));
  SimMachine wrong;
  wrong.parameters.plane_depth = 0;
  EXPECT_EQ(message_of([&] { SimBackend backend(wrong); }), "plane_depth = 0: allowed is 1 to 128.");
}

Measurement accessed(const Access& a) {
  return SimBackend(SimMachine{}).run({.experiment = "dsm/forms", .axes = {}, .work = a, .samples = 3});
}

TEST(SimBackend, AnAccessToAPeerIsTrafficWhereThePacketsAreTheSame) {
  for (const Form form : {Form::load, Form::generic_load, Form::store}) {
    for (const int width : {4, 8, 16}) {
      const Measurement m = accessed({.form = form, .target = Target::peer, .width = width, .bytes = 262144});
      ASSERT_EQ(column_named(m, column::stop_cycles).size(), 1U) << name_of(form);
      const double cycles = static_cast<double>(column_named(m, column::stop_cycles)[0][0] -
                                                column_named(m, column::start_cycles)[0][0]);
      EXPECT_NEAR(262144 / cycles, 21.0, 0.5) << name_of(form) << width;
      EXPECT_TRUE(m.conditions.flags.empty());
    }
  }
  const Measurement bulk =
      accessed({.form = Form::bulk, .target = Target::peer, .width = 4096, .warps = 1, .bytes = 262144});
  EXPECT_EQ(column_named(bulk, column::smid).size(), 2U);
}

TEST(SimBackend, AnAccessThatItHasNoModelOfHasNoSamplesAndSaysWhy) {
  for (const Access& a :
       {Access{.bytes = 65536}, Access{.target = Target::own, .bytes = 65536},
        Access{.target = Target::peer, .lanes = Lanes::strided, .stride = 2, .bytes = 65536},
        Access{.form = Form::async_store, .target = Target::peer, .bytes = 65536}}) {
    const Measurement m = accessed(a);
    EXPECT_TRUE(m.samples.empty());
    ASSERT_EQ(m.conditions.flags.size(), 1U);
    EXPECT_EQ(m.conditions.flags[0],
              "not simulated: the fabric models coalesced loads, stores and bulk copies to another SM alone");
  }
  EXPECT_EQ(message_of([] { (void)accessed({.width = 5}); }), "width = 5: load takes 4, 8, 16 bytes.");
}

}  // namespace
}  // namespace plumb
