// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/bits.h"
#include "fabric/calendar.h"
#include "fabric/records.h"
#include "fabric/rounds.h"
#include "fabric/route/routes.h"
#include "fabric/shaper/policy.h"
#include "fabric/switch.h"
#include "plumb/fabric/network.h"

namespace plumb::fabric {

/// Events on their way to an observer. Batched, so that watching costs a store per event and not a call.
class EventBatch {
 public:
  void observe(Observer* observer) {
    flush();
    observer_ = observer;
    if (observer_ != nullptr) events_.reserve(kBatch);
  }
  [[nodiscard]] bool on() const noexcept { return observer_ != nullptr; }
  void add(const Event& event) {
    events_.push_back(event);
    if (events_.size() == kBatch) flush();
  }
  void flush() {
    if (observer_ != nullptr && !events_.empty()) observer_->on(events_);
    events_.clear();
  }

 private:
  static constexpr std::size_t kBatch = 4096;
  Observer* observer_ = nullptr;
  std::vector<Event> events_;
};

struct Engine;
/// The injection stage for any configuration and for the usual one.
struct InjectStages {
  void (*any)(Engine&);
  void (*usual)(Engine&);
};

/// The state of a network and its stages. A step runs the stages from the last to the first, so that a flit
/// moves one stage per cycle and nothing is kept twice.
struct Engine {  // NOLINT(clang-analyzer-optin.performance.Padding): ordered for the reader
  Engine(const Parameters& parameters, const Topology& topology, std::uint64_t seed);

  // What never changes
  Parameters p;
  Topology topology;
  std::uint32_t ranks;
  struct Place {
    std::uint32_t cpc, input, block, port, partner;
    int slot;
    Cycle outward, inward;
  };
  std::array<Place, kMaxSms> place{};
  static constexpr std::size_t kKeys = 64;              ///< of ranks and channels, see Flit::key
  std::array<std::uint64_t, kKeys> leaves{}, enters{};  ///< what a sender and a receiver steer flits by
  std::array<std::uint8_t, EgressSwitch::kLanes> lane_rank{};  ///< of an SM's lane; 31 where no rank is
  std::array<std::uint8_t, PlaneSwitch::kLanes>
      pool_port{};  ///< request port in egress behind a plane's output
  std::array<std::uint8_t, IngressSwitch::kLanes>
      input_port{};  ///< request port in the planes behind a lane of GPCARB ingress
  Routes routes;
  bool half_duplex;
  std::uint32_t most_leave;  ///< flits that may leave an injection queue in one cycle
  bool usual;                ///< the stages compiled for the usual configuration may be used
  InjectStages inject_stages;
  Cycle (*shaper_spread)(const ShaperState&, std::uint32_t rank, int flits);

  // Time
  Cycle now = 0;
  std::uint64_t deliveries = 0;
  Rounds link_rounds;
  Rounds ingress_rounds;
  Rounds plane_rounds;
  Rounds egress_rounds;

  // Packets
  Records records;
  Alarms outward_legs;  ///< senders without a packet to send, to which the next one comes then
  Wheel delayed;        ///< packets that were offered with a delay and have not begun their outward leg
  Wheel inward_legs;
  std::uint64_t offered = 0;
  std::uint64_t taken = 0;

  /// The injection queue of a rank and channel, its outward leg included: packets of one SM all take as long
  /// there, so one list holds them from the offer on. What every flit needs of the first packet is kept
  /// beside its record. One cache line.
  struct alignas(64) Sender {
    static constexpr std::uint32_t kNoLevel = ~std::uint32_t{0};

    std::uint64_t routes = 0;  ///< of the flits not sent yet
    Flit steering;
    std::uint32_t left = 0;                 ///< flits not sent yet
    std::uint32_t reopen_level = kNoLevel;  ///< filling at which a refused offer would fit
    Meter filling;                          ///< flits, the outward leg included
    std::uint64_t sent = 0;                 ///< flits, for the statistics
    RecordList packets;
    bool bypass = false;  ///< straight to the other SM of the TPC
  };

