// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "plumb/fabric/observer.h"
#include "plumb/fabric/packet.h"
#include "plumb/fabric/parameters.h"
#include "plumb/fabric/statistics.h"
#include "plumb/fabric/topology.h"

namespace plumb::fabric {

struct Engine;

/// The SM-to-SM network of one GPC, as the interconnect of a larger simulator: offer packets at any rank,
/// step, take packets at any rank. It makes no packets of its own (answering a read is the endpoint's job;
/// Simulation does it for traffic plans) and stores nothing it was not given.
///
/// The order of events depends on the calls and `seed` alone, never on the compiler, the optimisation or
/// other networks in other threads. Not thread safe: one network, one thread.
class Network {
 public:
  /// `seed` sets where each arbiter's round robin begins and the shapers' phases; 0 starts all at their
  /// first. Throws Error (caller) where the parameters are impossible.
  Network(const Parameters& parameters, const Topology& topology, std::uint64_t seed = 0);
  ~Network();
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Hands a packet to its source rank's injection queue, `delay` cycles later than it otherwise would be.
  /// Flits of one source, destination, channel and route stay in the order in which their packets join the
  /// queue. False: the queue has no room now; the packet was not taken, offer it again after a step. Throws
  /// Error (caller) for a packet that could never travel.
  bool offer(const Packet& packet, Cycle delay = 0);
  [[nodiscard]] bool can_offer(int rank, Channel channel, int flits) const;
  /// Ranks whose last refused offer would have fitted since; reading clears them. Spares a caller with many
  /// waiting endpoints from asking each in every cycle.
  [[nodiscard]] std::uint32_t reopened() noexcept;

  /// The packet that has waited longest at a rank, if any.
  [[nodiscard]] std::optional<Packet> front(int rank, Channel channel) const;
  /// Removes and returns it. False: nothing there.
  bool take(int rank, Channel channel, Packet& packet);
  /// Bit `rank` is set where front() has a packet. A rank that is not served blocks the requests behind it.
  [[nodiscard]] std::uint32_t deliverable(Channel channel) const noexcept;

  /// One SM clock.
  void step();
  /// Steps until now() == `until` or a packet is delivered, whichever is first, and jumps over stretches in
  /// which nothing can move. Returns true where it stopped for a delivery.
  bool step_until(Cycle until);

  [[nodiscard]] Cycle now() const noexcept;
  /// First cycle at which a step can change anything without a new offer or take: now() while flits are in
  /// the fabric, kNever when it is empty.
  [[nodiscard]] Cycle next_event() const noexcept;
  /// Packets offered and not yet taken.
  [[nodiscard]] std::int64_t in_flight() const noexcept;
  /// Counts every movement of a flit or packet: constant means that nothing moves.
  [[nodiscard]] std::uint64_t movements() const noexcept;

  [[nodiscard]] Statistics statistics() const;
  void clear_statistics();

  /// Null stops observing; the last events reach the observer only then.
  void observe(Observer* observer);

  /// Recounts every buffer and throws Error (check) that names the first thing that does not add up: a lost
  /// or doubled flit, a negative credit, a buffer over its depth. Debug builds call it after every step.
  void audit() const;
  /// One line for each buffer whose head cannot move: what it is, where it goes, what it waits for.
  [[nodiscard]] std::string stuck() const;

  /// Cycles that a packet takes from offer to delivery in an empty network: the sum of its parts.
  [[nodiscard]] Cycle zero_load_latency(const Packet& packet) const;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace plumb::fabric
