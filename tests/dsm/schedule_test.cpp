// SPDX-License-Identifier: Apache-2.0
#include "dsm/schedule.h"

#include <algorithm>
#include <set>
#include <span>

#include "support.h"

namespace plumb::dsm {
namespace {

using test::message_of;

std::span<const Job> jobs_of(const Schedule& s, std::size_t rank) {
  return std::span(s.jobs).subspan(s.first_job[rank], s.first_job[rank + 1] - s.first_job[rank]);
}

TEST(Schedule, ALoadIsAJobOfItsDestinationAlone) {
  const Schedule s =
      schedule({.ranks = 2, .flows = {{.source = 1, .destination = 0, .op = Op::load, .bytes = 4096}}});
  ASSERT_EQ(jobs_of(s, 0).size(), 1U);
  EXPECT_TRUE(jobs_of(s, 1).empty());
  const Job& job = jobs_of(s, 0)[0];
  EXPECT_EQ(job.kind, JobKind::load);
  EXPECT_EQ(job.peer, 1U);
  EXPECT_EQ(job.warps, 8U);
  EXPECT_EQ(s.threads, 288) << "eight warps, and one that keeps time";
  EXPECT_EQ(s.tile_bytes, (std::vector<std::uint32_t>{0, 4096})) << "the source holds the tile";
  EXPECT_TRUE(s.landings.empty()) << "a load lands in registers";
}

TEST(Schedule, APutHasAnIssuerAtTheSourceAndWaitersAtTheDestination) {
  const Schedule s =
      schedule({.ranks = 2, .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 4096}}});
  ASSERT_EQ(jobs_of(s, 0).size(), 1U);
  EXPECT_EQ(jobs_of(s, 0)[0].kind, JobKind::put);
  EXPECT_EQ(jobs_of(s, 0)[0].warps, 1U);
  ASSERT_EQ(jobs_of(s, 1).size(), 1U);
  EXPECT_EQ(jobs_of(s, 1)[0].kind, JobKind::wait);
  EXPECT_EQ(jobs_of(s, 1)[0].warps, static_cast<std::uint32_t>(kMaxWaiters));
  ASSERT_EQ(s.landings.size(), 1U);
  EXPECT_EQ(s.first_landing, (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_EQ(s.landings[0].bytes, 4096U);
}

TEST(Schedule, WaitersShareWhatTheIssuingWarpsLeave) {
  // Rank 0 loads with 23 warps and waits for two puts: 8 of 31 warps are left, 4 for each wait.
  const Schedule s =
      schedule({.ranks = 3,
                .flows = {{.source = 1, .destination = 0, .op = Op::load, .bytes = 4096, .warps = 23},
                          {.source = 1, .destination = 0, .op = Op::put, .bytes = 4096},
                          {.source = 2, .destination = 0, .op = Op::put, .bytes = 4096}}});
  EXPECT_EQ(jobs_of(s, 0)[1].warps, 4U);
  EXPECT_EQ(jobs_of(s, 0)[2].warps, 4U);
  EXPECT_EQ(s.threads, 32 * 32);
}

TEST(Schedule, DeepBatchesNeedASmallCta) {
  const Flow deep{.source = 0, .destination = 1, .op = Op::load, .bytes = 65536, .warps = 16, .in_flight = 8};
  EXPECT_NO_THROW((void)schedule({.ranks = 2, .flows = {deep}}));
  Flow wide = deep;
  wide.warps = 17;
  EXPECT_EQ(
      message_of([&] { (void)schedule({.ranks = 2, .flows = {wide}}); }),
      "in_flight = 8 with 17 warps in a CTA: the card has registers for it up to 16 warps; use in_flight "
      "= 4 or fewer warps.");
}

TEST(Schedule, CountsThatTheCardCannotHoldAreRefused) {
  Flow slow{.source = 0, .destination = 1, .op = Op::load, .bytes = 4096, .delay = std::int64_t{1} << 32};
  EXPECT_EQ(message_of([&] { (void)schedule({.ranks = 2, .flows = {slow}}); }),
            "delay = 4294967296: the card counts it in 31 bits.");
}

PLUMB_PROPERTY(Schedule, WarpsOfARankNeverOverlapAndFitTheCta, [] {
  Traffic t{.ranks = *rc::gen::inRange(2, 17), .flows = {}};
  const int n = *rc::gen::inRange(1, 12);
  for (int i = 0; i < n; ++i) {
    Flow f{.source = *rc::gen::inRange(0, t.ranks),
           .destination = 0,
           .op = *rc::gen::element(Op::load, Op::store, Op::put),
           .bytes = 4096};
    f.destination = (f.source + *rc::gen::inRange(1, t.ranks)) % t.ranks;
    f.warps = *rc::gen::inRange(1, 5);
    t.flows.push_back(f);
  }
  for (int r = 0; r < t.ranks; ++r) RC_PRE(warps_at(t, r) <= kMaxWarps);
  const Schedule s = schedule(t);
  std::size_t issuing = 0;
  for (int r = 0; r < t.ranks; ++r) {
    std::set<std::uint32_t> taken;
    for (const Job& job : jobs_of(s, static_cast<std::size_t>(r))) {
      issuing += job.kind != JobKind::wait ? 1U : 0U;
      for (std::uint32_t w = 0; w < job.warps; ++w) RC_ASSERT(taken.insert(job.first_warp + w).second);
    }
    if (!taken.empty()) RC_ASSERT((*taken.rbegin() + 2) * 32 <= static_cast<std::uint32_t>(s.threads));
  }
  RC_ASSERT(issuing == t.flows.size());
  RC_ASSERT(s.threads <= kMaxThreads);
});

}  // namespace
}  // namespace plumb::dsm