  // SM endpoints, by rank and channel
  std::array<std::array<Sender, kChannels>, kMaxSms> senders{};
  std::array<RecordList, kKeys> delivered{};         ///< by the receiver's key
  std::array<std::uint32_t, kKeys> untaken_flits{};  ///< likewise, the inward leg included
  std::uint32_t reopened = 0;                        ///< ranks that reached their reopen_level
  std::int64_t inside = 0;                           ///< flits between injection and delivery
  std::uint64_t roomy = 0;  ///< bit channel * 32 + rank: there is room in the pool of GPCARB ingress
  std::array<std::uint32_t, kChannels> waiting{};      ///< ranks with a packet to inject
  std::array<std::uint32_t, kChannels> receives{};     ///< ranks with room for deliveries
  std::array<std::uint32_t, kChannels> deliverable{};  ///< ranks with a packet to take
  std::uint32_t turn = 0;                              ///< ranks whose response channel sends next
  std::uint32_t ejected = 0;                           ///< ranks that got a flit in this cycle
  std::uint32_t sender_first = 0;  ///< half duplex: ranks whose next contended cycle is for sending
  ShaperState shaper;

  // The fabric
  IngressSwitch ingress;  ///< a unit per CPC
  PlaneSwitch planes;     ///< GX0 and GX1
  EgressSwitch egress;    ///< a unit per block; inputs: the two planes, and the bypass of the TPC

  // Statistics
  struct RankMeters {
    std::uint64_t packets_sent = 0, packets_received = 0, offer_stalls = 0;
  };
  std::array<RankMeters, kMaxSms> meters{};
  std::array<std::uint64_t, 64> received{};  ///< flits, by channel * 32 + rank
  BitCounters shaper_stalls, ingress_stalls, port_stalls;
  std::array<Histogram, kChannels> latency{};
  Cycle counted_from = 0;
  Cycle skipped = 0;
  std::uint64_t held_before = 0;  ///< flits in the fabric when counting began
  EventBatch events;

#ifndef NDEBUG
  /// The last packet seen per source, destination, channel and route: flits of one path keep their order.
  std::vector<std::uint32_t> last_seen;
  std::uint32_t joined = 0;
  std::vector<std::uint32_t>
      orders;  ///< by record: when it joined, which its flits' order is checked against
  void check_order(Flit flit);
#endif

  [[nodiscard]] bool quiet() const noexcept { return inside == 0 && (waiting[0] | waiting[1]) == 0; }

