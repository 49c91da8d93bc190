// SPDX-License-Identifier: Apache-2.0
#include "dsm/experiments.h"

#include <set>

#include "dsm/schedule.h"
#include "support.h"

namespace plumb::dsm {
namespace {

TEST(Experiments, EveryCaseIsLegalOnACardAndHasAnIdentityOfItsOwn) {
  std::set<std::string> ids;
  for (const Experiment& e : experiments()) {
    for (const Case& c : e.cases({})) {
      EXPECT_EQ(c.experiment, e.name);
      EXPECT_TRUE(ids.insert(id_of(c)).second) << id_of(c);
      if (const auto* probe = std::get_if<Probe>(&c.work)) {
        EXPECT_NO_THROW(validate(*probe)) << id_of(c);
        EXPECT_GE(c.samples * probe->links, 500) << id_of(c);
        continue;
      }
      EXPECT_NO_THROW((void)schedule(traffic_of(c))) << id_of(c);
      EXPECT_GE(c.samples, 30);
    }
  }
  EXPECT_GT(ids.size(), 200U);
}

TEST(Experiments, AQuickLookIsAPartOfTheFullRun) {
  for (const Experiment& e : experiments()) {
    std::set<std::string> full;
    for (const Case& c : e.cases({})) full.insert(id_of(c));
    const auto quick = e.cases({.quick = true});
    EXPECT_LE(quick.size(), full.size());
    for (const Case& c : quick) {
      EXPECT_TRUE(full.contains(id_of(c))) << id_of(c);
      EXPECT_LT(c.samples, 30) << id_of(c);
    }
  }
}

TEST(Experiments, MixedDirectionsAreThoseOfTheWires) {
  for (const Case& c : mixed().cases({})) {
    const Flow& read = traffic_of(c).flows[0];
    const Flow& second = traffic_of(c).flows[1];
    EXPECT_EQ(read.op, Op::load);
    EXPECT_EQ(issuer(read), 0) << "rank 0 reads rank 1";
    EXPECT_EQ(second.source == read.source, axis(c, "direction") == "same") << id_of(c);
  }
}

}  // namespace
}  // namespace plumb::dsm
