// SPDX-License-Identifier: Apache-2.0
#include "fabric/engine.h"

#include <cassert>

namespace plumb::fabric {
namespace {

/// All ports of the request channel where bit 0 of `request` is set, and of the response channel likewise.
constexpr std::uint64_t ports_of(std::uint64_t request, std::uint64_t response) {
  return ((0 - (request & 1U)) & 0x5555'5555'5555'5555U) | ((0 - (response & 1U)) & 0xaaaa'aaaa'aaaa'aaaaU);
}
constexpr std::uint64_t kAllPorts = ports_of(1, 1);
constexpr std::array kPorts{ports_of(0, 0), ports_of(1, 0), ports_of(0, 1), ports_of(1, 1)};

}  // namespace
void Engine::accept(const Packet& packet, Cycle delay) {
  const auto source = static_cast<std::uint32_t>(packet.source);
  Sender& sender = senders[source][static_cast<std::size_t>(packet.channel)];
  sender.reopen_level = Sender::kNoLevel;
  sender.filling.arrive(now, static_cast<std::uint32_t>(packet.flits));
  const Place& to = place[static_cast<std::size_t>(packet.destination)];
  const std::uint16_t i = records.claim();
  Record& r = records[i];
  // Member by member: a whole record put together on the stack would be read back before it is written.
  r.routes = routes.of(packet, to.slot);
  r.address = packet.address;
  r.tag = packet.tag;
  r.number = ++offered;
  r.offered = now;
  r.steering = steering(i, packet);
  r.flits = static_cast<std::uint8_t>(packet.flits);
  r.arrived = 0;
  r.leading = static_cast<std::uint8_t>(packet.leading_flits);
  r.source = static_cast<std::uint8_t>(packet.source);
  r.destination = static_cast<std::uint8_t>(packet.destination);
  r.channel = packet.channel;
  r.kind = packet.kind;
  emit(EventKind::offer, r.steering, source);
  const Cycle leg = place[source].outward + delay;
  if (leg == 0) {
    queue_for_injection(i);
  } else {
    outward_legs.add(records, now + leg, i);
  }
}

Packet Engine::packet_of(const Record& r) const {
  return {.source = r.source,
          .destination = r.destination,
          .channel = r.channel,
          .kind = r.kind,
          .flits = r.flits,
          .leading_flits = r.leading,
          .address = r.address,
          .tag = r.tag,
          .route = r.first_route()};
}

void Engine::arrivals() {
  if (outward_legs.due(now)) {
    for (std::uint16_t i = outward_legs.take(now).first; i != kNoRecord;) {
      const std::uint16_t next = records[i].next;
      queue_for_injection(i);
      outward_legs.taken();
      i = next;
    }
  }
  if (!inward_legs.due(now)) return;
  for (std::uint16_t i = inward_legs.take(now).first; i != kNoRecord;) {
    Record& r = records[i];
    const std::uint16_t next = r.next;
    const auto channel = static_cast<std::size_t>(r.channel);
    records.append(delivered[r.destination][channel], i);
    deliverable[channel] |= bit(r.destination);
    latency[channel].add(now - r.offered);
    ++deliveries;
    ++meters[r.destination].packets_received;
    emit(EventKind::deliver, r.steering, r.destination);
    inward_legs.taken();
    i = next;
  }
}

/// Puts packets whose last flit is in on their inward leg.
void Engine::finish(std::span<const std::uint16_t> complete) {
  for (const std::uint16_t record : complete) {
    Record& r = records[record];
    const auto channel = static_cast<std::size_t>(r.channel);
    std::uint32_t& untaken = untaken_flits[r.destination][channel];
    untaken += r.flits;
    if (untaken >= static_cast<std::uint32_t>(p.delivery_depth)) receives[channel] &= ~bit(r.destination);
    inward_legs.add(records, now + 1 + place[r.destination].inward, record);
  }
}

/// GPCARB egress to the SMs. An SM's lane carries one flit per link round however fast the block is inside.
template <bool Usual>
void Engine::eject_stage() {
  ejected = 0;
  const int link = Rounds(link_rounds).next();
  const int rounds = link == 0 ? (egress_rounds.next(), 0) : egress_rounds.next();
  // Which flit is the last of its packet nobody can predict, so those are gathered and handled together.
  std::array<std::uint16_t, kMaxSms> complete;
  std::size_t count = 0;
  const auto any_flit = [](Flit) { return true; };
  const auto deliver = [&](std::uint32_t, Flit flit) {
    const std::uint32_t record = flit.record();
    Record& r = records[record];
    if (!Usual) ejected |= bit(flit.rank());
    ++received[flit.rank_key()];
    emit<Usual>(EventKind::eject, flit, flit.rank());
#ifndef NDEBUG
    check_order(r, flit);
#endif
    complete[count] = static_cast<std::uint16_t>(record);
    count += ++r.arrived == r.flits ? 1U : 0U;
  };
  for (int k = 0; k < rounds; ++k) {
    if (k < link) ejected = 0;
    const std::uint32_t closed = Usual ? 0 : ejected | sender_first;
    const std::array<std::uint32_t, kChannels> takes{receives[0] & ~closed, receives[1] & ~closed};
    count = 0;
    if (Usual && (takes[0] & takes[1]) == bit(ranks) - 1) {
      egress.serve<true>(
          now, [](std::uint32_t) { return kAllPorts; }, any_flit, deliver);
    } else {
      egress.serve<Usual>(
          now,
          [&](std::uint32_t lane) {
            const std::uint32_t rank = lane_rank[lane];
            return ports_of(takes[0] >> rank, takes[1] >> rank);
          },
          any_flit, deliver);
    }
    finish(std::span(complete).first(count));
  }
}

template <bool Usual>
void Engine::plane_stage() {
  const bool pooled = Usual || egress.pooled();
  for (int rounds = plane_rounds.next(); rounds > 0; --rounds) {
    // A pool is fed by one lane alone, so what has room at the start of a round still has when its lane
    // comes.
    const std::uint64_t pools = egress.roomy();
    planes.serve<Usual>(
        now,
        [&](std::uint32_t lane) {  // block * 2 + plane: its two ports in egress are neighbours
          return pooled ? kPorts[(pools >> pool_port[lane]) & 3U] : kAllPorts;
        },
        [&](Flit f) { return pooled || egress.accepts(f); },
        [&](std::uint32_t lane, Flit f) {
          egress.push<Usual>(now, f);
          emit<Usual>(EventKind::cross, f, lane);
        });
  }
}

template <bool Usual>
void Engine::ingress_stage() {
  for (int rounds = ingress_rounds.next(); rounds > 0; --rounds) {
    ingress.serve<Usual>(
        now, [](std::uint32_t) { return kAllPorts; }, [&](Flit f) { return planes.accepts<Usual>(f); },
        [&](std::uint32_t lane, Flit f) {
          planes.push<Usual>(now, f);
          roomy |= std::uint64_t{1} << f.source_key();
          emit<Usual>(EventKind::ingress, f, lane % kCpcs * kLanesPerCpc + lane / kCpcs);
        });
  }
}

template <bool Usual>
void Engine::run_stages() {
  eject_stage<Usual>();
  plane_stage<Usual>();
  ingress_stage<Usual>();
  (Usual ? inject_stages.usual : inject_stages.any)(*this);
}

/// A packet's flits without a route: the queues that they will wait in if the route is 0.
Flit Engine::steering(std::uint16_t record, const Packet& packet) const {
  const auto channel = static_cast<std::size_t>(packet.channel);
  const auto source = static_cast<std::uint32_t>(packet.source);
  const auto rank = static_cast<std::uint32_t>(packet.destination);
  const Flit flit = Flit(record, source, rank, static_cast<std::uint32_t>(channel))
                        .plus(place[source].leaves[channel] + place[rank].enters[channel]);
  if (!p.tpc_bypass || place[source].partner != rank) return flit;
  return flit.plus(Flit::step(0, {0, 0, EgressSwitch::queue(0, kPlanes, 0, 0)}));
}

void Engine::queue_for_injection(std::uint16_t record) {
#ifndef NDEBUG
  records[record].order = ++joined;
#endif
  const Record& r = records[record];
  const auto channel = static_cast<std::size_t>(r.channel);
  records.append(senders[r.source][channel].packets, record);
  if ((waiting[channel] & bit(r.source)) == 0) next_packet(r.source, channel);
}

/// Makes the first packet of an injection queue the one that is sent.
void Engine::next_packet(std::uint32_t rank, std::size_t channel) {
  Sender& sender = senders[rank][channel];
  if (sender.packets.empty()) {
    waiting[channel] &= ~bit(rank);
    return;
  }
  const Record& r = records[sender.packets.first];
  sender.routes = r.routes;
  sender.steering = r.steering;
  sender.left = r.flits;
  sender.bypass = p.tpc_bypass && place[rank].partner == r.destination;
  waiting[channel] |= bit(rank);
}

void Engine::step() {
  if (quiet()) {
    link_rounds.skip(1);
    ingress_rounds.skip(1);
    plane_rounds.skip(1);
    egress_rounds.skip(1);
  } else {
    usual && !events.on() ? run_stages<true>() : run_stages<false>();
  }
  ++now;
  arrivals();
#ifndef NDEBUG
  audit();
#endif
}

bool Engine::step_until(Cycle until) {
  const std::uint64_t before = deliveries;
  while (now < until && deliveries == before) {
    if (quiet()) {
      jump(std::min(until, next_arrival()));
    } else {
      step();
    }
  }
  return deliveries != before;
}

/// As many steps in which nothing can move.
void Engine::jump(Cycle to) {
  assert(quiet());
  const Cycle cycles = to - now;
  link_rounds.skip(cycles);
  ingress_rounds.skip(cycles);
  plane_rounds.skip(cycles);
  egress_rounds.skip(cycles);
  skipped += cycles;
  now = to;
  arrivals();
}

}  // namespace plumb::fabric
