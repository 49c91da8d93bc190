// SPDX-License-Identifier: Apache-2.0
#include "fabric/endpoint/endpoint.h"

#include <fmt/format.h>

namespace plumb::fabric {

std::size_t Endpoint::issue(std::uint32_t flow, const Flow& plan, Cycle first) {
  only_puts_ = plan.op == Op::put && (only_puts_ || !issues_);
  issues_ = true;
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

void Endpoint::take_responses(World& world, Cycle now) {
  while (const Record* head = world.engine.front(rank_, Channel::response)) {
    serve(world, now, *head);
    world.engine.drop_front(rank_, Channel::response);
  }
}

Cycle Endpoint::take_requests(World& world, Cycle now) {
  while (const Record* head = world.engine.front(rank_, Channel::request)) {
    if (!memory_.open(now)) return memory_.ready();
    if (head->kind == PacketKind::read_command) {
      const int flits = world.flits(Tag::unpack(head->tag).bytes) + world.p.response_header_flits;
      if (!world.engine.fits(rank_, world.answers, flits)) return now + 1;
    }
    serve(world, now, *head);
    world.engine.drop_front(rank_, Channel::request);
  }
  return kNever;
}

void Endpoint::serve(World& world, Cycle now, const Record& packet) {
  const Tag tag = Tag::unpack(packet.tag);
  FlowState& state = world.flows[tag.flow];
  const std::int64_t total = state.flow.bytes;
  switch (packet.kind) {
    case PacketKind::read_command:
      memory_.pass(now, tag.bytes);
      world.engine.offer({.source = packet.destination,
                          .destination = packet.source,
                          .channel = world.answers,
                          .kind = PacketKind::read_response,
                          .flits = world.flits(tag.bytes) + world.p.response_header_flits,
                          .leading_flits = world.p.response_header_flits,
                          .address = packet.address,
                          .tag = packet.tag,
                          .route = world.p.response_route == ResponseRoute::fold ? packet.first_route() : -1},
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
  if (!issues_) return wake;
  if (only_puts_) {  // the loop below for one unit, which is most of the time
    const Issue answer = puts_.issue(world, now);
    return answer.state == Issue::State::sent ? now + 1 : answer.wake;
  }
  std::uint32_t unit = turn_;
  for (std::uint32_t i = 0; i < kUnits; ++i, unit = unit + 1 == kUnits ? 0 : unit + 1) {
    const Issue answer = unit == 0   ? loads_.issue(world, now)
                         : unit == 1 ? stores_.issue(world, now)
                                     : puts_.issue(world, now);
    if (answer.state == Issue::State::full) {
      turn_ = unit;
      return wake;  // the engine announces when it fits
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
