// SPDX-License-Identifier: Apache-2.0
#include "config/tensor_cores.h"

#include <fstream>
#include <iterator>

#include "support.h"

namespace plumb::config {
namespace {

using test::message_of;
const std::filesystem::path kSource = PLUMB_SOURCE_DIR;

/// The shipped B200 file with the line of `key` replaced; without it where `line` is empty.
std::string refusal(const std::string& key, const std::string& line) {
  std::ifstream in(kSource / "machines/b200.toml");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t at = text.find("\n" + key) + 1;
  EXPECT_NE(at, 0U) << key;
  const std::size_t end = text.find('\n', at);
  text.replace(at, line.empty() ? end - at + 1 : end - at, line);
  const std::string message = message_of([&] { (void)tensor_cores_from(text, "m.toml"); });
  EXPECT_EQ(message.find("m.toml:"), 0U) << message;
  return message.substr(message.find(": ") + 2);
}

TEST(TensorCoreFile, BothShippedMachinesAreRead) {
  const TensorCoreFile h200 = read_tensor_cores("h200", kSource);
  EXPECT_EQ(h200.cores.family, MmaFamily::wgmma);
  EXPECT_EQ(h200.cores.flop_per_cycle, 4096);
  EXPECT_FALSE(h200.cores.fetch_first);
  EXPECT_EQ(h200.cores, model::TensorCores{}) << "the defaults are those of the shipped H200";
  const TensorCoreFile b200 = read_tensor_cores("b200", kSource);
  EXPECT_EQ(b200.cores.family, MmaFamily::tcgen05);
  EXPECT_EQ(b200.cores.observed_alone, -12);
  EXPECT_TRUE(b200.cores.fetch_first);
  EXPECT_EQ(b200.values.size(), h200.values.size());
  for (const Known& k : b200.values) EXPECT_FALSE(k.source.empty()) << k.key;
}

TEST(TensorCoreFile, EachMistakeIsNamed) {
  EXPECT_EQ(refusal("[tensor_cores]", "[tensors]"),
            "the table [tensor_cores] is missing: nothing is known of the tensor cores of b200.");
  EXPECT_EQ(refusal("trip = ", ""), "tensor_cores.trip is missing.");
  EXPECT_EQ(refusal("trip = ", "trip = 5"),
            "tensor_cores.trip = 5: write { value = 5, evidence = \"...\", source = \"...\" }.");
  EXPECT_EQ(refusal("trip = ", R"(trip = { value = -1, evidence = "measured", source = "a test" })"),
            "tensor_cores.trip = -1: it must be a whole number from 0 to 1000.");
  EXPECT_EQ(refusal("family = ", R"(family = { value = "hmma", evidence = "measured", source = "a test" })"),
            "tensor_cores.family = \"hmma\": allowed are wgmma, tcgen05.");
  EXPECT_EQ(
      refusal("fetch_first = ", R"(fetch_first = { value = 1, evidence = "measured", source = "a test" })"),
      "tensor_cores.fetch_first = 1: allowed are true and false.");
  EXPECT_EQ(refusal("crowd = ", R"(crowds = { value = 1, evidence = "measured", source = "a test" })"),
            "tensor_cores.crowds: unknown key; did you mean crowd?");
}

}  // namespace
}  // namespace plumb::config