  /// First half of an offer. False: the injection queue has no room, which is counted.
  bool admits(std::uint32_t source, Channel channel, int flits) {
    Sender& sender = senders[source][static_cast<std::size_t>(channel)];
    const auto depth = static_cast<std::uint32_t>(p.injection_depth);
    const auto size = static_cast<std::uint32_t>(flits);
    if (sender.filling.size() + size <= depth && !records.full()) return true;
    ++meters[source].offer_stalls;
    sender.reopen_level = depth - size;
    return false;
  }
  /// Whether an offer in the next cycle will surely be refused, however many flits leave until then. It is
  /// counted, and the caller need not make it.
  bool refuses_next(std::uint32_t source, Channel channel, int flits) {
    Sender& sender = senders[source][static_cast<std::size_t>(channel)];
    const auto depth = static_cast<std::uint32_t>(p.injection_depth);
    const auto size = static_cast<std::uint32_t>(flits);
    if (sender.filling.size() + size <= depth + most_leave) return false;
    ++meters[source].offer_stalls;
    sender.reopen_level = depth - size;
    return true;
  }
  /// Second half, for a packet that was admitted. Apart, since half of all offers are refused and those need
  /// no packet.
  void accept(const Packet& packet, Cycle delay = 0) {
    const auto channel = static_cast<std::uint32_t>(packet.channel);
    const auto source = static_cast<std::uint32_t>(packet.source);
    const auto destination = static_cast<std::uint32_t>(packet.destination);
    Sender& sender = senders[source][channel];
    sender.reopen_level = Sender::kNoLevel;
    sender.filling.arrive(now, static_cast<std::uint32_t>(packet.flits));
    const std::uint16_t i = records.claim();
    // Member by member: what is put together on the stack would be read back before it is written.
    Record& r = records[i];
    r.address = packet.address;
    r.tag = packet.tag;
    r.number = ++offered;
    r.offered = now;
    Label& label = records.label(i);
    label.flits = static_cast<std::uint8_t>(packet.flits);
    label.missing = static_cast<std::uint8_t>(packet.flits);
    label.sender = static_cast<std::uint8_t>(Flit::key(source, channel));
    label.receiver = static_cast<std::uint8_t>(Flit::key(destination, channel));
    label.kind = packet.kind;
    label.leading = static_cast<std::uint8_t>(packet.leading_flits);
    records.departure(i).routes = routes.of(packet, place[destination].slot);
    emit(EventKind::offer, i, source);
    if (delay == 0) {
      join(i);
    } else {
      delayed.add(records, now + delay, i);
      outward_legs.add(now + delay + place[source].outward, label.sender);
    }
  }
  bool offer(const Packet& packet, Cycle delay = 0) {
    if (!admits(static_cast<std::uint32_t>(packet.source), packet.channel, packet.flits)) return false;
    accept(packet, delay);
    return true;
  }
  /// Whether an offer of so many flits would be taken now.
  [[nodiscard]] bool fits(std::uint32_t rank, Channel channel, int flits) const noexcept {
    return senders[rank][static_cast<std::size_t>(channel)].filling.size() +
                   static_cast<std::uint32_t>(flits) <=
               static_cast<std::uint32_t>(p.injection_depth) &&
           !records.full();
  }
  /// The delivered packet that has waited longest, or kNoRecord.
  [[nodiscard]] std::uint16_t front(std::uint32_t rank, Channel channel) const noexcept {
    return delivered[Flit::key(rank, static_cast<std::uint32_t>(channel))].first;
  }
  void drop_front(std::uint32_t rank, Channel which) {
    const auto channel = static_cast<std::uint32_t>(which);
    const std::uint32_t key = Flit::key(rank, channel);
    RecordList& list = delivered[key];
    const std::uint16_t i = records.remove_first(list);
    emit(EventKind::take, i, rank);
    untaken_flits[key] -= records.label(i).flits;
    if (untaken_flits[key] < static_cast<std::uint32_t>(p.delivery_depth)) receives[channel] |= bit(rank);
    if (list.empty()) deliverable[channel] &= ~bit(rank);
    records.release(i);
    ++taken;
  }
  [[nodiscard]] Packet packet_of(std::uint16_t record) const;

  [[nodiscard]] Cycle next_arrival() const noexcept {
    return std::min(outward_legs.next(now), inward_legs.next(now));
  }
  [[nodiscard]] Cycle next_event() const noexcept { return quiet() ? next_arrival() : now; }
  [[nodiscard]] std::int64_t in_flight() const noexcept { return static_cast<std::int64_t>(offered - taken); }

  void step();
  bool step_until(Cycle until);
  void jump(Cycle to);
  void arrivals();
  /// Begins a packet's outward leg.
  void join(std::uint16_t record) {
#ifndef NDEBUG
    orders[record] = ++joined;
#endif
    const Label& label = records.label(record);
    const std::uint32_t source = label.source();
    const std::uint32_t channel = label.channel();
    RecordList& packets = senders[source][channel].packets;
    const bool first = packets.empty();
    records.append(packets, record);
    records.departure(record).ready = now + place[source].outward;
    if (first) next_packet(source, channel);
  }
  void join_delayed();
  void next_packet(std::uint32_t rank, std::uint32_t channel);
  template <bool Usual>
  void run_stages();
  template <bool Usual>
  void eject_stage();
  template <bool Usual>
  void plane_stage();
  template <bool Usual>
  void ingress_stage();
  void finish(std::span<const std::uint16_t> complete);
  template <bool Usual = false>
  void emit(EventKind what, std::uint32_t record, std::uint32_t unit) {
    if (!Usual && events.on()) record_event(what, record, unit);
  }
  void record_event(EventKind what, std::uint32_t record, std::uint32_t unit);

  [[nodiscard]] std::uint64_t movements() const noexcept;
  void audit() const;
  [[nodiscard]] std::string stuck() const;
  [[nodiscard]] Statistics statistics() const;
  void clear_statistics();
};

}  // namespace plumb::fabric
