// SPDX-License-Identifier: Apache-2.0
#include "cli/catalog.h"

#include <algorithm>
#include <map>

#include "record/recording.h"
#include "support.h"

namespace plumb::cli {
namespace {

TEST(Catalog, NoGlobMeansAll) { EXPECT_EQ(select({}).size(), catalog().size()); }

TEST(Catalog, AGlobChoosesByName) {
  const auto chosen = select({"dsm/p*"});
  ASSERT_FALSE(chosen.empty());
  EXPECT_TRUE(std::all_of(chosen.begin(), chosen.end(),
                          [](const Experiment& e) { return e.name.starts_with("dsm/p"); }));
}

TEST(Catalog, TwoGlobsThatOverlapChooseOnce) {
  EXPECT_EQ(select({"dsm/pair", "dsm/p*r"}).size(), select({"dsm/p*r"}).size());
}

TEST(Catalog, AGlobThatMatchesNothingIsAnErrorThatListsTheNames) {
  const std::string message = test::message_of([] { (void)select({"dsm/pear"}); });
  EXPECT_EQ(message.find("no experiment matches 'dsm/pear'; there are dsm/pair, dsm/mixed"), 0U) << message;
}

TEST(Catalog, EveryExperimentAsksAQuestionAndHasAPage) {
  for (const Experiment& e : catalog()) {
    EXPECT_EQ(e.question.back(), '?') << e.name;
    EXPECT_GT(e.seconds_a_case, 0) << e.name;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(PLUMB_SOURCE_DIR) / "docs" / "experiments" /
                                        (e.name + ".md")))
        << e.name;
  }
}

TEST(Catalog, TheShippedRunHoldsEveryCaseAsItIsNow) {
  std::map<std::string, const Work*> recorded;
  std::vector<record::Recording> shipped;
  for (const auto& path : shipped_recordings()) shipped.push_back(record::read(path));
  for (const record::Recording& r : shipped)
    for (const Measurement& m : r.measurements) recorded[id_of(m.point)] = &m.point.work;
  for (const Experiment& e : catalog()) {
    for (const Case& c : e.cases({})) {
      const auto it = recorded.find(id_of(c));
      ASSERT_NE(it, recorded.end()) << id_of(c) << ": measure again on an H200";
      EXPECT_TRUE(*it->second == c.work) << id_of(c);
    }
  }
}

}  // namespace
}  // namespace plumb::cli
