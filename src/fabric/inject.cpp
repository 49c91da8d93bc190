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

/// SM injection: in each slot of its lane a rank sends one flit, if its shaper and the buffer allow it. The
/// two channels take turns packet by packet; a channel without room lets the other go first.
template <Shaper Kind>
void inject(Engine& n) {
  using Policy = ShaperPolicy<Kind>;
  std::int64_t slot = n.link_rounds.total();
  std::uint32_t shaped = 0;
  std::uint32_t no_room = 0;
  std::uint32_t port_busy = 0;
  for (int rounds = n.link_rounds.next(); rounds > 0; --rounds, ++slot) {
    const std::uint32_t waiting = n.waiting[0] | n.waiting[1];
    std::uint32_t allowed = 0;  // gathered without a branch: two slots in three is a pattern nobody predicts
    for (std::uint32_t rank = 0; rank < n.ranks; ++rank)
      allowed |= static_cast<std::uint32_t>(Policy::allows(n.shaper, rank, slot)) << rank;
    const std::uint32_t busy = n.half_duplex ? n.ejected : 0;
    shaped |= waiting & ~allowed;
    port_busy |= waiting & allowed & busy;
    for_each_bit(waiting & allowed & ~busy, [&](std::uint32_t rank) {
      // Where two SMs share an account, the first may have used it up.
      if (Kind == Shaper::share && !Policy::allows(n.shaper, rank, slot)) return;
      const std::uint32_t first = n.turn[rank];
      const std::uint32_t second = first ^ 1U;
      const bool sent = ((n.waiting[first] & bit(rank)) != 0 && n.try_send(rank, first)) ||
                        ((n.waiting[second] & bit(rank)) != 0 && n.try_send(rank, second));
      if (sent) {
        Policy::granted(n.shaper, rank, slot);
      } else {
        no_room |= bit(rank);
      }
    });
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
#define PLUMB_FABRIC_ENTRY(name, text) InjectVariant{&inject<Shaper::name>, &spread<Shaper::name>},
  static constexpr std::array kVariants{PLUMB_FABRIC_SHAPERS(PLUMB_FABRIC_ENTRY)};
#undef PLUMB_FABRIC_ENTRY
  return kVariants[static_cast<std::size_t>(kind)];
}

}  // namespace plumb::fabric
