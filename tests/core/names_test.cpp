// SPDX-License-Identifier: Apache-2.0
#include "core/names.h"

#include <gtest/gtest.h>

#include "support.h"

namespace plumb {
namespace {

TEST(TakeTwoNumbers, WhatFollowsThemIsLeft) {
  std::string_view text = "tpc-4+tpc-36/rate";
  EXPECT_EQ(take_two_numbers(text, "tpc-", "+tpc-"), std::pair(4, 36));
  EXPECT_EQ(text, "/rate");
}

TEST(TakeTwoNumbers, WhatDoesNotBeginSoIsLeftAsItIs) {
  for (const std::string_view text : {"", "tpc-", "tpc-x+tpc-1", "tpc-4+tpc-", "tpc-4", "gpc-4+tpc-1",
                                      "tpc-99999999999+tpc-1", "tpc- 4+tpc-1"}) {
    std::string_view rest = text;
    EXPECT_FALSE(take_two_numbers(rest, "tpc-", "+tpc-")) << text;
    EXPECT_EQ(rest, text);
  }
}

TEST(EnumFrom, AnUnknownNameListsThoseThatAreAllowed) {
  enum class Colour { red, green };
  constexpr std::array<std::string_view, 2> kNames{"red", "green"};
  EXPECT_EQ(enum_from<Colour>(kNames, "colour", "green"), Colour::green);
  EXPECT_EQ(test::message_of([&] { (void)enum_from<Colour>(kNames, "colour", "blue"); }),
            "unknown colour 'blue'; allowed are red, green.");
}

}  // namespace
}  // namespace plumb
