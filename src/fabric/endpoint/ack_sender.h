// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fabric/endpoint/unit.h"

namespace plumb::fabric {

/// Acknowledges the writes that arrive at one SM: once enough bytes of a flow are in, or once none has come
/// for a while. With acks = each, every write packet is enough.
class AckSender {
 public:
  explicit AckSender(const Parameters& p)
      : threshold_(p.acks == Acks::each ? kAccessBytes : p.ack_bytes), idle_(p.ack_idle) {}

  /// Returns the account that written() and later calls use.
  std::size_t add(std::uint32_t flow) {
    accounts_.push_back({.flow = flow});
    return accounts_.size() - 1;
  }

  void written(Cycle now, std::size_t account, const Tag& write) noexcept {
    Account& a = accounts_[account];
    if (a.pending == 0) {
      ++open_;
      check_ = std::min(check_, now + idle_);
    }
    a.pending += write.bytes;
    a.offset = write.offset;
    a.last = now;
    if (a.pending >= threshold_) check_ = now;
  }

  /// Bytes that are in and not acknowledged, of any flow.
  [[nodiscard]] bool pending() const noexcept { return open_ != 0; }
  /// When send() has to be called next.
  [[nodiscard]] Cycle wake() const noexcept { return check_; }

  void send(World& world, Cycle now) {
    if (check_ > now) return;
    check_ = kNever;
    if (open_ == 0) return;
    for (Account& a : accounts_) {
      if (a.pending == 0) continue;
      const bool due = a.pending >= threshold_ || a.last + idle_ <= now;
      if (due && offer(world, a)) {
        a.pending = 0;
        --open_;
      } else {
        check_ = std::min(check_, due ? now + 1 : a.last + idle_);
      }
    }
  }

 private:
  struct Account {
    std::uint32_t flow = 0;
    std::int64_t pending = 0;
    std::int64_t offset = 0;  ///< of the last write, whose route the acknowledgment takes
    Cycle last = 0;
  };

  static bool offer(World& world, const Account& a) {
    const FlowState& state = world.flows[a.flow];
    return world.engine.offer({.source = state.flow.destination,
                               .destination = state.flow.source,
                               .channel = world.answers,
                               .kind = PacketKind::ack,
                               .flits = world.p.ack_flits,
                               .leading_flits = world.p.ack_flits,
                               .address = static_cast<std::uint64_t>(state.place.destination + a.offset),
                               .tag = Tag{.flow = a.flow, .bytes = a.pending}.pack()});
  }

  std::int64_t threshold_;
  Cycle idle_;
  std::vector<Account> accounts_;
  std::size_t open_ = 0;
  Cycle check_ = kNever;
};

}  // namespace plumb::fabric
