// SPDX-License-Identifier: Apache-2.0
#include "config/machine.h"

#include <cstdio>
#include <fstream>
#include <iterator>

#include "support.h"

namespace plumb::config {
namespace {

using test::message_of;
const std::filesystem::path kSource = PLUMB_SOURCE_DIR;

std::string shipped() {
  std::ifstream in(kSource / "machines/h200.toml");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The shipped file with the line of `key` replaced; without the line where `line` is empty.
std::string with(const std::string& key, const std::string& line) {
  std::string text = shipped();
  const std::size_t at = text.find("\n" + key) + 1;
  EXPECT_NE(at, 0U) << key;
  const std::size_t end = text.find('\n', at);
  return text.replace(at, line.empty() ? end - at + 1 : end - at, line);
}

std::string entry(const std::string& key, const std::string& value) {
  return key + " = { value = " + value + R"(, evidence = "measured", source = "a test" })";
}

/// The error about the shipped file so changed, its place cut off after the line is checked.
std::string refusal(const std::string& key, const std::string& line) {
  const std::string text = with(key, line);
  const std::string message = message_of([&] { (void)machine_from(text, "m.toml"); });
  const std::size_t place = message.find(": ");
  EXPECT_EQ(message.find("m.toml:"), 0U) << message;
  if (!line.empty()) {
    const auto at = text.begin() + static_cast<std::ptrdiff_t>(text.find("\n" + line) + 1);
    EXPECT_EQ(message.find("m.toml:" + std::to_string(1 + std::count(text.begin(), at, '\n')) + ":"), 0U)
        << message;
  }
  return message.substr(place + 2);
}

TEST(MachineFile, TheShippedH200HasTheDefaultsOfTheModel) {
  Machine m = read_machine("h200", kSource);
  const SimMachine defaults;
  // Those of one GPC of one card; the model has none of its own.
  EXPECT_EQ(m.sim.parameters.sm_leg[0], 8);
  m.sim.parameters.sm_leg = {};
  for (const fabric::Parameter& p : fabric::parameters())
    EXPECT_EQ(text_of(m.sim.parameters, p), text_of(defaults.parameters, p))
        << p.name << " differs between machines/h200.toml and include/plumb/fabric/parameters.h";
  EXPECT_EQ(m.sim.parameters, defaults.parameters);
  EXPECT_EQ(m.sim.fused_off, defaults.fused_off);
  EXPECT_EQ(m.sim.name, defaults.name);
  EXPECT_EQ(m.sim.compute_capability, defaults.compute_capability);
  EXPECT_EQ(topology_of(m.sim), topology_of(defaults));
}

TEST(MachineFile, EveryValueHasEvidenceAndSource) {
  const Machine m = read_machine("h200", kSource);
  EXPECT_EQ(m.values.size(), fabric::parameters().size() + 3);
  for (const Known& k : m.values) {
    EXPECT_FALSE(k.source.empty()) << k.key;
    EXPECT_FALSE(k.value.empty()) << k.key;
  }
  EXPECT_EQ(m.values.at(0).key, "topology.sms");
  EXPECT_EQ(m.values.at(0).value, "16");
}

TEST(MachineFile, EvidenceIsCounted) {
  Machine m;
  m.values = {{"a", "1", Evidence::measured, "s"},
              {"b", "1", Evidence::unresolved, "s"},
              {"c", "1", Evidence::measured, "s"}};
  EXPECT_EQ(evidence_line(m), "3 values: 2 measured, 0 patent, 0 inferred, 1 unresolved");
}

TEST(MachineFile, EveryKindOfValueArrives) {
  std::string text = with("shaper =", entry("shaper", "\"bucket\""));
  EXPECT_EQ(machine_from(text, "m").sim.parameters.shaper, fabric::Shaper::bucket);
  text = with("shaper_rate", entry("shaper_rate", "\"3/4\""));
  EXPECT_EQ(machine_from(text, "m").sim.parameters.shaper_rate, (fabric::Ratio{3, 4}));
  text = with("load_issue", entry("load_issue", "24"));
  EXPECT_EQ(machine_from(text, "m").sim.parameters.load_issue, (fabric::Ratio{24, 1}));
  text = with("tpc_bypass", entry("tpc_bypass", "true"));
  EXPECT_TRUE(machine_from(text, "m").sim.parameters.tpc_bypass);
  text = with("sm_leg", entry("sm_leg", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]"));
  EXPECT_EQ(machine_from(text, "m").sim.parameters.sm_leg[17], 18);
}

TEST(MachineFile, RanksCanBePlacedOneByOne) {
  std::string text = with("sms =", entry("sms", "2"));
  const std::string fused = entry("fused_off",
                                  "[[0,0,1],[0,1,0],[0,1,1],[0,2,0],[0,2,1],[1,0,0],[1,0,1],"
                                  "[1,1,0],[1,1,1],[1,2,0],[1,2,1],[2,0,1],[2,1,0],[2,1,1],"
                                  "[2,2,0],[2,2,1]]");
  const auto replace = [&](const std::string& key, const std::string& line) {
    const std::size_t at = text.find("\n" + key) + 1;
    text.replace(at, text.find('\n', at) - at, line);
  };
  replace("fused_off", fused);
  replace("placement", entry("placement", "[[2,0,0],[0,0,0]]"));
  const Machine m = machine_from(text, "m");
  EXPECT_EQ(topology_of(m.sim).slot(0), (fabric::Slot{2, 0, 0}));
  EXPECT_EQ(topology_of(m.sim, 1).ranks(), 1);
}

TEST(MachineFile, MissingValuesAreNamed) {
  EXPECT_EQ(refusal("shaper_rate", ""), "sm.shaper_rate is missing.");
  EXPECT_EQ(refusal("name", ""), "name is missing.");
  EXPECT_EQ(refusal("sms", ""), "topology.sms is missing.");
  EXPECT_EQ(message_of([] { (void)machine_from("name = \"a\"\ncompute_capability = \"9.0\"", "m.toml"); }),
            "m.toml:1:1: the table [topology] is missing.");
}

TEST(MachineFile, AMisspeltKeyIsMetWithTheNearest) {
  EXPECT_EQ(refusal("shaper_rate", entry("shaper_rat", "\"2/3\"")),
            "sm.shaper_rat: unknown key; did you mean shaper_rate?");
  EXPECT_EQ(refusal("name", "nmae = \"h200\""), "nmae: unknown key; did you mean name?");
  EXPECT_EQ(refusal("[egress]", "[igress]"), "igress: unknown key; did you mean ingress?");
  EXPECT_EQ(refusal("sms", entry("cores", "16")),
            "topology.cores: unknown key; there are sms, fused_off, placement.");
  EXPECT_EQ(refusal("sms", R"(sms = { value = 16, evidence = "measured", sauce = "a" })"),
            "topology.sms.sauce: unknown key; did you mean source?");
}

TEST(MachineFile, EvidenceAndSourceAreRequired) {
  EXPECT_EQ(refusal("plane_depth", "plane_depth = 4"),
            "plane.plane_depth = 4: write { value = 4, evidence = \"...\", source = \"...\" }.");
  EXPECT_EQ(refusal("plane_depth", R"(plane_depth = { value = 4, source = "a" })"),
            "plane.plane_depth: evidence is missing.");
  EXPECT_EQ(refusal("plane_depth", R"(plane_depth = { evidence = "measured", source = "a" })"),
            "plane.plane_depth: value is missing.");
  EXPECT_EQ(refusal("plane_depth", R"(plane_depth = { value = 4, evidence = "guessed", source = "a" })"),
            "plane.plane_depth: evidence = \"guessed\": allowed are measured, patent, inferred, unresolved.");
  EXPECT_EQ(refusal("plane_depth", R"(plane_depth = { value = 4, evidence = "measured", source = "" })"),
            "plane.plane_depth: source = \"\": it must say where the value is from.");
}

TEST(MachineFile, AWrongTypeIsRefused) {
  const auto said = [](const std::string& key, const std::string& value) {
    return refusal(key + " =", entry(key, value));
  };
  EXPECT_EQ(said("plane_depth", "\"4\""), "plane.plane_depth = \"4\": it must be a whole number.");
  EXPECT_EQ(said("plane_depth", "4.5"), "plane.plane_depth = 4.5: it must be a whole number.");
  EXPECT_EQ(said("tpc_bypass", "1"), "route.tpc_bypass = 1: allowed are true and false.");
  EXPECT_EQ(said("shaper_rate", "0.66"),
            "sm.shaper_rate = 0.66: it must be a ratio such as \"2/3\", or a whole number.");
  EXPECT_EQ(said("shaper_rate", "\"2:3\""), "sm.shaper_rate = 2:3: it must be a whole number.");
  EXPECT_EQ(said("shaper", "\"soft\""), "sm.shaper = \"soft\": allowed are hard, tdm, bucket, share, none.");
  EXPECT_EQ(said("shaper", "1"), "sm.shaper = 1: allowed are hard, tdm, bucket, share, none, in quotes.");
  EXPECT_EQ(said("sm_leg", "[1, 2]"), "sm.sm_leg = [...]: it must be a list of 18 whole numbers.");
  EXPECT_EQ(said("fused_off", "[[2, 2]]"),
            "topology.fused_off = [...]: it must be a list of [CPC, TPC, SM].");
  EXPECT_EQ(said("placement", "\"random\""),
            "topology.placement = \"random\": it must be \"dealt\" or a list of [CPC, TPC, SM].");
  EXPECT_EQ(refusal("name", "name = 200"), "name = 200: it must be a text such as \"h200\".");
}

TEST(MachineFile, AnImpossibleValueIsRefused) {
  const auto said = [](const std::string& key, const std::string& value) {
    return refusal(key + " =", entry(key, value));
  };
  EXPECT_EQ(said("plane_depth", "0"), "plane.plane_depth = 0: allowed is 1 to 128.");
  EXPECT_EQ(said("plane_depth", "99999999999"), "plane.plane_depth = 99999999999: allowed is 1 to 128.");
  EXPECT_EQ(said("shaper_rate", "\"3/2\""),
            "sm.shaper_rate = 3/2: an SM cannot send more than one flit per cycle.");
  EXPECT_EQ(said("shaper_rate", "\"2/0\""), "sm.shaper_rate = 2/0: allowed is 1 to 64.");
  EXPECT_EQ(said("hash_bytes", "48"), "route.hash_bytes = 48: it must be a power of two.");
  EXPECT_EQ(said("flit_bytes", "48"), "lanes.flit_bytes = 48: allowed are 32 and 64.");
  EXPECT_EQ(said("sms", "18"), "topology.sms = 18: of 18 SMs, fused_off leaves 16.");
  EXPECT_EQ(said("sms", "19"), "topology.sms = 19: allowed is 1 to 18.");
  EXPECT_EQ(said("fused_off", "[[3, 0, 0]]"),
            "impossible GPC: there is no CPC 3 TPC 0 SM 0; a GPC has 3 CPCs of 3 TPCs of 2 SMs, counted from "
            "0.");
  EXPECT_EQ(said("placement", "[[0, 0, 0]]"), "topology.placement = [...]: it places 1 ranks on 16 SMs.");
}

TEST(MachineFile, AnUnknownMachineIsMetWithThoseThatShip) {
  EXPECT_EQ(message_of([] { (void)read_machine("h300", kSource); }),
            "machine h300: no such file, and none of the machines that Plumb ships (b200, h200).");
}

}  // namespace
}  // namespace plumb::config
