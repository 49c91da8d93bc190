// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "fabric/engine.h"
#include "fabric/inject.h"
#include "fabric/random.h"
#include "plumb/core/error.h"

namespace plumb::fabric {
namespace {

constexpr std::uint32_t u32(int value) { return static_cast<std::uint32_t>(value); }

const Parameters& checked(const Parameters& p) {
  validate(p);
  return p;
}

/// More packets than the injection queues, the buffers of the fabric and the deliveries can hold at once.
std::size_t most_packets(const Parameters& p, std::size_t ranks) {
  const auto depth = [](int flits) { return static_cast<std::size_t>(flits); };
  const std::size_t at_sms = depth(p.injection_depth) + 2 * depth(p.delivery_depth);
  const std::size_t in_fabric = depth(p.ingress_depth) * kLanesPerCpc + 3 * depth(p.egress_depth);
  const std::size_t in_planes = std::size_t{kPlanes} * kPlanePorts * kPlanePorts *
                                std::max(depth(p.plane_depth), depth(p.plane_response_depth));
  const std::size_t in_blocks = std::size_t{kBlocks} * kPlanes * kSmsPerBlock * depth(p.egress_depth);
  return std::min<std::size_t>(kNoRecord, kChannels * (ranks * (at_sms + in_fabric) + in_planes + in_blocks));
}

void check_packet(const Packet& k, int ranks, Cycle delay) {
  const auto refuse = [](std::string_view field, long long value, std::string_view rule) {
    throw Error(Fault::caller, fmt::format("packet: {} = {}: {}.", field, value, rule));
  };
  if (k.source < 0 || k.source >= ranks)
    refuse("source", k.source, fmt::format("ranks go from 0 to {}", ranks - 1));
  if (k.destination < 0 || k.destination >= ranks)
    refuse("destination", k.destination, fmt::format("ranks go from 0 to {}", ranks - 1));
  if (k.source == k.destination) refuse("destination", k.destination, "it must differ from the source");
  if (k.flits < 1 || k.flits > kMaxPacketFlits)
    refuse("flits", k.flits, fmt::format("a packet has 1 to {}", kMaxPacketFlits));
  if (k.leading_flits < 0 || k.leading_flits > k.flits)
    refuse("leading_flits", k.leading_flits, "they are part of the packet's flits");
  if (k.route < -1 || k.route > 3) refuse("route", k.route, "allowed are -1 and 0 to 3");
  if (delay < 0 || delay > 255) refuse("delay", delay, "allowed are 0 to 255 cycles");
}

}  // namespace

Engine::Engine(const Parameters& parameters, const Topology& gpc, std::uint64_t seed)
    : p(checked(parameters)),
      topology(gpc),
      ranks(u32(gpc.ranks())),
      routes(parameters),
      half_duplex(parameters.port == Port::half_duplex),
      inject_stages(inject_variant(parameters.shaper).stages),
      shaper_spread(inject_variant(parameters.shaper).spread),
      link_rounds(p.clock_ratio * Ratio{p.lane_bytes, p.flit_bytes}),
      ingress_rounds(link_rounds.rate() * p.ingress_speedup),
      plane_rounds(link_rounds.rate() * p.plane_speedup),
      egress_rounds(link_rounds.rate() * p.egress_speedup),
      records(most_packets(p, ranks)),
      ingress({p.ingress_queueing, u32(p.ingress_depth), p.ingress_multi_read}),
      planes({p.plane_queueing, u32(p.plane_depth), p.plane_multi_read, u32(p.plane_response_depth),
              p.plane_allocator, u32(p.plane_passes)}),
      egress({p.egress_queueing, u32(p.egress_depth), p.egress_multi_read}) {
  Random random(seed);
  const auto start = [&](int limit) { return seed == 0 ? 0 : random.below(u32(limit)); };
  const auto scatter = [&](auto& stage, int units, int outputs, int inputs) {
    for (int unit = 0; unit < units; ++unit) {
      for (int output = 0; output < outputs; ++output)
        stage.start_at(u32(unit), u32(output), start(inputs * kChannels));
    }
  };
  scatter(ingress, kCpcs, kLanesPerCpc, kTpcsPerCpc * kSmsPerTpc);
  scatter(planes, kPlanes, kPlanePorts, kPlanePorts);
  for (int plane = 0; plane < kPlanes; ++plane) {
    for (int input = 0; input < kPlanePorts; ++input)
      planes.accept_from(u32(plane), u32(input), start(kPlanePorts));
  }
  scatter(egress, kBlocks, kSmsPerBlock, kPlanes + 1);

  const Ratio rate = link_rounds.rate();
  most_leave = u32((rate.numerator + rate.denominator - 1) / rate.denominator);
  shaper.rate = p.shaper_rate;
  shaper.burst = p.shaper_burst;
  receives.fill((std::uint32_t{1} << ranks) - 1);
  roomy = receives[0] | std::uint64_t{receives[1]} << 32U;
  usual = ingress.usual() && planes.usual() && egress.usual() && !p.tpc_bypass && !half_duplex &&
          egress_rounds.rate() == link_rounds.rate();
  lane_rank.fill(31);
  for (std::uint32_t lane = 0; lane < PlaneSwitch::kLanes; ++lane) {
    pool_port[lane] = static_cast<std::uint8_t>(EgressSwitch::port(lane / kPlanes, lane % kPlanes, 0));
  }
  for (std::uint32_t lane = 0; lane < IngressSwitch::kLanes; ++lane) {
    const std::uint32_t route = lane / kCpcs;
    input_port[lane] =
        static_cast<std::uint8_t>(PlaneSwitch::port(route / kPlanes, lane % kCpcs * 2 + route % kPlanes, 0));
  }
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    const Slot& s = topology.slot(rank);
    const auto r = static_cast<std::size_t>(rank);
    Place& at = place[r];
    at = {.cpc = u32(s.cpc),
          .input = u32(topology.ingress_input(rank)),
          .block = u32(topology.block(rank)),
          .port = u32(topology.block_port(rank)),
          .partner = kMaxSms,
          .slot = topology.index(rank),
          .outward = 0,
          .inward = 0};
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      const std::uint32_t key = Flit::key(u32(rank), c);
      leaves[key] = Flit::from(u32(rank), c) + Flit::step(0, {IngressSwitch::queue(at.cpc, at.input, c, 0),
                                                              PlaneSwitch::queue(0, at.cpc * 2, c, 0), 0});
      enters[key] = Flit::to(u32(rank)) + Flit::step(0, {0, PlaneSwitch::queue(0, 0, 0, at.block),
                                                         EgressSwitch::queue(at.block, 0, c, at.port)});
    }
    lane_rank[at.port * kBlocks + at.block] = static_cast<std::uint8_t>(rank);
    const int extra = p.sm_leg[static_cast<std::size_t>(at.slot)];
    at.outward = p.outward_leg + extra + p.tpcarb_cycles + p.gpcmmu_cycles;
    at.inward = p.inward_leg + extra;
    for (int other = 0; other < topology.ranks(); ++other) {
      const Slot& o = topology.slot(other);
      if (other != rank && o.cpc == s.cpc && o.tpc == s.tpc) at.partner = u32(other);
    }
    shaper.account[r] = static_cast<std::uint8_t>(at.slot / kSmsPerTpc);
    shaper.phase[r] = at.slot + static_cast<int>(start(p.shaper_rate.denominator));
  }
