// SPDX-License-Identifier: Apache-2.0
// The claims board, the closed forms and what they predict, as a person meets them.
#include "cli/program.h"

namespace plumb::test {
namespace {

class Claims : public Program {
 protected:
  [[nodiscard]] std::string refused(const std::string& arguments, int code = 2) const {
    const Result r = run(arguments);
    EXPECT_EQ(r.code, code) << arguments << "\n" << r.err;
    return r.err;
  }
  [[nodiscard]] Json json_of(const std::string& arguments) const {
    const Result r = run(arguments);
    EXPECT_EQ(r.code, 0) << arguments << "\n" << r.err;
    return Json::parse(r.out, nullptr, false);
  }
};

constexpr const char* kOneClaim = R"([source]
title = "A study"
where = "example.org"
hardware = "NVIDIA H200"
read = "original"
[[claim]]
id = "mine/command"
says = "A command costs 54.5 cycles."
place = "Table 1"
value = 54.5
tolerance_percent = 5
unit = "cycles"
findings = ["dsm/burst/train/128/command"]
[[claim]]
id = "mine/none"
says = "Something else."
place = "Table 2"
value = 1
tolerance_percent = 5
)";

TEST_F(Claims, TheBoardIsPrintedAndADifferenceIsNoFailure) {
  std::filesystem::create_directory(path("board"));
  write("board/mine.toml", kOneClaim);
  const Result r = run("check --claims board");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("mine/command     54.5  cycles     91.19"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("differs by +"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("2 claims: 0 reproduced, 1 differs, 0 other hardware, 1 not measured, 0 contradicts "
                       "itself.\n"),
            std::string::npos)
      << r.out;
}

TEST_F(Claims, FailOnMakesAVerdictAFailure) {
  std::filesystem::create_directory(path("board"));
  write("board/mine.toml", kOneClaim);
  EXPECT_EQ(refused("check --claims board --fail-on differs --fail-on not-measured", 1),
            "plumb: --fail-on differs, not-measured: 2 of 2 claims.\n");
  EXPECT_EQ(run("check --claims board --fail-on reproduced").code, 0);
}

TEST_F(Claims, JsonHasEveryClaimWithItsNumber) {
  std::filesystem::create_directory(path("board"));
  write("board/mine.toml", kOneClaim);
  const Json j = json_of("check --claims board --json --verdict differs");
  ASSERT_EQ(j["claims"].size(), 1U);
  EXPECT_EQ(j["claims"][0]["verdict"], "differs");
  EXPECT_EQ(j["claims"][0]["measured"]["gpu"], "NVIDIA H200");
  EXPECT_EQ(j["recordings"][0]["gpu_name"], "NVIDIA H200");
}

TEST_F(Claims, MistakesAreNamed) {
  EXPECT_EQ(refused("check --only 'nobody/*'"),
            "plumb: --only nobody/*: no claim has such an id; `plumb check --json` lists them.\n");
  EXPECT_EQ(refused("check --fail-on wrong"),
            "plumb: --fail-on wrong: allowed are reproduced, differs, other-hardware, not-measured, "
            "contradicts-itself.\n");
  EXPECT_EQ(refused("check --claims nowhere"), "plumb: nowhere: there are no claims (*.toml) in it.\n");
}

// The parameters of the closed forms are constants; this holds them against the shipped run.
TEST_F(Claims, TheClosedFormsExplainEveryPair) {
  const Json j = json_of("analyze --model --only dsm/pair --json");
  ASSERT_EQ(j["recordings"].size(), 1U);
  std::size_t there = 0;
  for (const Json& p : j["recordings"][0]["predictions"]) {
    ASSERT_TRUE(p.contains("predicted")) << p;
    if (p["finding"]["estimator"] != "steady") continue;
    ++there;
    EXPECT_TRUE(p["agrees"]) << p;
  }
  EXPECT_EQ(there, 33U) << "all of dsm/pair but 16x2, which has no steady rate";
}

TEST_F(Claims, ModelAndBesideExcludeEachOther) {
  EXPECT_NE(refused("analyze --model --beside x.jsonl").find("--beside excludes --model"), std::string::npos);
}

TEST_F(Claims, PredictDsmSaysTimeLimitAndTheWayThroughL2) {
  const Result r = run("predict dsm --pattern ring --op put --sms 8 --bytes 48KiB");
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* part : {"ring: put of 48KiB each, 8 SMs\n", " SM cycles (", "Limited by shaper: rank ",
                           "\nsimulated: ", "\nThrough L2: "})
    EXPECT_NE(r.out.find(part), std::string::npos) << part << r.out;
}

// dsm/scaling of the shipped run: a put ring of 8 takes 364 cycles and 20.44 B/cycle, so 48 KiB 2,769 cycles.
TEST_F(Claims, PredictDsmHitsWhatWasMeasured) {
  const Json j = json_of("predict dsm --pattern ring --op put --sms 8 --bytes 48KiB --json");
  EXPECT_LT(j["cycles"]["low"], 2769);
  EXPECT_GT(j["cycles"]["high"], 2769);
  EXPECT_NEAR(j["cycles"]["value"].get<double>(), 2769, 0.02 * 2769);
  EXPECT_EQ(j["flows"].size(), 8U);
  EXPECT_GT(j["through_l2"]["cycles"]["value"], j["cycles"]["value"]);
}

TEST_F(Claims, PredictDsmNamesEveryKindOfLimit) {
  const auto limit = [&](const std::string& arguments) {
    return json_of("predict dsm --json " + arguments)["limit"].get<std::string>();
  };
  EXPECT_EQ(limit("--sms 2 --bytes 64KiB"), "shaper");
  EXPECT_EQ(limit("--sms 16 --bytes 64KiB"), "ingress");
  EXPECT_EQ(limit("--pattern incast --sms 4 --bytes 64KiB"), "destination port");
  EXPECT_EQ(limit("--sms 2 --bytes 1KiB"), "completion");
  write("small.toml",
        "ranks = 2\n[[flow]]\nsource = 0\ndestination = 1\nop = \"put\"\nbytes = \"64KiB\"\n"
        "command = \"512\"\n");
  EXPECT_EQ(limit("--pattern small.toml"), "command set-up");
  write("few.toml",
        "ranks = 2\n[[flow]]\nsource = 0\ndestination = 1\nop = \"load\"\nbytes = \"64KiB\"\n"
        "warps = 1\nin_flight = 1\n");
  EXPECT_EQ(limit("--pattern few.toml"), "bytes in flight");
}

TEST_F(Claims, PredictDsmSaysWhereNoFormApplies) {
  write("pause.toml",
        "ranks = 2\n[[flow]]\nsource = 0\ndestination = 1\nop = \"put\"\nbytes = \"64KiB\"\n"
        "burst = \"8KiB\"\ngap = 500\n");
  const Result r = run("predict dsm --pattern pause.toml");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("No closed form: flows that pause or start one after the other.\nsimulated: "),
            std::string::npos)
      << r.out;
  EXPECT_EQ(refused("predict dsm --pattern pause.toml --sms 4"),
            "plumb: --sms goes with a pattern's name; pause.toml says it itself.\n");
  EXPECT_NE(refused("predict dsm --sms 40").find("ranks"), std::string::npos);
}

}  // namespace
}  // namespace plumb::test
