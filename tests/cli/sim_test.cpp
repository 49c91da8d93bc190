// SPDX-License-Identifier: Apache-2.0
// The simulator as a person meets it.
#include "cli/program.h"

namespace plumb::test {
namespace {

const std::string kRing = "ranks = 4\n[[generate]]\npattern = \"ring\"\nop = \"put\"\nbytes = \"16KiB\"\n";

class Sim : public Program {
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

TEST_F(Sim, ReportsFlowsSmsLanesAndPlanes) {
  const Result r = run("sim --pattern ring --op put --sms 16 --bytes 64KiB --stride 2");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(
      masked(r.out).find("ring: put of #KiB each, # SMs\non h#, # values: # measured, # patent, # inferred, "
                         "# unresolved\n# bytes in # cycles (# us at # MHz); payload moves for # of them, at "
                         "# B/cycle together.\n\nFlows\n"),
      0U)
      << r.out;
  for (const char* line :
       {"\n0 put 0 > 2 ", "\nSMs\nSM  place  sends B/cycle  receives  shaper %  ingress full %",
        "\n15  2.2.1 ", "\nCPC 2 lane 3    GX1 ", "\nGX1    block 5 "})
    EXPECT_NE(r.out.find(line), std::string::npos) << line << r.out;
}

TEST_F(Sim, JsonHoldsAllOfIt) {
  const Json j = json_of("sim --pattern incast --root 2 --op store --sms 4 --bytes 16KiB --json");
  EXPECT_EQ(j["ranks"], 4);
  ASSERT_EQ(j["flows"].size(), 3U);
  for (const Json& f : j["flows"]) {
    EXPECT_EQ(f["destination"], 2);
    EXPECT_EQ(f["bad_bytes"], 0);
  }
  ASSERT_EQ(j["sms"].size(), 4U);
  // 16 KiB are 512 flits of 32 bytes from each of three SMs.
  EXPECT_EQ(j["sms"][2]["received_flits"]["request"], 3 * 512);
  EXPECT_EQ(j["sms"][0]["sent_flits"]["request"], 512);
  EXPECT_GT(j["sms"][0]["latency_cycles"]["p50"], 0);
  EXPECT_EQ(j["lanes"]["ingress"].size(), 12U);
  EXPECT_EQ(j["lanes"]["plane_outputs"].size(), 12U);
  EXPECT_EQ(j["parameters"]["shaper_rate"], "2/3");
}

TEST_F(Sim, APatternFileAndAMachineFileAreTaken) {
  write("p.toml", kRing);
  std::string machine = slurp(std::filesystem::path(PLUMB_SOURCE_DIR) / "machines/h200.toml");
  machine.replace(machine.find("\"h200\""), 6, "\"mine\"");
  write("m.toml", machine);
  const Result r = run("sim --pattern p.toml --machine m.toml");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.find("p.toml\non mine, "), 0U) << r.out;
}

// One put alone: two flits of three cycles through the hard shaper, a full lane without one.
TEST_F(Sim, AStageIsReplacedInTheMachineFileOrOnTheCommandLine) {
  std::string machine = slurp(std::filesystem::path(PLUMB_SOURCE_DIR) / "machines/h200.toml");
  const std::string hard = "shaper = { value = \"hard\"";
  ASSERT_NE(machine.find(hard), std::string::npos);
  machine.replace(machine.find(hard), hard.size(), "shaper = { value = \"none\"");
  write("free.toml", machine);
  const std::string call = "sim --pattern scatter --op store --sms 2 --json";
  const auto rate = [&](const std::string& more) {
    return json_of(call + more)["flows"][0]["steady_bytes_per_cycle"].get<double>();
  };
  EXPECT_NEAR(rate(""), 64.0 / 3, 0.2);
  EXPECT_NEAR(rate(" --machine free.toml"), 32.0, 0.3);
  EXPECT_EQ(rate(" --set shaper=none"), rate(" --machine free.toml"));
}

TEST_F(Sim, TheSameSeedGivesTheSameOutput) {
  EXPECT_EQ(run("sim --seed 3").out, run("sim --seed 3").out);
  EXPECT_NE(run("sim --seed 3").out, run("sim --seed 4").out);
}

TEST_F(Sim, WritesATrace) {
  const Result r = run("sim --sms 4 --bytes 1KiB --trace t.json");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("\nThe trace is in t.json; open it at https://ui.perfetto.dev.\n"), std::string::npos);
  EXPECT_GT(Json::parse(slurp(path("t.json")))["traceEvents"].size(), 100U);
  EXPECT_EQ(refused("sim --sms 4 --bytes 1KiB --trace no/t.json"),
            "plumb: --trace no/t.json: it cannot be written.\n");
}

TEST_F(Sim, MistakesAreMetWithWhatIsAllowed) {
  write("p.toml", kRing);
  write("bad.toml", "ranks = 4\n[[flow]]\nsource = 0\ndestination = 4\nop = \"put\"\nbytes = 16\n");
  write("m.toml", "name = \"x\"\n");
  EXPECT_EQ(refused("sim --pattern rung"),
            "plumb: unknown pattern 'rung'; allowed are ring, pairs, incast, gather, scatter, all-to-all.\n");
  EXPECT_EQ(refused("sim --pattern none.toml"), "plumb: none.toml: No such file or directory.\n");
  EXPECT_EQ(refused("sim --pattern bad.toml"),
            "plumb: bad.toml:4:15: destination = 4: ranks go from 0 to 3.\n");
  EXPECT_EQ(refused("sim --pattern p.toml --stride 2"),
            "plumb: --stride goes with a pattern's name; p.toml says it itself.\n");
  EXPECT_EQ(refused("sim --op push"), "plumb: unknown operation 'push'; allowed are load, store, put.\n");
  EXPECT_EQ(refused("sim --bytes 100"),
            "plumb: flow 0 (put 0 -> 1): bytes = 100: it must be a multiple of 16 bytes and at least 16.\n");
  EXPECT_EQ(refused("sim --bytes 1kB"),
            "plumb: --bytes 1kB: '1kB' is no size; write bytes such as 65536, or 64KiB, or 1MiB.\n");
  EXPECT_EQ(refused("sim --sms 17"), "plumb: ranks = 17: a cluster on this machine has 2 to 16 CTAs.\n");
  EXPECT_EQ(refused("sim --stride 16"), "plumb: stride = 16: in a ring of 16 it is 1 to 15.\n");
  EXPECT_EQ(refused("sim --machine h300"),
            "plumb: machine h300: no such file, and none of the machines that Plumb ships (b200, h200).\n");
  EXPECT_EQ(refused("sim --machine m.toml"), "plumb: m.toml:1:1: compute_capability is missing.\n");
  EXPECT_EQ(refused("sim --set shapr=none"),
            "plumb: --set shapr=none: unknown parameter; did you mean shaper?\n");
  EXPECT_EQ(refused("sim --set shaper"), "plumb: --set shaper: write shaper=VALUE.\n");
  EXPECT_EQ(refused("sim --set shaper=soft"),
            "plumb: shaper = soft: allowed are hard, tdm, bucket, share, none.\n");
  EXPECT_EQ(refused("sim --set plane_depth=0"), "plumb: plane_depth = 0: allowed is 1 to 128.\n");
}

TEST_F(Sim, RunOnSimRecordsResumesAndIsAnalyzed) {
  write("p.toml", kRing);
  const Result first = run("run --pattern p.toml --on sim --quick -o s.jsonl");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("h200, simulated: compute 9.0, one GPC of 16 SMs, SM clock 1980 MHz"),
            std::string::npos)
      << first.out;
  EXPECT_NE(first.out.find("\np.toml/0-put-0to1/rate "), std::string::npos) << first.out;
  const Result again = run("run --pattern p.toml --on sim --quick -o s.jsonl --resume");
  EXPECT_NE(again.out.find("1 cases were there already."), std::string::npos) << again.out;
  EXPECT_EQ(json_of("analyze s.jsonl --json")["recordings"][0]["findings"].size(), 8U);

