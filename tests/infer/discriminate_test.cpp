// SPDX-License-Identifier: Apache-2.0
#include "infer/discriminate.h"

#include "config/pattern_file.h"
#include "plumb/fabric/simulation.h"
#include "support.h"

namespace plumb::infer {
namespace {

TEST(Discriminate, FindsTrafficThatTellsTwoVariantsApart) {
  const SimMachine machine;
  const Hypothesis base = hypothesis("machine", machine.parameters);
  const Hypothesis other = hypothesis("port=half_duplex", machine.parameters);
  const Separation s = discriminate(machine, base, other, {.patterns = 12, .seeds = 2, .progress = {}});
  EXPECT_GT(s.score, 3.0);
  plumb::validate(s.traffic);
  // The same plan in both shows it again.
  const auto topology = topology_of(machine, 16);
  const auto cycles = [&](const Hypothesis& h) {
    const auto r = fabric::simulate(s.traffic, applied(h, machine.parameters), topology, {.seed = 9});
    return static_cast<double>(r.flows[s.flow].stop - r.flows[s.flow].start);
  };
  EXPECT_GT(std::abs(cycles(base) / cycles(other) - 1), 0.03);
}

TEST(Discriminate, NothingTellsAVariantFromItself) {
  const SimMachine machine;
  const Hypothesis base = hypothesis("machine", machine.parameters);
  EXPECT_TRUE(
      discriminate(machine, base, base, {.patterns = 3, .seeds = 1, .progress = {}}).traffic.flows.empty());
}

TEST(Discriminate, ItsPatternComesBackFromAFile) {
  const SimMachine machine;
  const Separation s = discriminate(machine, hypothesis("machine", machine.parameters),
                                    hypothesis("shaper=none", machine.parameters),
                                    {.patterns = 4, .seeds = 1, .progress = {}});
  const std::string text = config::pattern_text(s.traffic, "two\nlines");
  EXPECT_EQ(text.find("# two\n# lines\nranks = 16\n"), 0U);
  EXPECT_EQ(config::pattern_from(text, "p.toml"), s.traffic);
}

}  // namespace
}  // namespace plumb::infer
