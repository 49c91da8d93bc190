// SPDX-License-Identifier: Apache-2.0
// What the engine says about itself: statistics, audits, events and stuck states. Nothing here moves a flit.
#include <fmt/format.h>

#include <cstdlib>

#include "fabric/engine.h"
#include "plumb/core/error.h"

namespace plumb::fabric {
namespace {

constexpr std::array<std::string_view, kChannels> kChannelNames{"request", "response"};

[[noreturn]] void broken(Cycle now, const std::string& what) {
  throw Error(Fault::check, fmt::format("the fabric broke an invariant in cycle {}: {}.", now, what));
}

}  // namespace

void Engine::record_event(EventKind what, std::uint32_t record, std::uint32_t unit) {
  const Label& label = records.label(record);
  events.add({.cycle = now,
              .packet = records[record].number,
              .tag = records[record].tag,
              .what = what,
              .kind = label.kind,
              .channel = static_cast<Channel>(label.channel()),
              .unit = static_cast<std::uint8_t>(unit),
              .source = static_cast<std::uint8_t>(label.source()),
              .destination = static_cast<std::uint8_t>(label.destination()),
              .flits = label.flits});
}

#ifndef NDEBUG
void Engine::check_order(Flit flit) {
  const std::uint32_t record = flit.record();
  const auto path =
      ((std::size_t{flit.source()} * kMaxSms + flit.rank()) * kChannels + flit.channel()) * kLanesPerCpc +
      flit.route();
  if (orders[record] < last_seen[path]) {
    broken(now, fmt::format("a flit of packet {} from rank {} to {} was overtaken on route {}",
                            records[record].number, flit.source(), flit.rank(), flit.route()));
  }
  last_seen[path] = orders[record];
}
#endif

std::uint64_t Engine::movements() const noexcept {
  return offered + taken + deliveries + ingress.served() + planes.served() + egress.served();
}

void Engine::audit() const {
  const auto check = [&](const auto& stage, std::string_view name) {
    stage.audit([&](const char* what) { broken(now, fmt::format("{}: {}", name, what)); });
  };
  check(ingress, "GPCARB ingress");
  check(planes, "GX");
  check(egress, "GPCARB egress");
  std::uint64_t sent = 0;
  std::uint64_t came_out = 0;
  for (const auto& pair : senders) sent += pair[0].sent + pair[1].sent;
  for (const std::uint64_t flits : received) came_out += flits;
  const std::uint64_t held = ingress.flits() + planes.flits() + egress.flits();
  if (held_before + sent - came_out != held) {
    broken(now, fmt::format("{} flits were inside, {} went in, {} came out and {} are inside", held_before,
                            sent, came_out, held));
  }
  if (inside != static_cast<std::int64_t>(held))
    broken(now, fmt::format("{} flits are inside and {} counted", held, inside));
  if (records.used() != offered - taken)
    broken(now,
           fmt::format("{} packets are on their way and {} records in use", offered - taken, records.used()));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t c = 0; c < kChannels; ++c) {
      if (senders[rank][c].filling.size() > static_cast<std::uint32_t>(p.injection_depth))
        broken(now,
               fmt::format("the {} injection queue of rank {} is over its depth", kChannelNames[c], rank));
      const RecordList& queued = senders[rank][c].packets;
      const bool ready = !queued.empty() && records.departure(queued.first).ready <= now;
      if (((waiting[c] & bit(rank)) != 0) != ready)
        broken(now, fmt::format("the {} injection mask of rank {} is wrong", kChannelNames[c], rank));
      if (ingress.pooled() &&
          ingress.room(place[rank].cpc, place[rank].input, static_cast<std::uint32_t>(c)) !=
              (((roomy >> (c * 32 + rank)) & 1U) != 0))
        broken(now, fmt::format("rank {} is wrong about room in GPCARB ingress", rank));
      const std::uint32_t key = Flit::key(rank, static_cast<std::uint32_t>(c));
      std::uint32_t taken_in = 0;
      for (std::uint16_t i = delivered[key].first; i != kNoRecord; i = records.label(i).next) {
        if (records.label(i).missing != 0)
          broken(now, fmt::format("an incomplete packet was delivered to rank {}", rank));
        taken_in += records.label(i).flits;
      }
      if (taken_in > untaken_flits[key])
        broken(now, fmt::format("rank {} has more {} flits than it counts", rank, kChannelNames[c]));
    }
  }
}

