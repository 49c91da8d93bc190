// SPDX-License-Identifier: Apache-2.0
#include "backend/replay/replay_backend.h"
#include "support.h"

namespace plumb {
namespace {

record::Recording recording() {
  record::Recording r;
  r.provenance.gpu_name = "a card";
  for (const std::int64_t bytes : {16, 32}) {
    Measurement m;
    m.point.experiment = "dsm/pair";
    m.point.axes["bytes"] = bytes;
    m.samples["start_cycles"] = {{bytes}};
    r.measurements.push_back(m);
  }
  return r;
}

TEST(Replay, GivesWhatWasRecordedForTheCase) {
  ReplayBackend backend(recording());
  Case wanted;
  wanted.experiment = "dsm/pair";
  wanted.axes["bytes"] = std::int64_t{32};
  EXPECT_EQ(backend.run(wanted).samples.at("start_cycles"), (Column{{32}}));
  EXPECT_EQ(backend.provenance().gpu_name, "a card");
}

TEST(Replay, ACaseThatWasNotRecordedIsNamed) {
  ReplayBackend backend(recording());
  Case wanted;
  wanted.experiment = "dsm/pair";
  wanted.axes["bytes"] = std::int64_t{48};
  EXPECT_EQ(test::message_of([&] { (void)backend.run(wanted); }),
            "the recording has no case 'dsm/pair bytes=48'; measure it on a card.");
}

}  // namespace
}  // namespace plumb
