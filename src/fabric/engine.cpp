// SPDX-License-Identifier: Apache-2.0
#include "fabric/engine.h"

#include <cassert>

namespace plumb::fabric {
namespace {

constexpr std::uint32_t kBypassInput = kPlanes;  // of an egress block

constexpr std::uint32_t plane_input(std::uint32_t cpc, std::uint32_t route) { return cpc * 2 + (route & 1U); }

}  // namespace

bool Engine::offer(const Packet& packet, Cycle delay) {
  const auto source = static_cast<std::uint32_t>(packet.source);
  const auto channel = static_cast<std::size_t>(packet.channel);
  const auto flits = static_cast<std::uint32_t>(packet.flits);
  std::uint32_t& held = injection_flits[source][channel];
  if (held + flits > static_cast<std::uint32_t>(p.injection_depth) || records.full()) {
    ++meters[source].offer_stalls;
    return false;
  }
  held += flits;
  meters[source].injection[channel].arrive(now, held, flits);
  const Place& to = place[static_cast<std::size_t>(packet.destination)];
  const std::uint16_t i = records.claim();
  Record& r = records[i];
  r = {.routes = routes.of(packet, to.slot),
       .address = packet.address,
       .tag = packet.tag,
       .number = ++offered,
       .offered = now,
       .steering = Flit(i, static_cast<std::uint32_t>(channel), 0, to.block, to.port,
                        static_cast<std::uint32_t>(packet.destination)),
       .flits = static_cast<std::uint8_t>(packet.flits),
       .leading = static_cast<std::uint8_t>(packet.leading_flits),
       .source = static_cast<std::uint8_t>(packet.source),
       .destination = static_cast<std::uint8_t>(packet.destination),
       .channel = packet.channel,
       .kind = packet.kind};
  emit(EventKind::offer, r, source);
  const Cycle leg = place[source].outward + delay;
  if (leg == 0) {
    records.append(injection[source][channel], i);
    waiting[channel] |= bit(source);
  } else {
    legs.add(records, now + leg, i);
  }
  return true;
}

bool Engine::take(std::uint32_t rank, std::size_t channel, Packet& packet) {
  RecordList& list = delivered[rank][channel];
  if (list.empty()) return false;
  const std::uint16_t i = records.remove_first(list);
  const Record& r = records[i];
  packet = packet_of(r);
  emit(EventKind::take, r, rank);
  untaken_flits[rank][channel] -= r.flits;
  if (untaken_flits[rank][channel] < static_cast<std::uint32_t>(p.delivery_depth))
    receives[channel] |= bit(rank);
  if (list.empty()) deliverable[channel] &= ~bit(rank);
  records.release(i);
  ++taken;
  return true;
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
          .route = static_cast<int>(r.routes & 3U)};
}

void Engine::arrivals() {
  if (!legs.due(now)) return;
  for (std::uint16_t i = legs.take(now).first; i != kNoRecord;) {
    Record& r = records[i];
    const std::uint16_t next = r.next;
    const auto channel = static_cast<std::size_t>(r.channel);
    if (r.inward) {
      records.append(delivered[r.destination][channel], i);
      deliverable[channel] |= bit(r.destination);
      latency[channel].add(now - r.offered);
      ++deliveries;
      ++meters[r.destination].packets_received;
      emit(EventKind::deliver, r, r.destination);
    } else {
      records.append(injection[r.source][channel], i);
      waiting[channel] |= bit(r.source);
    }
    legs.taken();
    i = next;
  }
}

void Engine::eject(Flit flit) {
  Record& r = records[flit.record()];
  const auto channel = static_cast<std::size_t>(r.channel);
  const std::uint32_t rank = r.destination;
  ejected |= bit(rank);
  ++ejected_flits;
  ++meters[rank].received[channel];
  emit(EventKind::eject, r, rank);
#ifndef NDEBUG
  check_order(r, flit);
#endif
  if (++r.arrived != r.flits) return;
  r.inward = true;
  untaken_flits[rank][channel] += r.flits;
  if (untaken_flits[rank][channel] >= static_cast<std::uint32_t>(p.delivery_depth))
    receives[channel] &= ~bit(rank);
  legs.add(records, now + 1 + place[rank].inward, flit.record() & 0xffffU);
}

