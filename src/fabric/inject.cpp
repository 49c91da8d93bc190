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
    for_each_bit(n.waiting[0] | n.waiting[1], [&](std::uint32_t rank) {
      if (!Policy::allows(n.shaper, rank, slot)) {
        shaped |= bit(rank);
        return;
      }
      if (n.half_duplex && (n.ejected & bit(rank)) != 0) {
        port_busy |= bit(rank);
        return;
      }
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
