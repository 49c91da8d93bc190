// SPDX-License-Identifier: Apache-2.0
// The program as a person meets it: what it prints and how it exits.
#include "cli/program.h"

#include <sstream>

#include "record/recording.h"

namespace plumb::test {
namespace {

TEST_F(Program, WithoutAVerbSaysWhatThereIs) {
  const Result r = run("");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("plumb: A subcommand is required"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("plumb --help"), std::string::npos);
}

TEST_F(Program, HelpNamesEveryVerbAndTheExitCodes) {
  const Result r = run("--help");
  EXPECT_EQ(r.code, 0);
  for (const char* word : {"info", "list", "run", "analyze", "sim", "Exit codes"})
    EXPECT_NE(r.out.find(word), std::string::npos) << word;
  for (const char* verb : {"info", "list", "run", "analyze", "sim"})
    EXPECT_EQ(run(std::string(verb) + " --help").code, 0);
}

TEST_F(Program, AnUnknownOptionIsTheCallersMistake) {
  const Result r = run("run --fast");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("--fast"), std::string::npos);
}

TEST_F(Program, InfoSaysWhatWorksHereAndWhatWouldBeNeeded) {
  const Result r = run("info");
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("Measure on a card:"), std::string::npos);
  EXPECT_NE(r.out.find("Replay recordings:  yes: "), std::string::npos) << r.out;
  const Json json = Json::parse(run("info --json").out);
  EXPECT_TRUE(json["cards"].is_array());
  EXPECT_EQ(json["cards"].empty(), !json["why_no_card"].get<std::string>().empty());
}

TEST_F(Program, ListTellsQuestionCasesAndSeconds) {
  const Result r = run("list dsm/pair");
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(masked(r.out).substr(0, 34), "dsm/pair  # cases, about # s\n  How");
  const Json json = Json::parse(run("list --json").out);
  ASSERT_GE(json.size(), 2U);
  EXPECT_TRUE(json[0]["cases"].is_number());
}

TEST_F(Program, NoColoursWhereNobodyLooks) {
  for (const char* call : {"info", "list", "analyze", "run --on replay"})
    EXPECT_EQ(run(call).out.find('\x1b'), std::string::npos) << call;
}

TEST_F(Program, ReplayAndAnalyzeOfTheShippedRunAgree) {
  const Result replayed = run("run 'dsm/*' --on replay --json");
  ASSERT_EQ(replayed.code, 0) << replayed.err;
  const Result analyzed = run("analyze --json --only 'dsm/*'");
  ASSERT_EQ(analyzed.code, 0) << analyzed.err;
  EXPECT_EQ(Json::parse(replayed.out), Json::parse(analyzed.out));
}

TEST_F(Program, EveryFindingHasNameValueIntervalUnitEstimatorAndCases) {
  const Json json = Json::parse(run("analyze --json --only 'dsm/*'").out)["recordings"][0];
  ASSERT_GT(json["findings"].size(), 100U);
  for (const Json& f : json["findings"]) {
    EXPECT_TRUE(f["name"].is_string());
    EXPECT_FALSE(f["unit"].get<std::string>().empty());
    EXPECT_FALSE(f["estimator"].get<std::string>().empty());
    EXPECT_LE(f["low"].get<double>(), f["value"].get<double>()) << f["name"];
    EXPECT_GE(f["high"].get<double>(), f["value"].get<double>()) << f["name"];
    EXPECT_FALSE(f["cases"].empty());
  }
}

// The limit that patents, studies and this card agree on: two thirds of a 32-byte lane for each SM.
TEST_F(Program, TheShippedRunShowsTheTwoThirdsLimit) {
  const Json json = Json::parse(run("analyze --json --only 'dsm/*'").out)["recordings"][0];
  int seen = 0;
  for (const Json& f : json["findings"]) {
    if (f["estimator"] != "steady") continue;
    const std::string name = f["name"];
    if (name != "dsm/pair/load/one-way/8x2/rate" && name != "dsm/pair/store/one-way/8x2/rate" &&
        name != "dsm/pair/put/one-way/rate")
      continue;
    ++seen;
    EXPECT_NEAR(f["value"].get<double>(), 64.0 / 3, 0.01 * 64 / 3) << name;
  }
  EXPECT_EQ(seen, 3);
}

TEST_F(Program, TheReadmeShowsWhatAnalyzePrints) {
  std::string indented;
  std::istringstream lines(run("analyze --only dsm/pair --only dsm/mixed").out);
  for (std::string line; std::getline(lines, line);) indented += (line.empty() ? "" : "    " + line) + "\n";
  const std::string readme = slurp(fs::path(PLUMB_SOURCE_DIR) / "README.md");
  EXPECT_NE(readme.find(indented), std::string::npos) << "run scripts/update_docs.sh";
}

