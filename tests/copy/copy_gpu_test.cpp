// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "backend/cards.h"
#include "backend/cuda/counters.h"
#include "copy/experiments.h"
#include "copy/run.h"
#include "core/validity.h"
#include "support.h"

namespace plumb::copy {
namespace {

class CopyOnCard : public ::testing::Test {
 protected:
  void SetUp() override {
    const Cards found = find_cards();
    if (found.cards.empty()) GTEST_SKIP() << "no card: " << found.why_none;
    if (!found.cards.front().clusters) GTEST_SKIP() << found.cards.front().name << " has no clusters";
  }
};

constexpr int kSamples = 3;
const Site kChip{.clusters = 0};

std::int64_t wrong(const Samples& s) {
  const auto bad = row(s, column::bad_bytes, 0);
  std::int64_t sum = 0;
  for (const std::int64_t b : bad) sum += b;
  return bad.size() == kSamples ? sum : -1;
}

TEST_F(CopyOnCard, EveryCaseOfAQuickLookMovesEveryByte) {
  for (const Experiment& e : {ldgsts(), tma(), multicast(), ceilings(), ladder()})
    for (const Case& c : e.cases({.quick = true})) {
      const Samples s = std::visit(
          [&](const auto& work) -> Samples {
            using Kind = std::decay_t<decltype(work)>;
            if constexpr (std::is_same_v<Kind, Copy>) return run_copy(work, c.site, kSamples, 1);
            if constexpr (std::is_same_v<Kind, Stream>) return run_stream(work, c.site, kSamples, 1);
            if constexpr (std::is_same_v<Kind, Chase>) return run_chase(work, c.site, kSamples, 1);
            return {};
          },
          c.work);
      EXPECT_EQ(wrong(s), 0) << id_of(c);
      const auto good = usable(s);
      EXPECT_EQ(std::count(good.begin(), good.end(), true), kSamples) << id_of(c);
    }
}

TEST_F(CopyOnCard, OddShapesMoveEveryByte) {
  const std::vector<Copy> shapes{
      {.width = 4, .threads = 96, .stages = 12},
      {.from = Memory::l2, .layout = Layout::paged, .width = 8, .threads = 160, .stages = 2, .ctas = 3},
      {.threads = 1024, .stages = 8},
      {.threads = 96, .stages = 12, .in_step = true},
      {.path = CopyPath::bulk, .threads = 96, .stages = 3, .box = {20}},
      {.path = CopyPath::bulk,
       .threads = 32,
       .stages = 2,
       .box = {1028},
       .cluster = 2,
       .sharing = Sharing::multicast},
      {.path = CopyPath::tma, .layout = Layout::paged, .threads = 64, .stages = 5, .box = {96, 7}},
      {.path = CopyPath::tma, .threads = 32, .stages = 3, .box = {32, 5, 9}},
      {.path = CopyPath::tma, .threads = 32, .stages = 3, .box = {8, 40}, .swizzle = Swizzle::b32},
      {.path = CopyPath::tma, .threads = 32, .stages = 3, .box = {16, 40}, .swizzle = Swizzle::b64},
      {.path = CopyPath::tma, .threads = 32, .stages = 2, .box = {32, 64}, .swizzle = Swizzle::b128},
      {.path = CopyPath::tma,
       .threads = 32,
       .stages = 3,
       .box = {64, 9},
       .cluster = 16,
       .sharing = Sharing::multicast},
      {.path = CopyPath::tma,
       .threads = 64,
       .stages = 3,
       .box = {64, 9},
       .cluster = 4,
       .sharing = Sharing::across},
  };
  for (Copy c : shapes) {
    c.bytes = 7 * flight_bytes(c);
    Samples s;
    ASSERT_NO_THROW(s = run_copy(c, kChip, kSamples, 1)) << name_of(c.path) << " " << box_text(c);
    EXPECT_EQ(wrong(s), 0) << name_of(c.path) << " " << box_text(c);
  }
}

TEST_F(CopyOnCard, AsManyCtasAsWereAskedForAreOnEverySm) {
  const int sms = find_cards().cards.front().sm_count;
  for (const int ctas : {1, 2, 3, 4}) {
    Copy c{.threads = 64, .ctas = ctas};
    c.bytes = flight_bytes(c);
    const Samples s = run_copy(c, kChip, kSamples, 1);
    EXPECT_EQ(row(s, column::sms, 0)[0], sms) << ctas;
    EXPECT_EQ(s.find(column::wave_cycles)->second.size(), static_cast<std::size_t>(sms * ctas));
  }
}

TEST_F(CopyOnCard, TheGridsTimeIsThatOfTheWallClock) {
  // Two warm-up rounds and three samples of some 30 ms each; launching and checking are small beside that.
  Copy c{.path = CopyPath::tma, .threads = 32, .stages = 4, .box = {128, 64}};
  c.bytes = std::int64_t{1} << 30;
  (void)run_copy({.threads = 32, .bytes = 512}, kChip, 1, 1);  // memory is filled at the first call
  const auto before = std::chrono::steady_clock::now();
  const Samples s = run_copy(c, kChip, kSamples, 1);
  const double wall =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before).count();
  double sum = 0;
  for (std::size_t i = 0; i < kSamples; ++i)
    sum += static_cast<double>(row(s, column::stop_ns, 1)[i] - row(s, column::start_ns, 1)[i]);
  EXPECT_NEAR(wall, sum * 5 / kSamples, 0.02 * wall);
  // CUDA events around the launch, which holds five rounds.
  const auto event = static_cast<double>(row(s, column::event_ns, 0)[0]);
  EXPECT_NEAR(event, static_cast<double>(row(s, column::round_ns, 0)[0]), 0.01 * event);
  EXPECT_NEAR(event, sum * 5 / kSamples, 0.02 * event);
}

TEST_F(CopyOnCard, CountersSeeOneReadOfWhatAClusterShares) {
  const auto l2_per_byte = [](Sharing sharing, int cluster) {
    Copy c{.path = CopyPath::tma,
           .threads = 32,
           .stages = 4,
           .box = {128, 64},
           .cluster = cluster,
           .sharing = sharing};
    c.bytes = 64 * flight_bytes(c);
    const Samples s = run_copy(c, kChip, 1, 1);
    const auto at = [&](Sectors place) {
      return static_cast<double>(row(s, column::sectors, static_cast<std::size_t>(place))[0]);
    };
    return at(Sectors::filled) > 0 ? at(Sectors::l2) / at(Sectors::filled) : -1.0;
  };
  const double alone = l2_per_byte(Sharing::none, 2);
  if (alone < 0) {
    EXPECT_FALSE(cuda::Counters::here().refusal().empty());
    GTEST_SKIP() << "no hardware counters: " << cuda::Counters::here().refusal();
  }
  EXPECT_NEAR(alone, 1.0, 0.02);
  EXPECT_NEAR(l2_per_byte(Sharing::multicast, 2), 0.5, 0.01);
  EXPECT_NEAR(l2_per_byte(Sharing::multicast, 8), 0.125, 0.005);
}

TEST_F(CopyOnCard, WhatTheCardCannotHoldIsRefused) {
  EXPECT_EQ(test::message_of([] { (void)run_copy({.threads = 64, .ctas = 2, .bytes = 1024}, {}, 1, 1); }),
            "ctas = 2: several CTAs on an SM are measured on the whole chip; leave site.clusters at 0.");
  EXPECT_EQ(test::message_of([] {
              (void)run_chase({.nodes = 1 << 20, .stride = 1 << 20, .links = 4}, {}, 1, 1);
            }).find("nodes x stride = 1048576 MiB: this card has "),
            0U);
  EXPECT_EQ(
      test::message_of(
          [] { (void)run_chase({.nodes = 100, .stride = 128, .cold = true, .links = 64}, {}, 1, 1); }),
      "nodes = 100: 1 samples of 64 links would come to a place twice; give more nodes or fewer links.");
}

}  // namespace
}  // namespace plumb::copy
