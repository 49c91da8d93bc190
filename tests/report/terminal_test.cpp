// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include "support.h"

namespace plumb::report {
namespace {

TEST(Terminal, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({"", "rate", "unit"});
  table.add({"load", "21.33", "B/cycle"});
  table.add({"a longer name", "7.68", "B/cycle"});
  EXPECT_EQ(table.text(false),
            "                rate     unit\n"
            "load           21.33  B/cycle\n"
            "a longer name   7.68  B/cycle\n");
}

TEST(Terminal, AWideCharacterTakesTheColumnsThatItsBytesDoNot) {
  Table table({"\u00b5", "x"});
  table.add({"ab", "1"});
  EXPECT_EQ(table.text(false), "\u00b5   x\nab  1\n");
}

TEST(Terminal, ATableWithOnlyAHeadIsEmpty) {
  Table table({"a"});
  EXPECT_TRUE(table.empty());
  table.add({"b"});
  EXPECT_FALSE(table.empty());
}

TEST(Terminal, ControlCharactersNeverReachTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\x07\n"), "a?[31mb??");
  EXPECT_EQ(paint("x\x1b", Tone::plain, true), "x?");
}

TEST(Terminal, PaintIsOffWhereItIsOff) {
  EXPECT_EQ(paint("x", Tone::bold, false), "x");
  EXPECT_EQ(paint("x", Tone::bold, true), "\x1b[1mx\x1b[0m");
}

}  // namespace
}  // namespace plumb::report
