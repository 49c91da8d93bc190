// SPDX-License-Identifier: Apache-2.0
// Values from docs/experiments/dsm/forms.md, where the rules were found; flits counted by hand.
#include "dsm/access_model.h"

#include <gtest/gtest.h>

namespace plumb::dsm {
namespace {

/// Legal: it moves one window.
AccessModel of(Access a) {
  a.bytes = window(a);
  return access_model(a);
}
double cycles(const Access& a) { return of(a).cycles.value().value; }

TEST(AccessModel, LoadsAreAnsweredBySector) {
  EXPECT_NEAR(cycles({.target = Target::peer, .width = 4}), 6.0, 1e-9);
  EXPECT_NEAR(cycles({.target = Target::peer, .width = 16}), 24.0, 1e-9);
  EXPECT_NEAR(cycles({.target = Target::peer, .lanes = Lanes::strided, .stride = 8, .width = 4}), 48.0, 1e-9);
  EXPECT_NEAR(cycles({.target = Target::peer, .lanes = Lanes::shuffled_4k, .width = 4}), 43.44, 0.01);
}

TEST(AccessModel, StoresGoByGranuleUnlessTheyFill64Bytes) {
  const auto store = [](int stride, int run) {
    return cycles({.form = Form::store,
                   .target = Target::peer,
                   .lanes = stride == 1 ? Lanes::coalesced : Lanes::strided,
                   .stride = stride,
                   .run = run,
                   .width = 4});
  };
  EXPECT_NEAR(store(1, 1), 6.0, 1e-9);
  EXPECT_NEAR(store(2, 1), 24.0, 1e-9);
  EXPECT_NEAR(store(4, 1), 48.0, 1e-9) << "a word in each granule";
  EXPECT_NEAR(store(32, 4), 12.0, 1e-9) << "8 runs of 16 bytes";
  EXPECT_NEAR(store(32, 8), 12.0, 1e-9) << "4 runs of 32 bytes are 8 granules";
  EXPECT_NEAR(store(32, 16), 6.0, 1e-9) << "2 runs of 64 bytes are 4 flits";
}

TEST(AccessModel, AddsCarryAFifthFlit) {
  EXPECT_NEAR(cycles({.form = Form::async_red, .target = Target::peer, .width = 4}), 7.5, 1e-9);
  EXPECT_NEAR(cycles({.form = Form::red, .target = Target::peer, .width = 8}), 15.0, 1e-9);
  EXPECT_NEAR(cycles({.form = Form::async_red,
                      .target = Target::peer,
                      .lanes = Lanes::strided,
                      .stride = 32,
                      .width = 4}),
              48.0, 1e-9);
}

TEST(AccessModel, AThreadSetsUpABulkCopyIn93Cycles) {
  const auto bulk = [](int width, int warps) {
    return cycles({.form = Form::bulk, .target = Target::peer, .width = width, .warps = warps});
  };
  EXPECT_NEAR(bulk(64, 1), 93.0, 1e-9);
  EXPECT_NEAR(bulk(4096, 1), 192.0, 1e-9);
  EXPECT_NEAR(bulk(256, 16), 12.0, 1e-9) << "16 threads fill the way";
}

TEST(AccessModel, FewLoadsInFlightAreTheLimit) {
  EXPECT_NEAR(cycles({.target = Target::peer, .warps = 1, .in_flight = 1}), 266.0, 1e-9);
}

TEST(AccessModel, SaysWhatItSaysNothingOf) {
  EXPECT_EQ(of({}).text, "it stays in the SM");
  EXPECT_EQ(of({.target = Target::own}).text, "it stays in the SM");
  EXPECT_TRUE(of({.form = Form::async_store, .target = Target::own}).cycles);
  EXPECT_FALSE(of({.target = Target::peer, .lanes = Lanes::broadcast, .width = 4}).cycles);
  EXPECT_EQ(
      access_model(
          {.form = Form::red, .target = Target::peer, .lanes = Lanes::strided, .stride = 32, .width = 4})
          .text,
      "plain adds to scattered words have two modes");
}

}  // namespace
}  // namespace plumb::dsm
