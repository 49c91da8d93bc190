// SPDX-License-Identifier: Apache-2.0
// What each verb prints, with numbers masked and spaces squeezed: form and wording. PLUMB_UPDATE_GOLDEN=1
// writes the files anew; read what changed.
#include <cstdlib>
#include <regex>

#include "cli/program.h"

namespace plumb::test {
namespace {

struct Call {
  const char* name;  ///< of the file in tests/cli/golden
  const char* arguments;
};

const std::vector<Call> kCalls{
    {"help", "--help"},
    {"list", "list"},
    {"info-topology", "info --topology"},
    {"run-sim", "run --on sim --quick dsm/pair -o sim.jsonl"},
    {"analyze", "analyze shipped/dsm.jsonl.zst --only dsm/mixed"},
    {"analyze-model", "analyze shipped/dsm.jsonl.zst --model --only dsm/pair"},
    {"analyze-mma", "analyze shipped/mma.jsonl.zst --only mma/data"},
    {"analyze-copy", "analyze shipped/copy.jsonl.zst --only copy/ladder"},
    {"analyze-topology", "analyze shipped/topology.jsonl.zst --only topology/fit"},
    {"check", "check shipped/dsm.jsonl.zst --only 'dsm/*'"},
    {"sim", "sim --pattern ring --sms 4"},
    {"predict-dsm", "predict dsm --pattern ring --op put --sms 8 --bytes 48KiB"},
    {"predict-copy", "predict copy --bytes-in-flight 24KiB"},
    {"predict-mma", "predict mma --dtype bf16 --m 128 --n 64 --layout ss"},
    {"predict-cluster", "predict cluster --size 8"},
    {"calibrate", "calibrate shipped/dsm.jsonl.zst --evaluations 0"},
    {"explain", "explain shipped/dsm.jsonl.zst --only shaper=none --cases 8 --evaluations 0"},
    {"compare", "compare shipped/topology.jsonl.zst shipped/topology.jsonl.zst"},
};

std::string form_of(const std::string& text) {
  static const std::regex kSigned("[-+]#");
  static const std::regex kSpaces(" +");
  static const std::regex kLines("(-{2,}|─{2,})");
  std::string out = std::regex_replace(masked(text), kSigned, "#");
  out = std::regex_replace(out, kSpaces, " ");
  return std::regex_replace(out, kLines, "--");
}

class Golden : public Program, public ::testing::WithParamInterface<Call> {};

TEST_P(Golden, PrintsThis) {
  fs::create_directory_symlink(fs::path(PLUMB_SOURCE_DIR) / "recordings/h200", path("shipped"));
  const Result r = run(GetParam().arguments, "XDG_STATE_HOME=" + path("state").string());
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string printed = form_of(r.out);
  const fs::path file =
      fs::path(PLUMB_SOURCE_DIR) / "tests/cli/golden" / (std::string(GetParam().name) + ".txt");
  if (std::getenv("PLUMB_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << printed;
  }
  EXPECT_EQ(printed, slurp(file)) << "PLUMB_UPDATE_GOLDEN=1 makes " << file << " anew";
}

INSTANTIATE_TEST_SUITE_P(Verbs, Golden, ::testing::ValuesIn(kCalls), [](const auto& call) {
  std::string name = call.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace plumb::test
