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
  for (std::uint16_t head = 0; (head = world.engine.front(rank_, Channel::response)) != kNoRecord;) {
    take_answer(world, now, head);
    world.engine.drop_front(rank_, Channel::response);
  }
}

Cycle Endpoint::take_requests(World& world, Cycle now) {
  for (std::uint16_t head = 0; (head = world.engine.front(rank_, Channel::request)) != kNoRecord;) {
    if (!memory_.open(now)) return memory_.ready();
    switch (world.engine.records.label(head).kind) {
      case PacketKind::short_write:
      case PacketKind::long_write:
        write(world, now, Tag::unpack(world.engine.records[head].tag));
        break;
      case PacketKind::read_command:
        if (!read(world, now, head)) return now + 1;
        break;
      case PacketKind::read_response:
      case PacketKind::ack:  // where answers have no channel of their own
        take_answer(world, now, head);
        break;
    }
    world.engine.drop_front(rank_, Channel::request);
  }
  return kNever;
}

void Endpoint::write(World& world, Cycle now, const Tag& tag) {
  FlowState& state = world.flows[tag.flow];
  memory_.pass(now, tag.bytes);
  state.arrive(tag.offset, tag.bytes);
  acks_.written(now, state.ack_account, tag);
  if (state.arrived == state.flow.bytes && state.flow.op == Op::put)
    state.finish(now + world.p.mbarrier_cycles);
}

bool Endpoint::read(World& world, Cycle now, std::uint16_t packet) {
  const Label label = world.engine.records.label(packet);
  const Record& command = world.engine.records[packet];
  const std::int64_t bytes = Tag::unpack(command.tag).bytes;
  const int flits = world.flits(bytes) + world.p.response_header_flits;
  if (!world.engine.fits(rank_, world.answers, flits)) return false;
  memory_.pass(now, bytes);
  const bool fold = world.p.response_route == ResponseRoute::fold;
  world.engine.offer({.source = static_cast<int>(rank_),
                      .destination = static_cast<int>(label.source()),
                      .channel = world.answers,
                      .kind = PacketKind::read_response,
                      .flits = flits,
                      .leading_flits = world.p.response_header_flits,
                      .address = command.address,
                      .tag = command.tag,
                      .route = fold ? Routes::first(world.engine.records.departure(packet).routes) : -1},
                     world.p.smem_cycles);
  return true;
}

void Endpoint::take_answer(World& world, Cycle now, std::uint16_t packet) {
  const Tag tag = Tag::unpack(world.engine.records[packet].tag);
  FlowState& state = world.flows[tag.flow];
  const std::int64_t total = state.flow.bytes;
  if (world.engine.records.label(packet).kind == PacketKind::read_response) {
    state.arrive(tag.offset, tag.bytes);
    loads_.returned(now, tag, state.issue_slot);
    if (state.arrived == total) state.finish(now + world.p.load_turnaround);
    return;
  }
  state.acknowledged += tag.bytes;
  if (state.flow.op == Op::put) {
    puts_.acknowledged(tag.bytes);
  } else {
    stores_.acknowledged(tag.bytes);
    if (state.acknowledged == total) state.finish(now + world.p.fence_cycles);
  }
}

/// Loads and stores share the memory pipe, and their warps take turns there by the instruction of 512 bytes:
/// a read beside stores of its own SM waits for all of their warps (dsm/mixed, store/opposite).
Issue Endpoint::issue_memory(World& world, Cycle now) {
  if (stores_.idle()) return loads_.issue(world, now);
  if (loads_.idle()) return stores_.issue(world, now);
  constexpr std::int64_t kInstructionBytes = 32 * kAccessBytes;
  Cycle wake = kNever;
  for (int kind = 0; kind < 2; ++kind) {
    const Issue answer = stores_turn_ ? stores_.issue(world, now) : loads_.issue(world, now);
    if (answer.state == Issue::State::full) return answer;
    const bool sent = answer.state == Issue::State::sent;
    if (!sent || --turn_packets_ <= 0) {
      stores_turn_ = !stores_turn_;
      const int quantum = stores_turn_ ? world.p.write_quantum : world.p.response_quantum;
      const int warps = stores_turn_ ? stores_.busy_warps() : loads_.ready_warps(now);
      turn_packets_ = warps * static_cast<int>(kInstructionBytes / quantum);
    }
    if (sent) return answer;
    wake = std::min(wake, answer.wake);
  }
  return {.wake = wake};
}

/// One packet per unit and cycle. The units take turns; one that finds no room keeps its turn, since
/// otherwise small packets would always slip in before large ones.
Cycle Endpoint::issue_packets(World& world, Cycle now) {
  Cycle wake = kNever;
  if (!issues_) return wake;
  if (only_puts_) {  // the loop below for one unit, which is most of the time
    const Issue answer = puts_.issue(world, now);
    if (answer.state != Issue::State::sent) return answer.wake;
    return puts_.stops(world, now) ? kNever : now + 1;
  }
  bool puts = puts_first_;
  for (int i = 0; i < 2; ++i, puts = !puts) {
    const Issue answer = puts ? puts_.issue(world, now) : issue_memory(world, now);
    if (answer.state == Issue::State::full) {
      puts_first_ = puts;
      return wake;  // the engine announces when it fits
    }
    if (answer.state == Issue::State::sent) {
      puts_first_ = !puts;
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
