// SPDX-License-Identifier: Apache-2.0
#include "fabric/inject.h"

#include <array>

#include "fabric/shaper/bucket.h"
#include "fabric/shaper/hard.h"
#include "fabric/shaper/none.h"
#include "fabric/shaper/share.h"
#include "fabric/shaper/tdm.h"

namespace plumb::fabric {
namespace {

/// What a route adds to a flit's steering: the ingress lane, the plane and its input, the egress lane.
constexpr std::uint64_t route_step(std::uint32_t route) {
  const std::uint32_t plane = route >> 1U;
  return Flit::step(route, {IngressSwitch::queue(0, 0, 0, route), PlaneSwitch::queue(plane, route & 1U, 0, 0),
                            EgressSwitch::queue(0, plane, 0, 0)});
}
constexpr std::array kRouteSteps{route_step(0), route_step(1), route_step(2), route_step(3)};

/// The next flit of the packet that a rank is sending.
template <bool Usual>
Flit next_flit(const Engine::Cursor& cursor) {
  // Past the two arbiters a bypassing flit has no route.
  return !Usual && cursor.bypass ? cursor.steering : cursor.steering.plus(kRouteSteps[cursor.routes & 3U]);
}

/// Ranks whose next flit on a channel has room behind the shaper.
template <bool Usual>
std::uint32_t ready(const Engine& n, std::uint32_t channel) {
  const std::uint32_t waiting = n.waiting[channel];
  if (Usual || (n.ingress.pooled() && !n.p.tpc_bypass))
    return waiting & static_cast<std::uint32_t>(n.roomy >> (channel * 32));
  std::uint32_t mask = 0;
  for_each_bit(waiting, [&](std::uint32_t rank) {
    const Engine::Cursor& cursor = n.sending[rank][channel];
    const Flit flit = next_flit<false>(cursor);
    if (cursor.bypass ? n.egress.accepts(flit) : n.ingress.accepts(flit)) mask |= bit(rank);
  });
  return mask;
}

/// Returns whether it was the last flit of its packet.
template <bool Usual>
bool send(Engine& n, std::uint32_t rank, std::uint32_t channel) {
  Engine::Cursor& cursor = n.sending[rank][channel];
  const Flit flit = next_flit<Usual>(cursor);
  if (!Usual && cursor.bypass) {
    n.egress.push(n.now, flit);
  } else {
    const bool full = !n.ingress.push<Usual>(n.now, flit);
    n.roomy &= ~(std::uint64_t{full} << flit.source_key());
  }
  n.emit<Usual>(EventKind::inject, flit, rank);
  ++n.meters[rank].sent[channel];
  const std::uint32_t held = n.injection_flits[rank][channel].leave(n.now);
  n.reopened |= static_cast<std::uint32_t>(held == n.reopen_level[rank][channel]) << rank;
  cursor.routes >>= 2U;
  return --cursor.left == 0;
}

/// SM injection: in each slot of its lane a rank sends one flit, if its shaper and the buffer allow it. The
/// two channels take turns packet by packet; a channel without room lets the other go first. Who sends what
/// is decided for all ranks at once in masks, since none of it can be predicted rank by rank.
template <Shaper Kind, bool Usual>
void inject(Engine& n) {
  using Policy = ShaperPolicy<Kind>;
  std::int64_t slot = n.link_rounds.total();
  std::uint32_t shaped = 0;
  std::uint32_t no_room = 0;
  std::uint32_t port_busy = 0;
  for (int rounds = n.link_rounds.next(); rounds > 0; --rounds, ++slot) {
    const std::uint32_t waiting = n.waiting[0] | n.waiting[1];
    std::uint32_t allowed = 0;
    for (std::uint32_t rank = 0; rank < n.ranks; ++rank)
      allowed |= static_cast<std::uint32_t>(Policy::allows(n.shaper, rank, slot)) << rank;
    const std::uint32_t busy = !Usual && n.half_duplex ? n.ejected : 0;
    const std::uint32_t requests = ready<Usual>(n, 0);
    const std::uint32_t responses = ready<Usual>(n, 1);
    shaped |= waiting & ~allowed;
    port_busy |= waiting & allowed & busy;
    no_room |= waiting & allowed & ~busy & ~(requests | responses);
    const std::uint32_t second = responses & (n.turn | ~requests);  // ranks that send a response
    std::array<std::uint32_t, kChannels> last{};
    for_each_bit((requests | responses) & allowed & ~busy, [&](std::uint32_t rank) {
      // Where two SMs share an account, the first may have used it up.
      if (Kind == Shaper::share && !Policy::allows(n.shaper, rank, slot)) return;
      const std::uint32_t channel = (second >> rank) & 1U;
      last[channel] |= static_cast<std::uint32_t>(send<Usual>(n, rank, channel)) << rank;
      n.turn = (n.turn & ~bit(rank)) | channel << rank;
      Policy::granted(n.shaper, rank, slot);
    });
    n.turn ^= last[0] | last[1];
    for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
      for_each_bit(last[channel], [&](std::uint32_t rank) {
        ++n.meters[rank].packets_sent;
        n.records.remove_first(n.injection[rank][channel]);
        n.next_packet(rank, channel);
      });
    }
  }
  n.sender_first = port_busy;
  n.shaper_stalls.add(shaped);
  n.ingress_stalls.add(no_room);
  n.port_stalls.add(port_busy);
}

template <Shaper Kind>
Cycle spread(ShaperState state, std::uint32_t rank, int flits) {
  using Policy = ShaperPolicy<Kind>;
  state.due = {};
  std::int64_t slot = 0;
  for (int sent = 0;; ++slot) {
    if (!Policy::allows(state, rank, slot)) continue;
    Policy::granted(state, rank, slot);
    if (++sent == flits) return slot;
  }
}

}  // namespace

InjectVariant inject_variant(Shaper kind) {
#define PLUMB_FABRIC_ENTRY(name, text) \
  InjectVariant{{&inject<Shaper::name, false>, &inject<Shaper::name, true>}, &spread<Shaper::name>},
  static constexpr std::array kVariants{PLUMB_FABRIC_SHAPERS(PLUMB_FABRIC_ENTRY)};
#undef PLUMB_FABRIC_ENTRY
  return kVariants[static_cast<std::size_t>(kind)];
}

}  // namespace plumb::fabric
