// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/named_pattern.h"

#include <set>
#include <utility>

#include "support.h"

namespace plumb {
namespace {

using test::message_of;

std::set<std::pair<int, int>> ends(const Traffic& t) {
  std::set<std::pair<int, int>> out;
  for (const Flow& f : t.flows) out.emplace(f.source, f.destination);
  EXPECT_EQ(out.size(), t.flows.size()) << "each once";
  return out;
}

const Flow kFlow{.op = Op::put, .bytes = 1024};
using Ends = std::set<std::pair<int, int>>;

TEST(Pattern, ConnectsTheRanksThatItsNameSays) {
  EXPECT_EQ(ends(make_pattern("ring", {.ranks = 4, .stride = 3}, kFlow)),
            (Ends{{0, 3}, {1, 0}, {2, 1}, {3, 2}}));
  EXPECT_EQ(ends(make_pattern("pairs", {.ranks = 4, .stride = 2}, kFlow)),
            (Ends{{0, 2}, {2, 0}, {1, 3}, {3, 1}}));
  EXPECT_EQ(ends(make_pattern("incast", {.ranks = 3, .root = 1}, kFlow)), (Ends{{0, 1}, {2, 1}}));
  EXPECT_EQ(ends(make_pattern("gather", {.ranks = 3, .root = 1}, kFlow)), (Ends{{0, 1}, {2, 1}}));
  EXPECT_EQ(ends(make_pattern("scatter", {.ranks = 3, .root = 1}, kFlow)), (Ends{{1, 0}, {1, 2}}));
  EXPECT_EQ(make_pattern("all-to-all", {.ranks = 5}, kFlow).flows.size(), 20U);
}

TEST(Pattern, CopiesTheFlow) {
  const Flow flow{.op = Op::load, .bytes = 4096, .window = 1024, .delay = 7, .warps = 2, .in_flight = 4};
  Flow expected = flow;
  expected.source = 1;
  expected.destination = 0;
  EXPECT_EQ(make_pattern("ring", {.ranks = 2}, flow).flows.at(1), expected);
}

// 15 regions of 64 KiB and a tile do not fit 200 KiB; 15 of 8 KiB do: 120 KiB where they land, and no more.
TEST(Pattern, WalksAWindowWhereTheMemoryIsTooSmall) {
  const Traffic t = make_pattern("incast", {.ranks = 16}, {.op = Op::put, .bytes = 65536});
  for (const Flow& f : t.flows) EXPECT_EQ(f.window, 8192);
  EXPECT_NO_THROW(validate(t));
  EXPECT_EQ(make_pattern("ring", {.ranks = 16}, {.op = Op::put, .bytes = 65536}).flows.at(0).window, 0);
}

// Rank 0 issues 15 flows with the 31 warps that it has.
TEST(Pattern, SharesTheWarpsOfAnSm) {
  const Traffic t = make_pattern("incast", {.ranks = 16}, {.op = Op::load, .bytes = 65536});
  for (const Flow& f : t.flows) EXPECT_EQ(f.warps, 2);
  EXPECT_NO_THROW(validate(t));
}

PLUMB_PROPERTY(Pattern, EveryPatternOfEveryOpIsLegal, [](bool small) {
  const Pattern& p = patterns()[*rc::gen::inRange<std::size_t>(0, patterns().size())];
  const auto op = static_cast<Op>(*rc::gen::inRange(0, 3));
  const int ranks = 2 * *rc::gen::inRange(1, 9);
  const std::int64_t bytes = small ? 1024 : 65536;
  validate(make_pattern(p.name, {.ranks = ranks}, {.op = op, .bytes = bytes}), 18);
})

TEST(Pattern, RefusesWhatMakesNone) {
  const auto said = [](std::string_view name, const PatternShape& shape) {
    return message_of([&] { (void)make_pattern(name, shape, kFlow); });
  };
  EXPECT_EQ(said("rung", {}),
            "unknown pattern 'rung'; allowed are ring, pairs, incast, gather, scatter, all-to-all.");
  EXPECT_EQ(said("ring", {.ranks = 1}), "ranks = 1: a pattern has 2 to 64.");
  EXPECT_EQ(said("ring", {.ranks = 4, .stride = 4}), "stride = 4: in a ring of 4 it is 1 to 3.");
  EXPECT_EQ(said("pairs", {.ranks = 6, .stride = 2}),
            "stride = 2: pairs need ranks (6) that are a multiple of twice the stride.");
  EXPECT_EQ(said("incast", {.ranks = 4, .root = 4}), "root = 4: ranks go from 0 to 3.");
}

}  // namespace
}  // namespace plumb
