// SPDX-License-Identifier: Apache-2.0
// report and compare as a person meets them.
#include "cli/program.h"

namespace plumb::test {
namespace {

class Reports : public Program {
 protected:
  /// A quick simulated run, with a parameter changed where `set` says so.
  void simulate(const std::string& name, const std::string& set = "") const {
    const Result r = run("run dsm/pair --on sim --quick -o " + name + (set.empty() ? "" : " --set " + set));
    ASSERT_EQ(r.code, 0) << r.err;
  }
};

TEST_F(Reports, OneFileThatHoldsItsData) {
  simulate("a.jsonl");
  const Result r = run("report a.jsonl -o a.html");
  if (r.err.find("page was not built") != std::string::npos) GTEST_SKIP() << r.err;
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(masked(r.out).substr(0, 8), "a.html: ");
  EXPECT_NE(masked(r.out).find("# sections, # charts, # MB; open it in a browser"), std::string::npos)
      << r.out;
  const std::string page = slurp(path("a.html"));
  EXPECT_NE(page.find("id=\"plumb-data\">{\"schema\":1"), std::string::npos);
  EXPECT_NE(page.find("Content-Security-Policy"), std::string::npos);
  EXPECT_EQ(page.find("http-equiv=\"refresh\""), std::string::npos);
}

TEST_F(Reports, WithoutThePageSaysWhatIsMissingAndWhatToDo) {
  simulate("a.jsonl");
  const Result r = run("report a.jsonl -o no/such/folder.html");
  EXPECT_EQ(r.code, 2);
  const bool built = r.err.find("page was not built") == std::string::npos;
  EXPECT_NE(
      r.err.find(built ? "cannot write the report to no/such/folder.html" : "Node.js 18 or newer and npm"),
      std::string::npos)
      << r.err;
}

TEST_F(Reports, JsonNeedsNoPage) {
  simulate("a.jsonl");
  const Result r = run("report a.jsonl --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(r.out);
  EXPECT_EQ(json["parts"][0]["simulated"], true);
  EXPECT_FALSE(json["sections"].empty());
}

TEST_F(Reports, ARecordingWithoutACaseHasNothingToTell) {
  simulate("a.jsonl");
  const std::string all = slurp(path("a.jsonl"));
  write("empty.jsonl", all.substr(0, all.find('\n') + 1));
  const Result r = run("report empty.jsonl --json");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("empty.jsonl has no finished case"), std::string::npos) << r.err;
}

TEST_F(Reports, HypothesesMustBeWhatExplainPrints) {
  simulate("a.jsonl");
  write("wrong.json", "{\"hypotheses\": 3}");
  EXPECT_NE(
      run("report a.jsonl --json --explained none.json").err.find("--explained none.json: it cannot be read"),
      std::string::npos);
  EXPECT_NE(run("report a.jsonl --json --explained wrong.json")
                .err.find("is not what `plumb explain --json` prints"),
            std::string::npos);
}

TEST_F(Reports, ARunIsTheSameAsItself) {
  simulate("a.jsonl");
  const Result r = run("compare a.jsonl a.jsonl --fail-on slower");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(masked(r.out).find("# findings: # same, # faster, # slower, # ambiguous\n"), std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find(" 0 faster, 0 slower, 0 ambiguous"), std::string::npos) << r.out;
  const Json json = Json::parse(run("compare a.jsonl a.jsonl --json").out);
  for (const Json& f : json["findings"]) EXPECT_EQ(f["verdict"], "same") << f;
}

// A shaper of one half in place of two thirds takes a quarter of every rate that it limits.
TEST_F(Reports, ASlowerMachineFailsTheAcceptance) {
  simulate("a.jsonl");
  simulate("b.jsonl", "shaper_rate=1/2");
  const Result r = run("compare a.jsonl b.jsonl --fail-on slower:20");
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(masked(r.err).find("# of # findings are slower by # % or more; the largest loss is # %"),
            std::string::npos)
      << r.err;
  EXPECT_EQ(run("compare a.jsonl b.jsonl --fail-on slower:90").code, 0);
  EXPECT_EQ(run("compare a.jsonl b.jsonl").code, 0) << "a difference is a result";
}

TEST_F(Reports, CompareRefusesWithAReason) {
  simulate("a.jsonl");
  const Result model = run("compare a.jsonl");
  EXPECT_EQ(model.code, 2);
  EXPECT_NE(run("compare a.jsonl a.jsonl --fail-on quicker").err.find("must be 'slower' or 'slower:PERCENT'"),
            std::string::npos);
  EXPECT_NE(run("compare a.jsonl a.jsonl --fail-on slower:much").err.find("slower:PERCENT"),
            std::string::npos);
  EXPECT_EQ(run("compare a.jsonl none.jsonl").code, 2);
  EXPECT_EQ(run("compare").code, 2);
}

TEST_F(Reports, HelpTellsWhatFilesMean) {
  EXPECT_NE(run("report --help").out.find("RECORDING"), std::string::npos);
  EXPECT_NE(run("compare --help").out.find("--fail-on"), std::string::npos);
  for (const char* verb : {"report", "compare"})
    EXPECT_NE(run("--help").out.find(verb), std::string::npos) << verb;
}

}  // namespace
}  // namespace plumb::test
