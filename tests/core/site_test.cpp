// SPDX-License-Identifier: Apache-2.0
#include "core/site.h"

#include "support.h"

namespace plumb {
namespace {

std::string refusal(const Site& site) {
  return test::message_of([&] { validate(site); });
}

TEST(Site, WhatCannotBeIsRefusedByName) {
  EXPECT_NO_THROW(validate(Site{}));
  EXPECT_EQ(refusal({.clusters = -1}), "clusters = -1: give 1 or more, or 0 for as many as fit.");
  EXPECT_EQ(refusal({.gpc = -2}), "gpc = -2: GPCs are counted from 0; -1 is any.");
  EXPECT_EQ(refusal({.clusters = 0, .gpc = 3}),
            "gpc = 3 with clusters = 0: a chosen GPC holds one working cluster.");
  EXPECT_EQ(refusal({.heat_ms = 1001}), "heat_ms = 1001: allowed is 0 to 1000 milliseconds.");
}

TEST(Site, PoliciesHaveTheNamesThatCudaUses) {
  for (const Policy policy : {Policy::standard, Policy::spread, Policy::balanced})
    EXPECT_EQ(policy_from(name_of(policy)), policy);
  EXPECT_EQ(test::message_of([] { (void)policy_from("packed"); }),
            "unknown scheduling policy 'packed'; allowed are default, spread, load-balancing.");
}

}  // namespace
}  // namespace plumb
