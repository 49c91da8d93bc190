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
Packet Engine::packet_of(std::uint16_t record) const {
  const Label& label = records.label(record);
  return {.source = static_cast<int>(label.source()),
          .destination = static_cast<int>(label.destination()),
          .channel = static_cast<Channel>(label.channel()),
          .kind = label.kind,
          .flits = label.flits,
          .leading_flits = label.leading,
          .address = records[record].address,
          .tag = records[record].tag,
          .route = Routes::first(records.departure(record).routes)};
}

void Engine::arrivals() {
  if (delayed.due(now)) join_delayed();
  if (outward_legs.due(now)) {
    for (std::uint64_t keys = outward_legs.take(now); keys != 0; keys &= keys - 1) {
      const std::uint32_t key = lowest(keys);
      if ((waiting[key / 32] & bit(key % 32)) == 0) next_packet(key % 32, key / 32);
    }
  }
  if (!inward_legs.due(now)) return;
  for (std::uint16_t i = inward_legs.take(now).first; i != kNoRecord;) {
    const Label& label = records.label(i);
    const std::uint16_t next = label.next;
    const std::uint32_t channel = label.channel();
    const std::uint32_t destination = label.destination();
    records.append(delivered[label.receiver], i);
    deliverable[channel] |= bit(destination);
    latency[channel].add(now - records[i].offered);
    ++deliveries;
    ++meters[destination].packets_received;
    emit(EventKind::deliver, i, destination);
    i = next;
  }
}

void Engine::join_delayed() {
  for (std::uint16_t i = delayed.take(now).first; i != kNoRecord;) {
    const std::uint16_t next = records.label(i).next;
    join(i);
    i = next;
  }
}

/// Puts packets whose last flit is in on their inward leg.
void Engine::finish(std::span<const std::uint16_t> complete) {
  for (const std::uint16_t record : complete) {
    const Label& label = records.label(record);
    const std::uint32_t destination = label.destination();
    std::uint32_t& untaken = untaken_flits[label.receiver];
    untaken += label.flits;
    if (untaken >= static_cast<std::uint32_t>(p.delivery_depth))
      receives[label.channel()] &= ~bit(destination);
    inward_legs.add(records, now + 1 + place[destination].inward, record);
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
  std::int64_t left = 0;
  const auto any_flit = [](Flit) { return true; };
  const auto deliver = [&](std::uint32_t, Flit flit) {
    const std::uint32_t record = flit.record();
    if (!Usual) ejected |= bit(flit.rank());
    ++received[flit.rank_key()];
    emit<Usual>(EventKind::eject, record, flit.rank());
#ifndef NDEBUG
    check_order(flit);
#endif
    ++left;
    complete[count] = static_cast<std::uint16_t>(record);
    count += --records.label(record).missing == 0 ? 1U : 0U;
  };
  for (int k = 0; k < rounds; ++k) {
    if (k < link) ejected = 0;
    const std::uint32_t closed = Usual ? 0 : ejected | sender_first;
    const std::array<std::uint32_t, kChannels> takes{receives[0] & ~closed, receives[1] & ~closed};
    count = 0;
    if (Usual && (takes[0] & takes[1]) == bit(ranks) - 1) {
      egress.serve<true>([](std::uint32_t) { return kAllPorts; }, any_flit, deliver);
    } else {
      egress.serve<Usual>(
          [&](std::uint32_t lane) {
            const std::uint32_t rank = lane_rank[lane];
            return ports_of(takes[0] >> rank, takes[1] >> rank);
          },
          any_flit, deliver);
    }
    finish(std::span(complete).first(count));
  }
  inside -= left;
}

template <bool Usual>
void Engine::plane_stage() {
  const bool pooled = Usual || egress.pooled();
  for (int rounds = plane_rounds.next(); rounds > 0; --rounds) {
    // A pool is fed by one lane alone, so what has room at the start of a round still has when its lane
    // comes.
    const std::uint64_t pools = egress.roomy();
    planes.serve<Usual>(
        [&](std::uint32_t lane) {  // block * 2 + plane: its two ports in egress are neighbours
          return pooled ? kPorts[(pools >> pool_port[lane]) & 3U] : kAllPorts;
        },
        [&](Flit f) { return pooled || egress.accepts(f); },
        [&](std::uint32_t lane, Flit f) {
          egress.push<Usual>(f);
          emit<Usual>(EventKind::cross, f.record(), lane);
        });
  }
}

template <bool Usual>
void Engine::ingress_stage() {
  const bool pooled = Usual || planes.pooled();
  for (int rounds = ingress_rounds.next(); rounds > 0; --rounds) {
    // As in plane_stage().
    const std::uint64_t pools = planes.roomy();
    ingress.serve<Usual>(
        [&](std::uint32_t lane) {  // route * 3 + cpc: the plane's input has two ports
          return pooled ? kPorts[(pools >> input_port[lane]) & 3U] : kAllPorts;
        },
        [&](Flit f) { return pooled || planes.accepts(f); },
        [&](std::uint32_t lane, Flit f) {
          planes.push<Usual>(f);
          roomy |= std::uint64_t{1} << f.source_key();
          emit<Usual>(EventKind::ingress, f.record(), lane % kCpcs * kLanesPerCpc + lane / kCpcs);
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

/// Makes the first packet of an injection queue the one that is sent, or waits for it.
void Engine::next_packet(std::uint32_t rank, std::uint32_t channel) {
  Sender& sender = senders[rank][channel];
  waiting[channel] &= ~bit(rank);
  if (sender.packets.empty()) return;
  const std::uint16_t first = sender.packets.first;
  const Departure& departure = records.departure(first);
  if (departure.ready > now) {
    outward_legs.add(departure.ready, Flit::key(rank, channel));
    return;
  }
  const Label& label = records.label(first);
  sender.routes = departure.routes;
  sender.steering = Flit(first, leaves[label.sender] + enters[label.receiver]);
  sender.left = label.flits;
  waiting[channel] |= bit(rank);
  if (!p.tpc_bypass) return;
  // Past the two arbiters a flit has no route.
  sender.bypass = place[rank].partner == label.destination();
  if (sender.bypass)
    sender.steering = sender.steering.plus(Flit::step(0, {0, 0, EgressSwitch::queue(0, kPlanes, 0, 0)}));
}

void Engine::step() {
  if (quiet()) {
    link_rounds.skip(1);
    ingress_rounds.skip(1);
    plane_rounds.skip(1);
    egress_rounds.skip(1);
  } else {
    usual && !events.on() ? run_stages<true>() : run_stages<false>();
    ingress.tick();
    planes.tick();
    egress.tick();
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
  for (Cycle at = delayed.next(now); at < to; at = delayed.next(now)) {
    now = at;
    join_delayed();
  }
  now = to;
  arrivals();
}

}  // namespace plumb::fabric
