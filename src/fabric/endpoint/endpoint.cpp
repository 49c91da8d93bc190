// SPDX-License-Identifier: Apache-2.0
#include "fabric/endpoint/endpoint.h"

#include <fmt/format.h>

#include <optional>

namespace plumb::fabric {

std::size_t Endpoint::issue(std::uint32_t flow, const Flow& plan, Cycle first) {
  switch (plan.op) {
    case Op::load:
      return loads_.add(flow, plan, first);
    case Op::store:
      return stores_.add(flow, plan, first);
    case Op::put:
      break;
  }
  return puts_.add(flow, plan, first);
}

Cycle Endpoint::act(World& world, Cycle now) {
  const std::uint32_t self = bit(rank_);
  if ((world.network.deliverable(Channel::response) & self) != 0) take_responses(world, now);
  Cycle wake = kNever;
  if ((world.network.deliverable(Channel::request) & self) != 0) wake = take_requests(world, now);
  acks_.send(world, now);
  return std::min({wake, acks_.wake(), issue_packets(world, now)});
}

/// Responses are always taken at once: that is what makes their channel non-blocking.
void Endpoint::take_responses(World& world, Cycle now) {
  Packet packet;
  while (world.network.take(static_cast<int>(rank_), Channel::response, packet)) serve(world, now, packet);
}

/// Requests wait for the shared memory, and reads for room for their answer too.
Cycle Endpoint::take_requests(World& world, Cycle now) {
  const int rank = static_cast<int>(rank_);
  while (const std::optional<Packet> head = world.network.front(rank, Channel::request)) {
    if (memory_.ready() > now) return memory_.ready();
    if (head->kind == PacketKind::read_command) {
      const int flits = world.flits(Tag::unpack(head->tag).bytes) + world.p.response_header_flits;
      if (!world.network.can_offer(rank, world.answers, flits)) return now + 1;
    }
    Packet packet;
    world.network.take(rank, Channel::request, packet);
    serve(world, now, packet);
  }
  return kNever;
}

void Endpoint::serve(World& world, Cycle now, const Packet& packet) {
  const Tag tag = Tag::unpack(packet.tag);
  FlowState& state = world.flows[tag.flow];
  const std::int64_t total = state.flow.bytes;
  switch (packet.kind) {
    case PacketKind::read_command:
      memory_.pass(now, tag.bytes);
      world.network.offer({.source = packet.destination,
                           .destination = packet.source,
                           .channel = world.answers,
                           .kind = PacketKind::read_response,
                           .flits = world.flits(tag.bytes) + world.p.response_header_flits,
                           .leading_flits = world.p.response_header_flits,
                           .address = packet.address,
                           .tag = packet.tag,
                           .route = world.p.response_route == ResponseRoute::fold ? packet.route : -1},
                          world.p.smem_cycles);
      break;
    case PacketKind::read_response:
      state.arrive(tag.offset, tag.bytes);
      loads_.returned(now, tag, state.issue_slot);
      if (state.arrived == total) state.finish(now);
      break;
    case PacketKind::short_write:
    case PacketKind::long_write:
      memory_.pass(now, tag.bytes);
      state.arrive(tag.offset, tag.bytes);
      acks_.written(now, state.ack_account, tag.bytes);
      if (state.arrived == total && state.flow.op == Op::put) state.finish(now + world.p.mbarrier_cycles);
      break;
    case PacketKind::ack:
      state.acknowledged += tag.bytes;
      if (state.flow.op == Op::put) {
        puts_.acknowledged(tag.bytes);
      } else {
        stores_.acknowledged(tag.bytes);
        if (state.acknowledged == total) state.finish(now);
      }
      break;
  }
}

/// One packet per unit and cycle. The units take turns; one that finds no room keeps its turn, since
/// otherwise small packets would always slip in before large ones.
Cycle Endpoint::issue_packets(World& world, Cycle now) {
  constexpr std::uint32_t kUnits = 3;
  Cycle wake = kNever;
  std::uint32_t unit = turn_;
  for (std::uint32_t i = 0; i < kUnits; ++i, unit = unit + 1 == kUnits ? 0 : unit + 1) {
    const Issue answer = unit == 0   ? loads_.issue(world, now)
                         : unit == 1 ? stores_.issue(world, now)
                                     : puts_.issue(world, now);
    if (answer.state == Issue::State::full) {
      turn_ = unit;
      return wake;  // Network::reopened() calls again
    }
    if (answer.state == Issue::State::sent) {
      turn_ = unit + 1 == kUnits ? 0 : unit + 1;
      wake = now + 1;
    }
    wake = std::min(wake, answer.state == Issue::State::later ? answer.wake : wake);
  }
  return wake;
}

std::string Endpoint::state() const {
  return fmt::format("rank {}: {} bytes of loads, {} of stores and {} of puts outstanding{}\n", rank_,
                     loads_.outstanding(), stores_.outstanding(), puts_.outstanding(),
                     acks_.pending() ? ", acknowledgments owed" : "");
}

}  // namespace plumb::fabric
