// SPDX-License-Identifier: Apache-2.0
#include "config/document.h"

#include <fmt/format.h>

#include <fstream>

#include "config/size.h"
#include "support.h"

namespace plumb::config {
namespace {

using test::message_of;
namespace fs = std::filesystem;

TEST(Size, IsBytesKibOrMib) {
  EXPECT_EQ(size_from("0"), 0);
  EXPECT_EQ(size_from("65536"), 65536);
  EXPECT_EQ(size_from("64KiB"), 65536);
  EXPECT_EQ(size_from("3 MiB"), 3 * 1024 * 1024);
  EXPECT_EQ(size_from("16B"), 16);
  EXPECT_EQ(size_from("1048576MiB"), kLargestSize);
}

TEST(Size, RefusesAnythingElse) {
  for (const char* text :
       {"", "KiB", "64kb", "64 KB", "64KiB ", " 64", "6 4", "1.5MiB", "99999999999999999999"})
    EXPECT_EQ(message_of([&] { (void)size_from(text); }),
              fmt::format("'{}' is no size; write bytes such as 65536, or 64KiB, or 1MiB.", text));
  for (const char* text : {"-16", "1048577MiB", "1099511627777"})
    EXPECT_EQ(message_of([&] { (void)size_from(text); }),
              fmt::format("'{}' is no possible size; allowed is 0 to 1099511627776 bytes.", text));
}

TEST(Document, KnowsWhereEachValueStands) {
  const Document d("a = 1\n[t]\n  b = [ 2, \"x\" ]\n", "f.toml");
  EXPECT_EQ(d.root().find("a")->line, 1);
  EXPECT_EQ(d.root().find("a")->column, 5);
  const Node& b = *d.root().find("t")->find("b");
  EXPECT_EQ(b.items.at(1).line, 3);
  EXPECT_EQ(b.items.at(1).column, 12);
  EXPECT_EQ(b.items.at(1).text, "x");
}

TEST(Document, WhatIsNoTomlIsAnErrorWithItsPlace) {
  EXPECT_EQ(
      message_of([] { Document d("a = 1\na = 2\n", "f.toml"); }),
      "f.toml:2:5: this is no TOML: Error while parsing key-value pair: cannot redefine existing integer "
      "'a'.");
}

// Found by fuzzing: the parser has undefined behaviour on these bytes.
TEST(Document, OtherCharactersThanAsciiAreRefusedUnparsed) {
  EXPECT_EQ(message_of([] { Document d("\xEF\xBB\x9F", "f.toml"); }),
            "f.toml:1:1: byte 0xEF: only ASCII characters can stand here, in comments too.");
  EXPECT_EQ(message_of([] { Document d("a = 1\n# \xC2\xB5\n", "f.toml"); }),
            "f.toml:2:3: byte 0xC2: only ASCII characters can stand here, in comments too.");
}

TEST(Document, AnErrorCannotDriveTheTerminal) {
  const Document d("a = \"\\u001b[2J\"\n", "f.toml");
  EXPECT_EQ(message_of([&] { d.fail(*d.root().find("a"), d.root().find("a")->shown()); }),
            "f.toml:1:5: \"?[2J\"");
}

TEST(Document, AnUnreadableFileIsAnError) {
  EXPECT_EQ(message_of([] { (void)Document::read("/nowhere.toml"); }),
            "/nowhere.toml: No such file or directory.");
  EXPECT_EQ(message_of([] { (void)Document::read("/"); }), "/: Is a directory.");
}

TEST(Document, AHugeFileIsRefusedUnread) {
  const fs::path path = fs::temp_directory_path() / "plumb-huge.toml";
  std::ofstream(path).close();
  fs::resize_file(path, 1048577);
  EXPECT_EQ(message_of([&] { (void)Document::read(path); }),
            path.string() + ": it has 1048577 bytes; a file of settings has at most 1048576.");
  fs::remove(path);
}

TEST(Suggestion, IsTheNearestNameOrAllOfThem) {
  const auto names = std::to_array<std::string_view>({"shaper", "port"});
  EXPECT_EQ(suggestion("shapre", names), "; did you mean shaper?");
  EXPECT_EQ(suggestion("prot", names), "; did you mean port?");
  EXPECT_EQ(suggestion("colour", names), "; there are shaper, port.");
  EXPECT_EQ(suggestion("x", {}), "; there are .");
}

}  // namespace
}  // namespace plumb::config
