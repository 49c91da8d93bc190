// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/dsm.h"
#include "plumb/core/traffic.h"

namespace plumb::model {

/// Where the ranks of a cluster sit, in numbers of any kind: ranks with the same one share it.
struct Places {
  std::vector<int> cpc;    ///< by rank
  std::vector<int> block;  ///< egress block, by rank
};

/// What a flow waits for.
enum class Limit : std::uint8_t { shaper, ingress, egress, port, in_flight, command };
inline constexpr std::array<std::string_view, 6> kLimitNames{
    "shaper", "ingress", "egress", "destination port", "bytes in flight", "command set-up"};
[[nodiscard]] std::string_view name_of(Limit limit) noexcept;

struct FlowRate {
  Expected rate;    ///< B/cycle: its payload over the time until it is complete, start excluded
  Expected cycles;  ///< that time
  Limit limit = Limit::shaper;
  int where = 0;  ///< shaper, port, in flight, command: a rank; ingress, egress: a number of Places
};

/// The rates of all flows of a plan.
struct Shares {
  std::string reason;  ///< why the model does not apply; empty: it does
  std::vector<FlowRate> flows;

  [[nodiscard]] bool apply() const { return reason.empty(); }
  /// The flow that is complete last. Throws std::out_of_range where the model does not apply.
  [[nodiscard]] const FlowRate& slowest() const;
};

/// Flows as fluids: each gets as much as any other until something it uses is full (max-min fairness), and
/// what a flow that is complete leaves goes to the others. Full are an SM's share of the lanes out, the lanes
/// out of a CPC, the lanes into an egress block, the lane into an SM. Commands of reads and acknowledgments
/// of writes use the ways back. Head-of-line blocking in front of the lanes of a CPC, and in front of a block
/// of several destinations one of which is sent more than a lane, is between none and that of plain queues;
/// the expected value is in the middle. Throws Error (caller) where the plan is illegal or has more ranks
/// than `places`.
[[nodiscard]] Shares share(const Traffic& traffic, const Places& places, const DsmParameters& p = {});

/// SM cycles from the start of a plan until its flow `i` is complete, start and completion included.
[[nodiscard]] Expected completion(const Traffic& traffic, const Shares& shares, std::size_t i);
/// What of that is not the payload's.
[[nodiscard]] Expected start_of(const Traffic& traffic, std::size_t i);

}  // namespace plumb::model
