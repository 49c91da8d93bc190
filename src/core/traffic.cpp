// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/names.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 3> kOpNames{"load", "store", "put"};
constexpr std::array<std::string_view, 4> kMemoryNames{"shared", "shared-conflict", "l2", "dram"};

std::int64_t align_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

/// Bytes of payload memory that a rank's tile and regions take.
std::vector<std::int64_t> bytes_per_rank(const Traffic& traffic, std::vector<Placement>* placements) {
  std::vector<std::int64_t> used(static_cast<std::size_t>(traffic.ranks), 0);
  const auto at = [&](int rank) -> std::int64_t& { return used[static_cast<std::size_t>(rank)]; };
  for (const Flow& f : traffic.flows) {
    if (f.op == Op::store) continue;
    at(f.source) = std::max(at(f.source), align_up(f.source_skew + footprint(f), kRegionAlignment));
  }
  for (const Flow& f : traffic.flows) {
    Placement p{.source = f.source_skew, .destination = 0};
    if (f.op != Op::load) {
      p.destination = at(f.destination) + f.destination_skew;
      at(f.destination) += align_up(f.destination_skew + footprint(f), kRegionAlignment);
    }
    if (placements != nullptr) placements->push_back(p);
  }
  return used;
}

class FlowCheck {
 public:
  FlowCheck(const Traffic& traffic, std::size_t index)
      : traffic_(traffic), f_(traffic.flows[index]), index_(index) {}

  void run() const {
    rank("source", f_.source);
    rank("destination", f_.destination);
    if (f_.source == f_.destination) fail("source", f_.source, "the source and the destination must differ");
    size("bytes", f_.bytes, false);
    size("window", f_.window, true);
    size("burst", f_.burst, true);
    size("source_skew", f_.source_skew, true);
    size("destination_skew", f_.destination_skew, true);
    if (f_.delay < 0) fail("delay", f_.delay, "it counts SM cycles and cannot be negative");
    if (f_.gap < 0) fail("gap", f_.gap, "it counts SM cycles and cannot be negative");
    divides("window", footprint(f_), "bytes", f_.bytes);
    divides("burst", segment(f_), "the window", footprint(f_));
    f_.op == Op::put ? put() : threads();
  }

 private:
  [[noreturn]] void fail(std::string_view field, std::int64_t value, std::string_view rule) const {
    throw FlowError(index_, field,
                    fmt::format("flow {} ({} {} -> {}): {} = {}: {}.", index_, name_of(f_.op), f_.source,
                                f_.destination, field, value, rule));
  }
  void rank(std::string_view field, int value) const {
    if (value < 0 || value >= traffic_.ranks)
      fail(field, value, fmt::format("ranks go from 0 to {}", traffic_.ranks - 1));
  }
  void size(std::string_view field, std::int64_t value, bool zero_allowed) const {
    const std::int64_t least = zero_allowed ? 0 : kAccessBytes;
    if (value < least || value % kAccessBytes != 0)
      fail(field, value,
           fmt::format("it must be a multiple of {} bytes and at least {}", kAccessBytes, least));
  }
  void divides(std::string_view field, std::int64_t part, std::string_view whole_name,
               std::int64_t whole) const {
    if (part > whole || whole % part != 0)
      fail(field, part, fmt::format("it must divide {} ({} bytes) without a rest", whole_name, whole));
  }
  void put() const {
    size("command", f_.command, false);
    if (f_.bytes >= kMbarrierTxLimit)
      fail("bytes", f_.bytes, fmt::format("one mbarrier counts fewer than {} bytes", kMbarrierTxLimit));
  }
  void threads() const {
    if (f_.warps < 1 || f_.warps > kMaxWarps)
      fail("warps", f_.warps, fmt::format("a CTA has 1 to {} warps", kMaxWarps));
    if (f_.in_flight < 1 || f_.in_flight > kMaxInFlight ||
        !std::has_single_bit(static_cast<unsigned>(f_.in_flight)))
      fail("in_flight", f_.in_flight, "allowed are 1, 2, 4 and 8");
  }

  const Traffic& traffic_;
  const Flow& f_;
  std::size_t index_;
};

}  // namespace

std::string_view name_of(Op op) noexcept { return kOpNames[static_cast<std::size_t>(op)]; }

Op op_from(std::string_view name) { return enum_from<Op>(kOpNames, "operation", name); }

std::string_view name_of(Memory memory) noexcept { return kMemoryNames[static_cast<std::size_t>(memory)]; }

Memory memory_from(std::string_view name) { return enum_from<Memory>(kMemoryNames, "memory", name); }

std::vector<Placement> layout(const Traffic& traffic) {
  std::vector<Placement> placements;
  placements.reserve(traffic.flows.size());
  bytes_per_rank(traffic, &placements);
  return placements;
}

int warps_at(const Traffic& traffic, int rank) {
  int warps = 0;
  for (const Flow& f : traffic.flows) {
    if (issuer(f) == rank) warps += f.op == Op::put ? 1 : f.warps;
    if (f.op == Op::put && f.destination == rank) ++warps;
  }
  for (const Background& b : traffic.background) warps += b.rank == rank ? b.warps : 0;
  return warps;
}

void validate(const Traffic& traffic, int max_ranks) {
  if (traffic.ranks < 2 || traffic.ranks > max_ranks) {
    throw Error(Fault::caller, fmt::format("ranks = {}: a cluster on this machine has 2 to {} CTAs.",
                                           traffic.ranks, max_ranks));
  }
  if (traffic.flows.empty()) throw Error(Fault::caller, "the traffic has no flows; give at least one.");
  for (std::size_t i = 0; i < traffic.flows.size(); ++i) FlowCheck(traffic, i).run();
  for (const Background& b : traffic.background) {
    if (b.rank < 0 || b.rank >= traffic.ranks)
      throw Error(Fault::caller, fmt::format("background ({}): rank = {}: ranks go from 0 to {}.",
                                             name_of(b.memory), b.rank, traffic.ranks - 1));
    if (b.warps < 1 || b.warps > kMaxWarps)
      throw Error(Fault::caller, fmt::format("background ({}): warps = {}: a CTA has 1 to {} warps.",
                                             name_of(b.memory), b.warps, kMaxWarps));
  }

  const std::vector<std::int64_t> used = bytes_per_rank(traffic, nullptr);
  for (int rank = 0; rank < traffic.ranks; ++rank) {
    if (const std::int64_t bytes = used[static_cast<std::size_t>(rank)]; bytes > kSharedBytes) {
      throw Error(Fault::caller,
                  fmt::format("rank {} needs {} bytes of shared memory for its tile and the regions where "
                              "flows land, and has {}; give the flows a smaller window.",
                              rank, bytes, kSharedBytes));
    }
    if (const int warps = warps_at(traffic, rank); warps > kMaxWarps) {
      throw Error(Fault::caller, fmt::format("rank {} needs {} warps for its flows, and a CTA has {}; give "
                                             "the flows fewer warps.",
                                             rank, warps, kMaxWarps));
    }
  }
}

}  // namespace plumb
