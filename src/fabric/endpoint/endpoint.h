// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fabric/endpoint/ack_sender.h"
#include "fabric/endpoint/load_issue.h"
#include "fabric/endpoint/put_engine.h"
#include "fabric/endpoint/store_issue.h"

namespace plumb::fabric {

/// One SM: its issuing units, its shared memory that serves what arrives, and its counters of what is
/// outstanding. Called only in cycles in which it has something to do.
class Endpoint {
 public:
  Endpoint(const Parameters& p, std::uint32_t rank)
      : rank_(rank), loads_(p), stores_(p), puts_(p), acks_(p), memory_({p.smem_bytes_per_cycle, 1}) {}

  /// A flow that this SM issues; the first instruction comes at `first`. Returns the slot for returned().
  std::size_t issue(std::uint32_t flow, const Flow& plan, Cycle first);
  /// A flow whose writes arrive here. Returns the account for its acknowledgments.
  std::size_t receive(std::uint32_t flow) { return acks_.add(flow); }

  /// Takes all arrived responses; that is what makes their channel non-blocking.
  void take_responses(World& world, Cycle now);
  /// Serves arrived requests as long as the shared memory and room for answers allow. Returns when to call
  /// again for those that had to wait; kNever where none had.
  Cycle take_requests(World& world, Cycle now);
  /// Sends the acknowledgments that are due. Returns when the next may be.
  Cycle acknowledge(World& world, Cycle now) {
    acks_.send(world, now);
    return acks_.wake();
  }
  [[nodiscard]] Cycle ack_wake() const noexcept { return acks_.wake(); }
  /// Issues up to one packet per unit. Returns when to call again; kNever: once room or data has come back.
  Cycle issue_packets(World& world, Cycle now);

  /// Nothing outstanding and no acknowledgment owed: the SM could exit.
  [[nodiscard]] bool drained() const noexcept {
    return loads_.outstanding() + stores_.outstanding() + puts_.outstanding() == 0 && !acks_.pending();
  }
  /// What it still waits for, for a person.
  [[nodiscard]] std::string state() const;

 private:
  Issue issue_memory(World& world, Cycle now);
  void write(World& world, Cycle now, const Tag& tag);
  /// False: there is no room for the answer yet.
  bool read(World& world, Cycle now, std::uint16_t packet);
  void take_answer(World& world, Cycle now, std::uint16_t packet);

  std::uint32_t rank_;
  LoadIssue loads_;
  StoreIssue stores_;
  PutEngine puts_;
  AckSender acks_;
  Throttle memory_;
  bool issues_ = false;       ///< any flow is issued here
  bool only_puts_ = false;    ///< and all of them are puts
  bool puts_first_ = false;   ///< the put engine issues before the memory pipe
  bool stores_turn_ = false;  ///< stores have the memory pipe
  int turn_packets_ = 0;      ///< that may still go before it passes to the other kind
};

}  // namespace plumb::fabric