#ifndef NDEBUG
  orders.resize(most_packets(p, ranks));
  last_seen.resize(std::size_t{kMaxSms} * kMaxSms * kChannels * kLanesPerCpc);
#endif
}

Network::Network(const Parameters& parameters, const Topology& topology, std::uint64_t seed)
    : engine_(std::make_unique<Engine>(parameters, topology, seed)) {}
Network::~Network() = default;
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;

bool Network::offer(const Packet& packet, Cycle delay) {
  check_packet(packet, engine_->topology.ranks(), delay);
  return engine_->offer(packet, delay);
}

bool Network::can_offer(int rank, Channel channel, int flits) const {
  return engine_->fits(u32(rank), channel, flits);
}

std::uint32_t Network::reopened() noexcept { return std::exchange(engine_->reopened, 0); }

std::optional<Packet> Network::front(int rank, Channel channel) const {
  const std::uint16_t head = engine_->front(u32(rank), channel);
  if (head == kNoRecord) return std::nullopt;
  return engine_->packet_of(head);
}

bool Network::take(int rank, Channel channel, Packet& packet) {
  const std::uint16_t head = engine_->front(u32(rank), channel);
  if (head == kNoRecord) return false;
  packet = engine_->packet_of(head);
  engine_->drop_front(u32(rank), channel);
  return true;
}

std::uint32_t Network::deliverable(Channel channel) const noexcept {
  return engine_->deliverable[static_cast<std::size_t>(channel)];
}

void Network::step() { engine_->step(); }

bool Network::step_until(Cycle until) { return engine_->step_until(until); }

Cycle Network::now() const noexcept { return engine_->now; }

Cycle Network::next_event() const noexcept { return engine_->next_event(); }

std::int64_t Network::in_flight() const noexcept { return engine_->in_flight(); }

std::uint64_t Network::movements() const noexcept { return engine_->movements(); }

Statistics Network::statistics() const { return engine_->statistics(); }
void Network::clear_statistics() { engine_->clear_statistics(); }
void Network::observe(Observer* observer) { engine_->events.observe(observer); }
void Network::audit() const { engine_->audit(); }
std::string Network::stuck() const { return engine_->stuck(); }

Cycle Network::zero_load_latency(const Packet& packet) const {
  const Engine& e = *engine_;
  const auto source = static_cast<std::size_t>(packet.source);
  const auto destination = static_cast<std::size_t>(packet.destination);
  const bool bypass = e.p.tpc_bypass && e.place[source].partner == destination;
  // One cycle in each of GPCARB ingress, plane and egress, and one to arrive; the bypass enters at the last.
  const Cycle stages = bypass ? 2 : 4;
  return e.place[source].outward + e.shaper_spread(e.shaper, u32(packet.source), packet.flits) + stages +
         e.place[destination].inward;
}

}  // namespace plumb::fabric
