// SPDX-License-Identifier: Apache-2.0
#include "trace/flow_meter.h"

#include "fabric/endpoint/tag.h"
#include "plumb/fabric/simulation.h"
#include "support.h"

namespace plumb::trace {
namespace {

using fabric::Event;
using fabric::EventKind;
using fabric::PacketKind;

Event event(fabric::Cycle cycle, EventKind what, std::uint64_t packet, std::int64_t bytes,
            PacketKind kind = PacketKind::long_write) {
  return {.cycle = cycle,
          .packet = packet,
          .tag = fabric::Tag{.flow = 0, .bytes = bytes}.pack(),
          .what = what,
          .kind = kind,
          .source = 0,
          .destination = 1};
}

const Traffic kFlow{.ranks = 2, .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 512}}};

// Four packets of 128 bytes arrive at cycles 20, 28, 36 and 48. A quarter (128) is there at 20 and three
// quarters (384) at 36: 256 bytes in 16 cycles.
TEST(FlowMeter, SteadyIsTheRateOverTheMiddleHalf) {
  FlowMeter meter(kFlow);
  std::vector<Event> events;
  const fabric::Cycle arrivals[] = {20, 28, 36, 48};
  for (std::uint64_t i = 0; i < 4; ++i)
    events.push_back(event(3 + static_cast<int>(i), EventKind::offer, i, 128));
  for (std::uint64_t i = 0; i < 4; ++i) events.push_back(event(arrivals[i], EventKind::deliver, i, 128));
  events.push_back(event(60, EventKind::offer, 4, 512, PacketKind::ack));
  events.push_back(event(90, EventKind::deliver, 4, 512, PacketKind::ack));
  meter.on(events);
  EXPECT_DOUBLE_EQ(meter.flows().at(0).steady, 16.0);
  EXPECT_EQ(meter.flows().at(0).first, 3);
  EXPECT_EQ(meter.flows().at(0).last, 48) << "the acknowledgment carries no payload";
  EXPECT_EQ(meter.latency_from().at(0).count(), 5U);
  EXPECT_EQ(meter.latency_from().at(0).largest(), 48 - 6);
}

TEST(FlowMeter, APayloadOfOnePacketHasNoSteadyRate) {
  FlowMeter meter({.ranks = 2, .flows = {{.source = 0, .destination = 1, .op = Op::put, .bytes = 128}}});
  meter.on(std::vector<Event>{event(3, EventKind::offer, 0, 128), event(9, EventKind::deliver, 0, 128)});
  EXPECT_EQ(meter.flows().at(0).steady, 0.0);
}

// The shaper lets two of three flits go: 2/3 x 32 bytes a cycle. 64 KiB are 512 packets of 128 bytes.
TEST(FlowMeter, ASingleStoreRunsAtTwoThirdsOfALane) {
  Traffic traffic = kFlow;
  traffic.flows[0].op = Op::store;
  traffic.flows[0].bytes = 65536;
  FlowMeter meter(traffic);
  (void)fabric::simulate(traffic, {}, fabric::Topology::h200(2), {.observer = &meter});
  EXPECT_NEAR(meter.flows().at(0).steady, 64.0 / 3, 0.1);
  EXPECT_EQ(meter.latency_from().at(0).count(), 512U);
}

}  // namespace
}  // namespace plumb::trace
