// SPDX-License-Identifier: Apache-2.0
// calibrate and explain as a person meets them.
#include "cli/program.h"

namespace plumb::test {
namespace {

class Infer : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    // 2-SM puts: eleven cases of few cycles.
    const Result r = run("run dsm/burst --on sim --quick -o burst.jsonl");
    ASSERT_EQ(r.code, 0) << r.err;
  }
};

TEST_F(Infer, CalibrateWithoutAFitSaysHowFarTheMachineIsOff) {
  const Result r = run("calibrate burst.jsonl --evaluations 0 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["machine"], "h200");
  ASSERT_FALSE(j["families"].empty());
  for (const Json& f : j["families"]) {
    if (f["deviation"]["rows"] == 0) continue;
    EXPECT_LT(f["deviation"]["median"], 0.05) << "a simulated recording is the simulator's own: " << f;
  }
}

TEST_F(Infer, CalibrateWritesAMachineFileThatCanBeRead) {
  const Result r = run("calibrate burst.jsonl --free put_setup --evaluations 4 -o mine.toml");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("\nput_setup"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("The machine is in mine.toml."), std::string::npos);
  EXPECT_EQ(run("sim --machine mine.toml --sms 2 --bytes 1KiB").code, 0);
  const Result again = run("calibrate burst.jsonl --free put_setup --evaluations 4 -o mine.toml");
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("mine.toml.evaluations.jsonl: it exists; --resume goes on with it"),
            std::string::npos)
      << again.err;
  EXPECT_EQ(run("calibrate burst.jsonl --free put_setup --evaluations 4 -o mine.toml --resume").code, 0);
}

TEST_F(Infer, MistakesAreAnswered) {
  Result r = run("calibrate burst.jsonl --free shaper");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("free parameter shaper: it is no whole number"), std::string::npos) << r.err;
  r = run("explain burst.jsonl --only magic");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("magic: no such hypothesis; there are machine, "), std::string::npos) << r.err;
}

TEST_F(Infer, ExplainNamesTheCaseThatDecides) {
  const Result r = run("explain burst.jsonl --only put_setup=200 --evaluations 0");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("put_setup=200: put_setup=200.\n  refuted"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(" B/cycle on the card, "), std::string::npos) << r.out;
}

TEST_F(Infer, DiscriminateWritesAPatternThatRuns) {
  const Result r = run("explain --discriminate port=half_duplex machine -o p.toml --patterns 8");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(run("sim --pattern p.toml").code, 0);
}

}  // namespace
}  // namespace plumb::test
