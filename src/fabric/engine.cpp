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
    reopen_level[source][channel] = static_cast<std::uint32_t>(p.injection_depth) - flits;
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
    queue_for_injection(i);
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
      queue_for_injection(i);
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
    const std::uint32_t closed = served | sender_first;
    egress.serve(
        now,
        [&](std::uint32_t, std::uint32_t, Flit f) {
          return (receives[f.channel()] & ~closed & bit(f.rank())) != 0;
        },
        [&](std::uint32_t, std::uint32_t, Flit f) {
          served |= bit(f.rank());
          eject(f);
        });
  }
}

void Engine::plane_stage() {
  for (int rounds = plane_rounds.next(); rounds > 0; --rounds) {
    planes.serve(
        now,
        [&](std::uint32_t plane, std::uint32_t block, Flit f) { return egress.accepts(block, plane, f); },
        [&](std::uint32_t plane, std::uint32_t block, Flit f) {
          egress.push(now, block, plane, f);
          emit(EventKind::cross, records[f.record()], block * kPlanes + plane);
        });
  }
}

void Engine::ingress_stage() {
  for (int rounds = ingress_rounds.next(); rounds > 0; --rounds) {
    ingress.serve(
        now,
        [&](std::uint32_t cpc, std::uint32_t route, Flit f) {
          return planes.accepts(route >> 1U, plane_input(cpc, route), f);
        },
        [&](std::uint32_t cpc, std::uint32_t route, Flit f) {
          planes.push(now, route >> 1U, plane_input(cpc, route), f);
          emit(EventKind::ingress, records[f.record()], cpc * kLanesPerCpc + route);
        });
  }
}

void Engine::queue_for_injection(std::uint16_t record) {
  const Record& r = records[record];
  const auto channel = static_cast<std::size_t>(r.channel);
  records.append(injection[r.source][channel], record);
  if ((waiting[channel] & bit(r.source)) == 0) next_packet(r.source, channel);
}

/// Makes the first packet of an injection queue the one that is sent.
void Engine::next_packet(std::uint32_t rank, std::size_t channel) {
  const RecordList& list = injection[rank][channel];
  if (list.empty()) {
    waiting[channel] &= ~bit(rank);
    return;
  }
  const Record& r = records[list.first];
  sending[rank][channel] = {.routes = r.routes, .steering = r.steering, .left = r.flits};
  waiting[channel] |= bit(rank);
}

/// Sends the next flit of a channel's packet if the buffer behind the shaper has room.
bool Engine::try_send(std::uint32_t rank, std::uint32_t channel) {
  Cursor& cursor = sending[rank][channel];
  const Flit flit = cursor.steering.routed(static_cast<std::uint32_t>(cursor.routes) & 3U);
  const Place& from = place[rank];
  if (p.tpc_bypass && from.partner == flit.rank()) {
    if (!egress.accepts(flit.block(), kBypassInput, flit)) return false;
    egress.push(now, flit.block(), kBypassInput, flit);
  } else {
    if (!ingress.accepts(from.cpc, from.input, flit)) return false;
    ingress.push(now, from.cpc, from.input, flit);
  }
  emit(EventKind::inject, records[flit.record()], rank);
  RankMeters& meter = meters[rank];
  ++meter.sent[channel];
  meter.injection[channel].leave(now);
  if (--injection_flits[rank][channel] == reopen_level[rank][channel]) {
    reopen_level[rank][channel] = kNoLevel;
    reopened |= bit(rank);
  }
  cursor.routes >>= 2U;
  const bool last = --cursor.left == 0;
  turn[rank] = static_cast<std::uint8_t>(channel ^ static_cast<std::uint32_t>(last));  // alternate per packet
  if (last) {
    ++meter.packets_sent;
    records.remove_first(injection[rank][channel]);
    next_packet(rank, channel);
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