/// GPCARB egress to the SMs. An SM's lane carries one flit per link round however fast the block is inside.
void Engine::eject_stage() {
  ejected = 0;
  const int link = link_rounds.rate() == Ratio{1, 1} ? 1 : Rounds(link_rounds).next();
  const int rounds = egress_rounds.next();
  std::uint32_t served = 0;
  for (int k = 0; k < rounds; ++k) {
    if (k < link) served = 0;
    if (link == 0) return;
    for (EgressSwitch& block : egress) {
      block.serve(
          now,
          [&](std::uint32_t, Flit f) {
            return (receives[f.channel()] & ~served & ~sender_first & bit(f.rank())) != 0;
          },
          [&](std::uint32_t, std::uint32_t, Flit f) {
            served |= bit(f.rank());
            eject(f);
          });
    }
  }
}

void Engine::plane_stage() {
  for (int rounds = plane_rounds.next(); rounds > 0; --rounds) {
    for (std::uint32_t plane = 0; plane < kPlanes; ++plane) {
      planes[plane].serve(
          now, [&](std::uint32_t block, Flit f) { return egress[block].accepts(plane, f); },
          [&](std::uint32_t, std::uint32_t block, Flit f) {
            egress[block].push(now, plane, f);
            emit(EventKind::cross, records[f.record()], block * kPlanes + plane);
          });
    }
  }
}

void Engine::ingress_stage() {
  for (int rounds = ingress_rounds.next(); rounds > 0; --rounds) {
    for (std::uint32_t cpc = 0; cpc < kCpcs; ++cpc) {
      ingress[cpc].serve(
          now,
          [&](std::uint32_t route, Flit f) {
            return planes[route >> 1U].accepts(plane_input(cpc, route), f);
          },
          [&](std::uint32_t, std::uint32_t route, Flit f) {
            planes[route >> 1U].push(now, plane_input(cpc, route), f);
            emit(EventKind::ingress, records[f.record()], cpc * kLanesPerCpc + route);
          });
    }
  }
}

/// Sends the next flit of the channel's first packet if the buffer behind the shaper has room.
bool Engine::try_send(std::uint32_t rank, std::uint32_t channel) {
  RecordList& list = injection[rank][channel];
  const std::uint16_t i = list.first;
  Record& r = records[i];
  const auto route = static_cast<std::uint32_t>(r.routes >> (2U * r.injected)) & 3U;
  const Flit flit = r.steering.routed(route);
  if (p.tpc_bypass && place[rank].partner == r.destination) {
    EgressSwitch& block = egress[flit.block()];
    if (!block.accepts(kBypassInput, flit)) return false;
    block.push(now, kBypassInput, flit);
  } else {
    IngressSwitch& arbiter = ingress[place[rank].cpc];
    if (!arbiter.accepts(place[rank].input, flit)) return false;
    arbiter.push(now, place[rank].input, flit);
  }
  emit(EventKind::inject, r, rank);
  ++injected_flits;
  RankMeters& meter = meters[rank];
  ++meter.sent[channel];
  meter.injection[channel].leave(now);
  --injection_flits[rank][channel];
  turn[rank] = static_cast<std::uint8_t>(channel);
  if (++r.injected == r.flits) {
    ++meter.packets_sent;
    turn[rank] ^= 1U;  // channels alternate per packet
    records.remove_first(list);
    if (list.empty()) waiting[channel] &= ~bit(rank);
  }
  return true;
}

void Engine::step() {
  if (quiet()) {
    link_rounds.skip(1);
    ingress_rounds.skip(1);
    plane_rounds.skip(1);
    egress_rounds.skip(1);
  } else {
    eject_stage();
    plane_stage();
    ingress_stage();
    inject_stage(*this);
  }
  ++now;
  arrivals();
#ifndef NDEBUG
  audit();
#endif
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
