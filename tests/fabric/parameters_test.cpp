// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/parameters.h"

#include <set>

#include "support.h"

namespace plumb::fabric {
namespace {

using test::message_of;

std::string refused(std::string_view name, std::string_view text) {
  return message_of([&] {
    Parameters p;
    set(p, *find_parameter(name), text);
    validate(p);
  });
}

TEST(Parameters, TheDefaultsAreLegal) { EXPECT_NO_THROW(validate(Parameters{})); }

TEST(Parameters, EveryEntryHasANameOfItsOwnAndAMeaning) {
  std::set<std::string_view> names;
  for (const Parameter& p : parameters()) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
    EXPECT_FALSE(p.text.empty()) << p.name;
    EXPECT_FALSE(p.group.empty()) << p.name;
  }
}

TEST(Parameters, TheListCoversTheWholeStruct) {
  // Changing every listed parameter must leave no byte of meaning behind: an unlisted member would survive.
  std::size_t bytes = 0;
  for (const Parameter& p : parameters()) {
    bytes += std::visit(
        []<class M>(const M& member) -> std::size_t {
          if constexpr (std::is_same_v<M, Choice>) {
            return 1;
          } else {
            return sizeof(std::declval<Parameters&>().*member);
          }
        },
        p.member);
  }
  EXPECT_LE(bytes, sizeof(Parameters));
  EXPECT_GE(bytes + 3 * 16, sizeof(Parameters)) << "padding explains at most three bytes a switch or choice";
}

TEST(Parameters, TextsGoThereAndBack) {
  Parameters p;
  p.shaper = Shaper::tdm;
  p.shaper_rate = {3, 4};
  p.tpc_bypass = true;
  p.sm_leg[17] = 5;
  Parameters q;
  for (const Parameter& entry : parameters()) set(q, entry, text_of(p, entry));
  EXPECT_EQ(p, q);
}

TEST(Parameters, AWrongValueIsNamedWithWhatIsAllowed) {
  EXPECT_EQ(refused("ingress_depth", "0"), "ingress_depth = 0: allowed is 1 to 16.");
  EXPECT_EQ(refused("ingress_depth", "four"), "ingress_depth = four: it must be a whole number.");
  EXPECT_EQ(refused("shaper", "soft"), "shaper = soft: allowed are hard, tdm, bucket, share, none.");
  EXPECT_EQ(refused("tpc_bypass", "1"), "tpc_bypass = 1: allowed are true and false.");
  EXPECT_EQ(refused("plane_speedup", "5/0"), "plane_speedup = 5/0: allowed is 1 to 16.");
  EXPECT_EQ(refused("sm_leg", "1 2"), "sm_leg = 1 2: it must be a whole number.");
}

TEST(Parameters, RulesBetweenParametersAreChecked) {
  EXPECT_EQ(refused("flit_bytes", "48"), "flit_bytes = 48: allowed are 32 and 64.");
  EXPECT_EQ(refused("response_quantum", "96"), "response_quantum = 96: allowed are 64, 128 and 256.");
  EXPECT_EQ(refused("hash_bytes", "100"), "hash_bytes = 100: it must be a power of two.");
  EXPECT_EQ(refused("shaper_rate", "4/3"),
            "shaper_rate = 4/3: an SM cannot send more than one flit per cycle.");
}

TEST(Parameters, UnknownNamesHaveNoEntry) {
  EXPECT_EQ(find_parameter("speed"), nullptr);
  ASSERT_NE(find_parameter("shaper_rate"), nullptr);
  EXPECT_EQ(find_parameter("shaper_rate")->unit, "flits/cycle");
}

}  // namespace
}  // namespace plumb::fabric
