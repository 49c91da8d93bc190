// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "claims/claims.h"
#include "support.h"

namespace plumb::claims {
namespace {

const std::string kSource = R"([source]
title = "A study"
where = "example.org"
hardware = "NVIDIA H200"
read = "original"
)";

std::string with(const std::string& claim) {
  return kSource + "[[claim]]\nid = \"a/b\"\nsays = \"One.\"\nplace = \"Table 1\"\n" + claim;
}

Board read(const std::string& text) {
  Board board;
  read_into(board, text, "study.toml");
  return board;
}

std::string refusal(const std::string& text) {
  return test::message_of([&] { static_cast<void>(read(text)); });
}

TEST(Claims, AValueHasABandOfItsTolerance) {
  const Board board = read(with(R"(value = 21.25
tolerance_percent = 2
unit = "B/cycle"
findings = ["dsm/pair/put/one-way/rate"]
)"));
  ASSERT_EQ(board.claims.size(), 1U);
  const Claim& c = board.claims[0];
  EXPECT_DOUBLE_EQ(c.low, 20.825);
  EXPECT_DOUBLE_EQ(c.high, 21.675);
  EXPECT_EQ(c.shown, "21.25");
  EXPECT_EQ(c.hardware, "NVIDIA H200");
  EXPECT_EQ(board.sources[0].name, "study");
  EXPECT_EQ(c.take, Take::value);
}

TEST(Claims, BoundsAndRangesAreBandsToo) {
  EXPECT_TRUE(std::isinf(read(with("at_least = 300\n")).claims[0].high));
  EXPECT_EQ(read(with("at_least = 300\n")).claims[0].shown, ">= 300");
  EXPECT_TRUE(std::isinf(read(with("at_most = 2\n")).claims[0].low));
  const Claim range = read(with("between = [4, 5.5]\n")).claims[0];
  EXPECT_DOUBLE_EQ(range.low, 4);
  EXPECT_DOUBLE_EQ(range.high, 5.5);
  EXPECT_EQ(range.shown, "4..5.5");
}

TEST(Claims, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_EQ(refusal("[[claim]]\nid = \"a\"\n"),
            "study.toml:1:1: the table [source] is missing: say whose claims these are.");
  EXPECT_EQ(refusal(kSource), "study.toml:1:1: there is no [[claim]] in it.");
  EXPECT_EQ(refusal(with("value = 1\n")),
            "study.toml:6:1: tolerance_percent goes with value: how far off still reproduces it.");
  EXPECT_EQ(refusal(with("value = 1\nat_least = 2\n")),
            "study.toml:6:1: give one of value, at_least, at_most and between.");
  EXPECT_EQ(refusal(with("value = \"much\"\ntolerance_percent = 1\n")),
            "study.toml:10:9: value = \"much\": it must be a number.");
  EXPECT_EQ(refusal(with("between = [5, 4]\n")), "study.toml:10:11: between: LOW is above HIGH.");
  EXPECT_EQ(refusal(with("at_most = 1\ntake = \"medain\"\n")),
            "study.toml:11:8: take = \"medain\"; did you mean median?.");
  EXPECT_EQ(refusal(with("at_most = 1\ntake = \"ratio\"\nfindings = [\"a/b/c\"]\n")),
            "study.toml:12:12: take = \"ratio\": it needs two findings, and 1 are given.");
  EXPECT_EQ(refusal(with("at_most = 1\nfindings = [\"rate\"]\n")),
            "study.toml:11:13: findings: \"rate\" is no name such as \"dsm/pair/put/one-way/rate\".");
  EXPECT_EQ(refusal(with("at_most = 1\nother = 2\n")),
            "study.toml:6:1: other and other_place go together: the second number, and where it stands.");
  EXPECT_EQ(refusal(with("at_most = 1\nunits = \"x\"\n")),
            "study.toml:11:1: claim.units: unknown key; did you mean unit?");
  EXPECT_EQ(
      refusal(with("at_most = 1\n[[claim]]\nid = \"a/b\"\nsays = \"Two.\"\nplace = \"p\"\nat_most = 1\n")),
      "study.toml:12:6: id = \"a/b\": another claim has it.");
}

TEST(Claims, AFolderWithoutClaimsIsRefused) {
  EXPECT_EQ(test::message_of([] { static_cast<void>(read_board("/nowhere")); }),
            "/nowhere: there are no claims (*.toml) in it.");
}

TEST(Claims, TheShippedBoardIsWholeAndStatesItsSources) {
  const Board board = read_board(std::filesystem::path(PLUMB_SOURCE_DIR) / "claims");
  EXPECT_GE(board.claims.size(), 70U);
  std::set<std::size_t> used;
  for (const Claim& c : board.claims) used.insert(c.source);
  EXPECT_EQ(used.size(), board.sources.size());
  for (const Source& s : board.sources) EXPECT_FALSE(s.where.empty()) << s.name;
}

}  // namespace
}  // namespace plumb::claims
