// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "plumb/fabric/packet.h"

namespace plumb::fabric {

enum class EventKind : std::uint8_t {
  offer,    ///< a packet entered an SM's outward leg; `unit` is the rank
  inject,   ///< a flit passed the shaper into GPCARB ingress; `unit` is the rank
  ingress,  ///< a flit took an ingress lane into a plane; `unit` is cpc * 4 + route
  cross,    ///< a flit crossed a plane into an egress block; `unit` is block * 2 + plane
  eject,    ///< a flit left its egress block; `unit` is the rank
  deliver,  ///< the whole packet is ready to be taken; `unit` is the rank
  take,     ///< the endpoint took it; `unit` is the rank
};

struct Event {
  Cycle cycle = 0;
  std::uint64_t packet = 0;  ///< number of the packet, counted over the run
  std::uint64_t tag = 0;     ///< as offered: pairs a request with its response where the endpoints say so
  EventKind what = EventKind::offer;
  PacketKind kind = PacketKind::short_write;
  Channel channel = Channel::request;
  std::uint8_t unit = 0;
  std::uint8_t source = 0;
  std::uint8_t destination = 0;
  std::uint8_t flits = 0;  ///< of the packet
};

/// Told what happens, in the order in which it happens, in batches of up to a few thousand events.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  virtual void on(std::span<const Event> events) = 0;
};

}  // namespace plumb::fabric
