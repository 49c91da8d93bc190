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
Flit next_flit(const Engine::Sender& sender) {
  // Past the two arbiters a bypassing flit has no route.
  return !Usual && sender.bypass ? sender.steering : sender.steering.plus(kRouteSteps[sender.routes & 3U]);
}

/// Three TPCs bypass into one block, and whoever came first in a slot may have filled its buffer.
bool bypass_is_full(const Engine::Sender& sender, const EgressSwitch& egress) {
  return sender.bypass && !egress.accepts(sender.steering);
}

/// Ranks whose next flit on a channel has room behind the shaper.
template <bool Usual>
std::uint32_t ready(const Engine& n, std::uint32_t channel) {
  const std::uint32_t waiting = n.waiting[channel];
  if (Usual || (n.ingress.pooled() && !n.p.tpc_bypass))
    return waiting & static_cast<std::uint32_t>(n.roomy >> (channel * 32));
  std::uint32_t mask = 0;
  for_each_bit(waiting, [&](std::uint32_t rank) {
    const Engine::Sender& sender = n.senders[rank][channel];
    const Flit flit = next_flit<false>(sender);
    if (sender.bypass ? n.egress.accepts(flit) : n.ingress.accepts(flit)) mask |= bit(rank);
  });
  return mask;
}

template <Shaper Kind>
std::uint32_t allowed_ranks(const Engine& n) {
  using Policy = ShaperPolicy<Kind>;
  if constexpr (requires { Policy::allowed(n.shaper); }) {
    return static_cast<std::uint32_t>(Policy::allowed(n.shaper));
  } else {
    std::uint32_t mask = 0;
    for (std::uint32_t rank = 0; rank < n.ranks; ++rank)
      mask |= static_cast<std::uint32_t>(Policy::allows(n.shaper, rank)) << rank;
    return mask;
  }
}

/// What happened in one slot of all lanes, as masks of ranks.
struct Sent {
  std::uint32_t flit = 0;      ///< sent one
  std::uint32_t last = 0;      ///< it was the last of its packet
  std::uint32_t full = 0;      ///< the pool behind the shaper is full now
  std::uint32_t reopened = 0;  ///< an offer that was refused would fit now
};

/// Whether a rank that could send at the beginning of a slot still can when its turn comes: the shapers and
/// the ingress buffers of the ranks are apart, unless two ranks share an account or a bypass.
template <Shaper Kind, bool Usual>
constexpr bool kAllSend = Usual&& Kind != Shaper::share;

template <Shaper Kind, bool Usual>
[[gnu::always_inline]] inline void send(Engine& n, Cycle now, std::uint32_t rank, std::uint32_t channel,
                                        Sent& sent) {
  const std::uint32_t mine = bit(rank);
  Engine::Sender& sender = n.senders[rank][channel];
  const Flit flit = next_flit<Usual>(sender);
  if (!Usual && sender.bypass) {
    n.egress.push(flit);
  } else {
    sent.full |= only_if(!n.ingress.push<Usual>(flit), mine);
  }
  n.emit<Usual>(EventKind::inject, flit.record(), rank);
  ++sender.sent;
  ++n.inside;
  if (!kAllSend<Kind, Usual>) sent.flit |= mine;
  sent.reopened |= only_if(sender.filling.leave(now) == sender.reopen_level, mine);
  sender.routes >>= 2U;
  sent.last |= only_if(--sender.left == 0, mine);
}

/// SM injection: in each slot of its lane a rank sends one flit, if its shaper and the buffer allow it. The
/// two channels take turns packet by packet; a channel without room lets the other go first. Who sends what
/// is decided for all ranks at once in masks, since none of it can be predicted rank by rank.
template <Shaper Kind, bool Usual>
void inject(Engine& n) {
  using Policy = ShaperPolicy<Kind>;
  const Cycle now = n.now;
  std::int64_t slot = n.link_rounds.total();
  std::uint32_t shaped = 0;
  std::uint32_t no_room = 0;
  std::uint32_t port_busy = 0;
  for (int rounds = n.link_rounds.next(); rounds > 0; --rounds, ++slot) {
    const std::uint32_t waiting = n.waiting[0] | n.waiting[1];
    Policy::begin(n.shaper, slot);
    const std::uint32_t allowed = allowed_ranks<Kind>(n);
    const std::uint32_t busy = !Usual && n.half_duplex ? n.ejected : 0;
    const std::uint32_t requests = ready<Usual>(n, 0);
    const std::uint32_t responses = ready<Usual>(n, 1);
    shaped |= waiting & ~allowed;
    port_busy |= waiting & allowed & busy;
    no_room |= waiting & allowed & ~busy & ~(requests | responses);
    const std::uint32_t second = responses & (n.turn | ~requests);  // ranks that send a response
    const std::uint32_t senders = (requests | responses) & allowed & ~busy;
    Sent sent;
    if (kAllSend<Kind, Usual>) sent.flit = senders;
    for_each_bit(senders, [&](std::uint32_t rank) {
      // Where two SMs share an account, the first may have used it up.
      if (Kind == Shaper::share && !Policy::allows(n.shaper, rank)) return;
      const std::uint32_t channel = (second >> rank) & 1U;
      if (!Usual && bypass_is_full(n.senders[rank][channel], n.egress)) {
        no_room |= bit(rank);
        return;
      }
      send<Kind, Usual>(n, now, rank, channel, sent);
      Policy::granted(n.shaper, rank);
    });
    n.roomy &= ~((sent.full & ~second) | std::uint64_t{sent.full & second} << 32U);
    n.reopened |= sent.reopened;
    n.turn = ((n.turn & ~sent.flit) | (second & sent.flit)) ^ sent.last;
    for_each_bit(sent.last, [&](std::uint32_t rank) {
      const std::uint32_t channel = (second >> rank) & 1U;
      ++n.meters[rank].packets_sent;
      n.records.remove_first(n.senders[rank][channel].packets);
      n.next_packet(rank, channel);
    });
  }
  n.sender_first = port_busy;
  n.shaper_stalls.add(shaped);
  n.ingress_stalls.add(no_room);
  if (!Usual) n.port_stalls.add(port_busy);
}

template <Shaper Kind>
Cycle spread(const ShaperState& at_rest, std::uint32_t rank, int flits) {
  using Policy = ShaperPolicy<Kind>;
  ShaperState state = at_rest;
  state.late = {};
  state.slot = 0;
  std::int64_t slot = 0;
  for (int sent = 0;; ++slot) {
    Policy::begin(state, slot);
    if (!Policy::allows(state, rank)) continue;
    Policy::granted(state, rank);
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