  EXPECT_EQ(refused("run --pattern p.toml --on sim --set shaper=none --resume -o s.jsonl"),
            "plumb: s.jsonl: it was recorded on another card (h200); --resume goes on with the same one.\n");
  write("p.toml", "ranks = 2\n[[generate]]\npattern = \"ring\"\nop = \"put\"\nbytes = \"16KiB\"\n");
  EXPECT_EQ(refused("run --pattern p.toml --on sim --resume -o s.jsonl"),
            "plumb: s.jsonl: it holds another plan under the name p.toml; write to a new file.\n");
}

TEST_F(Sim, RunRefusesWhatDoesNotGoTogether) {
  write("p.toml", kRing);
  EXPECT_EQ(refused("run --machine h200 --on replay"), "plumb: --machine goes with --on sim.\n");
  EXPECT_EQ(refused("run dsm/pair --pattern p.toml --on sim"),
            "plumb: --pattern p.toml: it stands instead of experiments (dsm/pair); give one of them.\n");
  const Result r = run("run --pattern p.toml", "CUDA_VISIBLE_DEVICES=");
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.err.find("and no recording can answer a new pattern; `--on sim` simulates it."),
            std::string::npos)
      << r.err;
}

TEST_F(Sim, ARunStandsBesideTheShippedOne) {
  ASSERT_EQ(run("run dsm/mixed --on sim --quick -o s.jsonl").code, 0);
  const Result r = run("analyze --beside s.jsonl");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("  measured  simulated  deviation %\n"), std::string::npos) << r.out;
  EXPECT_NE(masked(r.out).find("\nB/cycle: # numbers, deviation median # %, worst # %\n"), std::string::npos);
  const Json j = json_of("analyze --beside s.jsonl --json");
  EXPECT_EQ(j["first"]["backend"], "cuda");
  EXPECT_EQ(j["second"]["backend"], "sim");
  int both = 0;
  for (const Json& f : j["findings"]) {
    if (!f.contains("deviation")) continue;
    ++both;
    EXPECT_NEAR(f["deviation"].get<double>(),
                f["second"]["value"].get<double>() / f["first"]["value"].get<double>() - 1, 1e-9);
  }
  EXPECT_GT(both, 20);
  write("p.toml", kRing);
  ASSERT_EQ(run("run --pattern p.toml --on sim --quick -o p.jsonl").code, 0);
  EXPECT_EQ(refused("analyze --beside p.jsonl"),
            "plumb: the two recordings have no experiment in common; nothing can be compared.\n");
}

}  // namespace
}  // namespace plumb::test
