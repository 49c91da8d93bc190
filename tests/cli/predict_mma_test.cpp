// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

namespace plumb::test {
namespace {

class PredictMma : public Program {
 protected:
  [[nodiscard]] std::string refused(const std::string& arguments) const {
    const Result r = run("predict mma " + arguments);
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.err;
    return r.err;
  }
};

TEST_F(PredictMma, SaysWhatLimitsAndWhatWouldNot) {
  const Result r = run("predict mma --dtype bf16 --m 128 --n 64 --layout ss --machine b200");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.find(
                "tcgen05 bf16.f32 m128n64k16 ss on b200, one SM\n"
                "  an instruction every   48.0 SM cycles, limited by the shared memory; not from n = 128 on\n"
                "    tensor cores         32.0\n"
                "    shared memory        48.0 = 32.0 for A + 16.0 for B\n"),
            0U)
      << r.out;
  EXPECT_NE(r.out.find("  one alone              168 SM cycles"), std::string::npos) << r.out;
}

TEST_F(PredictMma, OnHopperRowsAreWarpgroups) {
  const Result r = run("predict mma --m 128 --n 256");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.find("wgmma bf16.f32 m64n256k16 ss on h200, 2 warpgroups of one SM\n"), 0U) << r.out;
}

TEST_F(PredictMma, JsonHoldsAllOfIt) {
  const Result r = run("predict mma --m 256 --sms 2 --n 64 --machine b200 --in-flight 4 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = Json::parse(r.out, nullptr, false);
  EXPECT_EQ(j["limit"], "hand-over between the two SMs");
  EXPECT_EQ(j["math_cycles"], 32.0);
  EXPECT_EQ(j["shared_memory_cycles"], 40.0);
  EXPECT_EQ(j["in_flight"], 4);
  EXPECT_EQ(j["unlimited_from_n"], 112);
  EXPECT_EQ(j["latency_cycles"], 202.0);
}

TEST_F(PredictMma, MistakesAreNamed) {
  EXPECT_EQ(refused("--n 12"), "plumb: n = 12: wgmma takes 8 to 256 in steps of 8.\n");
  EXPECT_EQ(refused("--m 96"), "plumb: --m 96: a warpgroup has 64 rows; give a multiple.\n");
  EXPECT_EQ(refused("--sms 2"), "plumb: --sms 2: h200 has no pairs of SMs.\n");
  EXPECT_EQ(refused("--layout ts"), "plumb: operands = ts: wgmma has ss, rs.\n");
  EXPECT_EQ(refused("--machine b100"),
            "plumb: machine b100: no such file, and none of the machines that Plumb ships (b200, h200).\n");
  EXPECT_NE(refused("--dtype bf17").find("unknown number format 'bf17'; allowed are bf16, f16, tf32"),
            std::string::npos);
}

TEST_F(PredictMma, AMachineWithoutANetworkCannotBeSimulated) {
  const Result r = run("sim --pattern ring --machine b200");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("the table [topology] is missing"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace plumb::test
