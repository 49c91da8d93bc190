// SPDX-License-Identifier: Apache-2.0
#include "record/csv.h"

#include "support.h"

namespace plumb::record {
namespace {

using test::message_of;

TEST(Csv, NamesAndValues) {
  const Csv csv = Csv::parse("a,b,c\n1,2.5,x\r\n\n-3e2,,\"y, \"\"z\"\"\"\n", "t.csv");
  EXPECT_EQ(csv.rows(), 2U);
  EXPECT_EQ(csv.column("b"), 1U);
  EXPECT_EQ(csv.number(0, 1), 2.5);
  EXPECT_EQ(csv.number(1, 0), -300.0);
  EXPECT_EQ(csv.text(1, 2), "y, \"z\"");
  EXPECT_EQ(csv.line(1), 4U);  // the empty line counts
}

TEST(Csv, AByteOrderMarkIsNoName) {
  EXPECT_EQ(Csv::parse("\xEF\xBB\xBF"
                       "a\n1\n",
                       "t.csv")
                .column("a"),
            0U);
}

TEST(Csv, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_EQ(message_of([] { (void)Csv::parse("", "t.csv"); }),
            "t.csv: it is empty; a table begins with a line of column names.");
  EXPECT_EQ(message_of([] { (void)Csv::parse("a,b\n1\n", "t.csv"); }),
            "t.csv:2: 1 values where the first line has 2 names.");
  EXPECT_EQ(message_of([] { (void)Csv::parse("a\n\"1\n", "t.csv"); }),
            "t.csv:2: a quote is opened and not closed.");
  const Csv csv = Csv::parse("a,b\n1,fast\n2,nan\n2.5,0\n3,\n", "t.csv");
  EXPECT_EQ(message_of([&] { (void)csv.column("c"); }), "t.csv:1: there is no column 'c'; there are a, b.");
  EXPECT_EQ(message_of([&] { (void)csv.number(0, 1); }),
            "t.csv:2: column 'b' holds 'fast' and must hold a number.");
  EXPECT_EQ(message_of([&] { (void)csv.number(1, 1); }),
            "t.csv:3: column 'b' holds 'nan' and must hold a number.");
  EXPECT_EQ(message_of([&] { (void)csv.number(3, 1); }),
            "t.csv:5: column 'b' is empty and must hold a number.");
  EXPECT_EQ(message_of([&] { (void)csv.count(2, 0); }),
            "t.csv:4: column 'a' holds '2.5' and must hold a whole number of 1 or more.");
  EXPECT_EQ(message_of([&] { (void)csv.count(2, 1); }),
            "t.csv:4: column 'b' holds '0' and must hold a whole number of 1 or more.");
}

PLUMB_PROPERTY(Csv, WhateverIsWrittenIsReadOrRefused, [] {
  const auto text = *rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '1', '\r'));
  try {
    const Csv csv = Csv::parse(text, "t.csv");
    for (std::size_t r = 0; r < csv.rows(); ++r)
      for (std::size_t c = 0; c < csv.names().size(); ++c) (void)csv.text(r, c);
  } catch (const Error& error) {
    RC_ASSERT(error.fault() == Fault::caller);
  }
})

}  // namespace
}  // namespace plumb::record
