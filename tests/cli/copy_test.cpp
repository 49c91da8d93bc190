// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

namespace plumb::test {
namespace {

using CopyVerbs = Program;

TEST_F(CopyVerbs, ASheetBecomesARecordingThatAnalyzeReads) {
  write("t.csv", "Threads,Stages,Rate\n64,1,3.5e11\n128,4,2.1e12\n");
  write("t.toml",
        "gpu = \"Card X\"\nsms = 100\nsource = \"a paper\"\n[columns]\nthreads = \"Threads\"\nstages = "
        "\"Stages\"\n"
        "rate_Bps = \"Rate\"\n");
  const Result made = run("import t.csv --meanings t.toml -o t.jsonl");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "2 rows are in t.jsonl; `plumb analyze t.jsonl` shows them.\n");
  const Result seen = run("analyze t.jsonl --json");
  EXPECT_EQ(seen.code, 0) << seen.err;
  EXPECT_NE(seen.out.find("\"third-party\""), std::string::npos);
  EXPECT_NE(seen.out.find("as given in t.csv:3"), std::string::npos);
  EXPECT_NE(seen.out.find("2100.0"), std::string::npos);
}

TEST_F(CopyVerbs, ASheetThatIsWrongIsRefusedWithItsPlace) {
  write("t.csv", "Threads,Rate\n64,fast\n");
  const std::string columns = " --gpu X --sms 100 --column threads=Threads --column rate_Bps=";
  EXPECT_EQ(run("import t.csv -o t.jsonl" + columns + "Speed").err,
            "plumb: t.csv:1: there is no column 'Speed'; there are Threads, Rate.\n");
  const Result bad = run("import t.csv -o t.jsonl" + columns + "Rate");
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.err, "plumb: t.csv:2: column 'Rate' holds 'fast' and must hold a number.\n");
  EXPECT_EQ(run("import t.csv -o t.jsonl --column Rate").err, "plumb: --column Rate: write MEANING=NAME.\n");
  EXPECT_EQ(run("import t.csv -o t.jsonl --column rate_Bps=Rate").err,
            "plumb: say which card the sheet is of: --gpu, or `gpu` in --meanings.\n");
  write("t.toml", "sms = \"many\"\n");
  EXPECT_EQ(run("import t.csv -o t.jsonl --meanings t.toml").err,
            "plumb: t.toml:1:7: give a whole number of 1 or more.\n");
}

TEST_F(CopyVerbs, PredictNamesAPathItsCostAndAnInterval) {
  const Result r = run("predict copy --bytes-in-flight 24KiB --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(r.out);
  ASSERT_EQ(json.size(), 2U);
  for (const Json& a : json) {
    EXPECT_LE(a["bytes_in_flight"], 24 * 1024);
    EXPECT_LT(a["low"], a["rate_GBps_an_SM"]);
    EXPECT_GT(a["high"], a["rate_GBps_an_SM"]);
    EXPECT_EQ(a["mbarriers"] == 0, a["path"] == "ldgsts");
  }
  EXPECT_EQ(run("predict copy --bytes-in-flight 24KiB --pattern paged").code, 0);
  EXPECT_EQ(run("predict copy --bytes-in-flight 24KiB --pattern heap").err,
            "plumb: unknown layout 'heap'; allowed are dense, paged.\n");
  EXPECT_EQ(run("predict copy --bytes-in-flight 1MiB").err,
            "plumb: bytes in flight = 1048576: give 512 to 230400, which an SM has room for.\n");
}

}  // namespace
}  // namespace plumb::test