TEST_F(Program, AnalyzePrintsATableWithUnits) {
  const Result r = run("analyze");
  EXPECT_EQ(r.code, 0);
  const std::string text = masked(r.out);
  EXPECT_NE(text.find("steady B/cycle  # % interval  published fit  steady GB/s  intercept cycles"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nload/one-way/#x# "), std::string::npos) << text;
}

TEST_F(Program, WithoutACardAutoReplaysAndSaysSoFirst) {
  const Result r = run("run", "CUDA_VISIBLE_DEVICES=");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.find("No card to measure ("), 0U) << r.out;
  EXPECT_NE(r.out.find("replaying the H200 runs that Plumb ships"), std::string::npos);
}

TEST_F(Program, WithoutACardCudaIsADeviceError) {
  const Result r = run("run --on cuda", "CUDA_VISIBLE_DEVICES=");
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(r.err.find("plumb: no card to measure: "), 0U) << r.err;
}

TEST_F(Program, MistakesOfTheCallerExitWithTwoAndSayWhatIsAllowed) {
  const auto fails = [&](const std::string& arguments) {
    const Result r = run(arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    return r.err;
  };
  EXPECT_EQ(fails("run dsm/pear").find("plumb: no experiment matches 'dsm/pear'; there are dsm/pair"), 0U);
  EXPECT_EQ(fails("run --on moon"),
            "plumb: --on moon: allowed are auto, cuda, sim, replay and replay:FILE.\n");
  EXPECT_EQ(fails("analyze nowhere.jsonl"), "plumb: nowhere.jsonl: No such file or directory.\n");
  EXPECT_EQ(fails("run --on replay:nowhere.jsonl"), "plumb: nowhere.jsonl: No such file or directory.\n");
  EXPECT_NE(fails("run --seed minus").find("--seed"), std::string::npos);
}

TEST_F(Program, ACutLineIsAWarningAndDamageIsAnError) {
  plumb::record::Recording r =
      plumb::record::read(fs::path(PLUMB_SOURCE_DIR) / "recordings/h200/dsm.jsonl.zst");
  {
    auto writer = plumb::record::Writer::create(path("whole.jsonl"), r.provenance);
    for (const auto& m : r.measurements) writer.append(m);
  }
  const std::string whole = slurp(path("whole.jsonl"));
  write("cut.jsonl", whole.substr(0, whole.size() - 100));
  const Result cut = run("analyze cut.jsonl");
  EXPECT_EQ(cut.code, 0);
  EXPECT_EQ(
      masked(cut.err),
      "warning: cut.jsonl: line # was cut off and is left out; the case is measured again with --resume.\n");
  write("bad.jsonl", whole.substr(0, whole.size() / 2) + "#" + whole.substr(whole.size() / 2));
  const Result bad = run("analyze bad.jsonl");
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(masked(bad.err).find("plumb: bad.jsonl: line # is damaged: "), 0U) << bad.err;
}

// An experiment that asks as it learns: it ends by itself, and a run that was cut off ends as well.
TEST_F(Program, AnAdaptiveExperimentGoesOnUntilItsAnswerIsThere) {
  const std::string call = "run dsm/tomography --on sim --quick -o survey.jsonl";
  const Result whole = run(call);
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(masked(whole.out).find("Measuring # cases and those that their results ask for on h#;"), 0U)
      << whole.out;
  // The shipped machine lacks a TPC of the CPC of ranks 0, 1, 6 and 7.
  for (const char* group :
       {"block/0-6/", "block/2-8-12/", "cpc/0-1-6-7/", "cpc/2-3-8-9-12-13/", "cpc/4-5-10-11-14-15/"})
    EXPECT_NE(whole.out.find("\n" + std::string(group) + "confidence"), std::string::npos) << group;
  const std::string text = slurp(path("survey.jsonl"));

  const Result again = run(call + " --resume");
  EXPECT_EQ(again.out.find("Measuring 0 cases"), 0U) << again.out;
  EXPECT_EQ(slurp(path("survey.jsonl")), text);

  std::istringstream lines(text);
  std::string start;
  std::string line;
  for (int i = 0; i < 40 && std::getline(lines, line); ++i) start += line + "\n";
  write("survey.jsonl", start);
  EXPECT_EQ(run("analyze survey.jsonl").out.find("cpc/0-1-6-7/"), std::string::npos);
  const Result resumed = run(call + " --resume");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.out.find("\ncpc/0-1-6-7/confidence"), std::string::npos) << resumed.out;
}

TEST_F(Program, MissingDataSaysWhereItLooked) {
  const Result r = run("analyze", "PLUMB_DATA=/nowhere");
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(
      r.err,
      "plumb: Plumb's data is missing; looked for /nowhere/recordings. Set PLUMB_DATA to the folder that "
      "holds recordings/ and machines/.\n");
}

TEST_F(Program, ANameFromAFileCannotDriveTheTerminal) {
  plumb::record::Recording r =
      plumb::record::read(fs::path(PLUMB_SOURCE_DIR) / "recordings/h200/dsm.jsonl.zst");
  r.provenance.gpu_name = "\x1b[2Jevil\x07";
  (void)plumb::record::Writer::create(path("evil.jsonl"), r.provenance);
  const Result analyzed = run("analyze evil.jsonl");
  EXPECT_EQ(analyzed.out.find('\x1b'), std::string::npos);
  EXPECT_NE(analyzed.out.find("?[2Jevil?"), std::string::npos) << analyzed.out;
}

TEST_F(Program, AGpcIsInTheNamesAndExperimentsThatFillTheChipHaveNone) {
  const Result r = run("run --on sim --quick --gpc 0 dsm/mixed dsm/linear -o a.jsonl --json");
  ASSERT_EQ(r.code, 0) << r.err;
  for (const Json& f : Json::parse(r.out)["recordings"][0]["findings"])
    EXPECT_NE(f["name"].get<std::string>().find("/gpc-0"), std::string::npos) << f["name"];
  EXPECT_EQ(run("run --on sim --gpc 0 dsm/linear -o b.jsonl").err,
            "plumb: --gpc 0: the chosen experiments fill the whole chip; choose others.\n");
  const std::string refused = run("run --on sim --gpc 1 dsm/mixed -o c.jsonl").err;
  EXPECT_NE(refused.find("gpc = 1: a simulated machine has one GPC, 0. 0 of 44 cases are saved in c.jsonl."),
            std::string::npos)
      << refused;
  EXPECT_EQ(run("run --on replay --gpc 1").err,
            "plumb: --gpc chooses where to measure; a recording is where it is.\n");
}

}  // namespace
}  // namespace plumb::test
