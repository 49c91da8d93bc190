// SPDX-License-Identifier: Apache-2.0
#include "report/claims.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace plumb::report {
namespace {

claims::Board board() {
  claims::Board b;
  claims::read_into(b, R"([source]
title = "A study"
where = "example.org"
hardware = "NVIDIA B200"
read = "original"
[[claim]]
id = "a/far"
says = "Far."
place = "Table 2"
at_least = 300
unit = "cycles"
)",
                    "b.toml");
  claims::read_into(b, R"([source]
title = "Another"
where = "example.net"
hardware = "NVIDIA H200"
read = "quoted"
[[claim]]
id = "b/fast"
says = "Fast."
place = "Table 1"
value = 20
tolerance_percent = 2
unit = "B/cycle"
note = "it is faster."
[[claim]]
id = "b/odd"
says = "Odd."
place = "text"
value = 32
tolerance_percent = 0
other = 16
other_place = "its own division"
)",
                    "h.toml");
  return b;
}

std::vector<BoardRow> rows(const claims::Board& b) {
  return {{.claim = &b.claims[0],
           .judged = {.verdict = claims::Verdict::other_hardware, .number = {}, .off_percent = 0}},
          {.claim = &b.claims[1],
           .judged = {.verdict = claims::Verdict::differs,
                      .number = claims::Number{25, 24.9, 25.1, "NVIDIA H200", {"x/y/rate"}},
                      .off_percent = 25}},
          {.claim = &b.claims[2],
           .judged = {.verdict = claims::Verdict::contradicts_itself, .number = {}, .off_percent = 0}}};
}

TEST(BoardTable, ShowsEverySourceThoseAtHandFirst) {
  const claims::Board b = board();
  EXPECT_EQ(board_table(b, rows(b), false),
            "Another\n"
            "  example.net (quoted)\n"
            "claim   claimed     unit  measured  95 % interval  verdict\n"
            "b/fast       20  B/cycle     25.00   24.90..25.10  differs by +25.0 %\n"
            "b/odd        32                  -              -  contradicts itself: also 16\n"
            "  * b/fast: Fast. Here: it is faster.\n"
            "  * b/odd: Odd. (text; 16: its own division)\n"
            "\n"
            "A study\n"
            "  example.org (original)\n"
            "claim  claimed    unit  measured  95 % interval  verdict\n"
            "a/far   >= 300  cycles         -              -  other hardware (NVIDIA B200)\n"
            "\n"
            "3 claims: 0 reproduced, 1 differs, 1 other hardware, 0 not measured, 1 contradicts itself.\n");
}

TEST(BoardTable, JsonHoldsClaimSourceVerdictAndNumber) {
  const claims::Board b = board();
  const auto j = to_json(b, rows(b)[1]);
  EXPECT_EQ(j["id"], "b/fast");
  EXPECT_EQ(j["verdict"], "differs");
  EXPECT_EQ(j["off_percent"], 25.0);
  EXPECT_EQ(j["measured"]["value"], 25.0);
  EXPECT_EQ(j["measured"]["findings"][0], "x/y/rate");
  EXPECT_EQ(j["source"]["where"], "example.net");
  EXPECT_FALSE(to_json(b, rows(b)[0]).contains("measured"));
  EXPECT_FALSE(to_json(b, rows(b)[0]).contains("reproduced_to")) << "there is no upper bound";
}

}  // namespace
}  // namespace plumb::report