std::string Engine::stuck() const {
  std::string text;
  const auto line = [&](std::string_view where, std::uint32_t record, std::string_view waits_for) {
    const Label& label = records.label(record);
    text += fmt::format("{}: packet {} ({} from rank {} to {}, {} of {} flits arrived) waits for {}\n", where,
                        records[record].number, kChannelNames[label.channel()], label.source(),
                        label.destination(), label.flits - label.missing, label.flits, waits_for);
  };
  egress.for_each_head([&](std::uint32_t block, std::uint32_t, Flit f) {
    if ((receives[f.channel()] & bit(f.rank())) == 0)
      line(fmt::format("egress block {}", block), f.record(),
           fmt::format("rank {} to take its {}s", f.rank(), kChannelNames[f.channel()]));
  });
  planes.for_each_head([&](std::uint32_t plane, std::uint32_t block, Flit f) {
    if (!egress.accepts(f))
      line(fmt::format("GX{}", plane), f.record(), fmt::format("room in egress block {}", block));
  });
  ingress.for_each_head([&](std::uint32_t cpc, std::uint32_t route, Flit f) {
    if (!planes.accepts(f))
      line(fmt::format("GPCARB ingress of CPC {}", cpc), f.record(),
           fmt::format("room at GX{} input {}", route >> 1U, cpc * 2 + (route & 1U)));
  });
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t ch = 0; ch < kChannels; ++ch) {
      if ((waiting[ch] & bit(rank)) != 0)
        line(fmt::format("injection of rank {}", rank), senders[rank][ch].packets.first,
             "its shaper or room in GPCARB ingress");
      const RecordList& list = delivered[Flit::key(rank, static_cast<std::uint32_t>(ch))];
      if (!list.empty()) line(fmt::format("delivery at rank {}", rank), list.first, "the rank to take it");
    }
  }
  return text;
}

void Engine::clear_statistics() {
  ingress.clear_statistics();
  planes.clear_statistics();
  egress.clear_statistics();
  meters = {};
  received = {};
  held_before = ingress.flits() + planes.flits() + egress.flits();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (Sender& sender : senders[rank]) {
      sender.filling.clear(now);
      sender.sent = 0;
    }
  }
  shaper_stalls = {};
  ingress_stalls = {};
  port_stalls = {};
  latency = {};
  counted_from = now;
  skipped = 0;
}

Statistics Engine::statistics() const {
  Statistics s;
  s.cycles = now - counted_from;
  s.skipped = skipped;
  s.latency = latency;
  const Ratio lane = link_rounds.rate();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const RankMeters& m = meters[rank];
    const Place& at = place[rank];
    SmStatistics& sm = s.sms.emplace_back();
    sm = {.sent = {senders[rank][0].sent, senders[rank][1].sent},
          .received = {received[rank], received[32 + rank]},
          .packets_sent = m.packets_sent,
          .packets_received = m.packets_received,
          .shaper_stalls = shaper_stalls.count(rank),
          .ingress_stalls = ingress_stalls.count(rank),
          .port_stalls = port_stalls.count(rank),
          .offer_stalls = m.offer_stalls};
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      sm.injection[c] = senders[rank][c].filling.read(now, s.cycles);
      sm.ingress[c] = ingress.filling(at.cpc, at.input, c, s.cycles);
    }
    s.sm_lanes.push_back(egress.lane(at.block, at.port).read(s.cycles, lane));
  }
  for (std::uint32_t cpc = 0; cpc < kCpcs; ++cpc) {
    for (std::uint32_t route = 0; route < kLanesPerCpc; ++route)
      s.ingress_lanes.push_back(ingress.lane(cpc, route).read(s.cycles, lane));
  }
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    for (std::uint32_t plane = 0; plane < kPlanes; ++plane) {
      s.egress_lanes.push_back(planes.lane(plane, block).read(s.cycles, lane));
      for (std::uint32_t c = 0; c < kChannels; ++c) {
        s.egress_pools.push_back(egress.filling(block, plane, c, s.cycles));
      }
    }
  }
  for (std::uint32_t input = 0; input < kCpcs * kLanesPerCpc; ++input) {
    const std::uint32_t plane = (input >> 1U) & 1U;
    for (std::uint32_t c = 0; c < kChannels; ++c)
      s.plane_inputs.push_back(planes.filling(plane, input / kLanesPerCpc * 2 + (input & 1U), c, s.cycles));
  }
  return s;
}

}  // namespace plumb::fabric
