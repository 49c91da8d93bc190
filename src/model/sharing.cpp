// SPDX-License-Identifier: Apache-2.0
#include "model/sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>

#include "model/queueing.h"
#include "plumb/core/error.h"

namespace plumb::model {
namespace {

constexpr std::int64_t kPairBytes = 64;  // writes travel in pairs of flits aligned to that
constexpr std::int64_t kAccess = 512;    // one warp's access

/// One end of each interval.
struct Setting {
  bool plain_queues = false;  ///< or no head-of-line blocking at all
  double ack_bytes = 0.0;
  double round_trip = 0.0;
  double command_cycles = 0.0;
};

/// A capacity in bytes of wire per cycle, and what each flow uses of it for a byte of payload.
struct Resource {
  Limit limit = Limit::shaper;
  int where = 0;
  double capacity = 0.0;
  std::vector<double> use;      ///< by flow; one that uses what is full grows no more
  std::vector<double> reserve;  ///< likewise of what is let through whatever else waits
};

/// Bytes of wire for a byte of payload.
double data_use(const Flow& f) {
  return f.op == Op::put && f.destination_skew % kPairBytes != 0 ? 5.0 / 4.0 : 1.0;
}

/// Bytes of wire that a byte of payload costs the other way: commands of reads, acknowledgments of writes.
double back_use(const Flow& f, const DsmParameters& p, const Setting& s) {
  return f.op == Op::load ? p.lane_bytes / p.response_bytes : p.lane_bytes / s.ack_bytes;
}

std::string why_not(const Traffic& traffic) {
  for (const Background& b : traffic.background)
    if (b.memory == Memory::l2 || b.memory == Memory::dram)
      return "a stream from L2 or DRAM shares the SM's memory pipe";
  for (const Flow& f : traffic.flows) {
    if (f.burst != 0 || f.gap != 0 || f.delay != traffic.flows.front().delay)
      return "flows that pause or start one after the other";
    if (f.op == Op::put && f.destination_skew % kPairBytes != 0 && f.destination_skew % 32 != 0)
      return "puts to odd multiples of 16 bytes are not measured";
    const std::int64_t batch = kAccess * f.warps * f.in_flight;
    if (f.op == Op::load && f.window != 0 && (batch >= f.window || f.window % batch != 0))
      return fmt::format("windows of {} bytes are no multiple of batches of {}: their ends drain", f.window,
                         batch);
  }
  return {};
}

/// Resources that are there for each SM, CPC and block, as they are first used.
class Resources {
 public:
  explicit Resources(std::size_t flows) : flows_(flows) {}

  Resource& of(Limit limit, int where, double capacity) {
    const auto [it, is_new] = index_.try_emplace({limit, where}, all_.size());
    if (is_new)
      all_.push_back(
          {limit, where, capacity, std::vector<double>(flows_, 0.0), std::vector<double>(flows_, 0.0)});
    return all_[it->second];
  }
  [[nodiscard]] std::deque<Resource> take() { return std::move(all_); }

 private:
  std::size_t flows_;
  std::map<std::pair<Limit, int>, std::size_t> index_;
  std::deque<Resource> all_;  // whose elements stay where they are
};

/// What is known of a plan before anything is shared out.
struct Plan {
  const Traffic& traffic;
  const Places& places;
  const DsmParameters& p;
  std::map<int, std::set<int>> senders;       ///< by CPC
  std::map<int, std::set<int>> destinations;  ///< by block
  std::set<int> crowded;  ///< blocks of several destinations, one of which is sent more than a lane

  Plan(const Traffic& t, const Places& where, const DsmParameters& parameters)
      : traffic(t), places(where), p(parameters) {
    std::map<int, int> out;
    for (const Flow& f : t.flows) ++out[f.source];
    std::map<int, double> offered;
    for (const Flow& f : t.flows) {
      senders[cpc(f.source)].insert(f.source);
      destinations[block(f.destination)].insert(f.destination);
      offered[f.destination] += lane_share(p) / out[f.source];
    }
    for (const auto& [rank, rate] : offered)
      if (rate > p.lane_bytes * (1 + 1e-9) && destinations[block(rank)].size() > 1)
        crowded.insert(block(rank));
  }

  [[nodiscard]] int cpc(int rank) const { return places.cpc.at(static_cast<std::size_t>(rank)); }
  [[nodiscard]] int block(int rank) const { return places.block.at(static_cast<std::size_t>(rank)); }
};

double ingress_capacity(const Plan& plan, int cpc, bool plain_queues) {
  if (!plain_queues || !plan.senders.contains(cpc)) return plan.p.lanes * plan.p.lane_bytes;
  const int active = static_cast<int>(plan.senders.at(cpc).size());
  return head_of_line_limit(active, static_cast<int>(plan.p.lanes)) * plan.p.lane_bytes;
}

double egress_capacity(const Plan& plan, int block, bool plain_queues) {
  if (!plain_queues || !plan.crowded.contains(block)) return plan.p.block_lanes * plan.p.lane_bytes;
  const int used = static_cast<int>(plan.destinations.at(block).size());
  return head_of_line_limit(static_cast<int>(plan.p.block_lanes), used) * plan.p.lane_bytes;
}

std::deque<Resource> resources_of(const Plan& plan, const Setting& s) {
  const DsmParameters& p = plan.p;
  const auto& flows = plan.traffic.flows;
  Resources all(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& f = flows[i];
    const auto on_the_way = [&](int from, int to) {
      const int cpc = plan.cpc(from);
      const int block = plan.block(to);
      return std::array{&all.of(Limit::port, to, p.lane_bytes),
                        &all.of(Limit::ingress, cpc, ingress_capacity(plan, cpc, s.plain_queues)),
                        &all.of(Limit::egress, block, egress_capacity(plan, block, s.plain_queues))};
    };
    all.of(Limit::shaper, f.source, lane_share(p)).use[i] += data_use(f);
    for (Resource* r : on_the_way(f.source, f.destination)) r->use[i] += data_use(f);
    // Commands and acknowledgments take their part of what the SM that sends them may send. Further on they
    // are few, and an arbiter that serves SMs in turn lets them through.
    all.of(Limit::shaper, f.destination, lane_share(p)).use[i] += back_use(f, p, s);
    for (Resource* r : on_the_way(f.destination, f.source)) r->reserve[i] += back_use(f, p, s);
    DsmParameters alone = p;
    alone.round_trip.value = s.round_trip;
    alone.command_cycles.value = s.command_cycles;
    const double most = f.op == Op::load ? in_flight_rate(f.warps, f.in_flight, alone).value
                        : f.op == Op::put && f.command < f.bytes
                            ? command_rate(static_cast<double>(f.command), alone).value
                            : lane_share(p);
    // A resource of this flow alone, told apart by the flow's number.
    if (most < lane_share(p))
      all.of(f.op == Op::load ? Limit::in_flight : Limit::command, static_cast<int>(i), most).use[i] = 1.0;
  }
  return all.take();
}

/// Rates of the flows that are not `done`, and the resource at which each stopped.
struct Filling {
  std::vector<double> rate;
  std::vector<const Resource*> stop;
};

/// `before`: the rates that what is reserved goes with.
Filling fill(const std::deque<Resource>& resources, const std::vector<bool>& done,
             const std::vector<double>& before) {
  const std::size_t n = done.size();
  Filling out{std::vector<double>(n, 0.0), std::vector<const Resource*>(n, nullptr)};
  std::vector<bool> frozen = done;
  while (!std::ranges::all_of(frozen, [](bool f) { return f; })) {
    double level = std::numeric_limits<double>::infinity();
    const Resource* full = nullptr;
    for (const Resource& r : resources) {
      double taken = 0.0;
      double wanted = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        if (done[i]) continue;
        taken += r.reserve[i] * before[i];
        (frozen[i] ? taken : wanted) += r.use[i] * (frozen[i] ? out.rate[i] : 1.0);
      }
      if (wanted <= 0.0) continue;
      const double here = std::max(0.0, r.capacity - taken) / wanted;
      if (here < level * (1 - 1e-12)) {
        level = here;
        full = &r;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (frozen[i]) continue;
      out.rate[i] = level;
      if (full->use[i] > 0.0) {
        frozen[i] = true;
        out.stop[i] = full;
      }
    }
  }
  return out;
}

/// The rates at which what is reserved fits to what is sent: each pass is off by a quarter of the one before
/// at most, the part of a read's command.
Filling settled(const std::deque<Resource>& resources, const std::vector<bool>& done, double share) {
  std::vector<double> before(done.size(), share);
  Filling out;
  constexpr int kPasses = 30;
  for (int pass = 0; pass < kPasses; ++pass) {
    out = fill(resources, done, before);
    double moved = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i)
      moved = std::max(moved, std::abs(out.rate[i] - before[i]));
    before = out.rate;
    if (moved < 1e-12 * share) break;
  }
  return out;
}

struct Run {
  std::vector<double> cycles;
  std::vector<Limit> limit;
  std::vector<int> where;
};

Run run(const Plan& plan, const Setting& setting) {
  const auto& flows = plan.traffic.flows;
  const std::deque<Resource> resources = resources_of(plan, setting);
  std::vector<double> left;
  left.reserve(flows.size());
  for (const Flow& f : flows) left.push_back(static_cast<double>(f.bytes));
  std::vector<bool> done(flows.size(), false);
  Run out{std::vector<double>(flows.size(), 0.0), std::vector<Limit>(flows.size(), Limit::shaper),
          std::vector<int>(flows.size(), 0)};
  double now = 0.0;
  bool first = true;
  while (!std::ranges::all_of(done, [](bool d) { return d; })) {
    const Filling filling = settled(resources, done, lane_share(plan.p));
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (done[i]) continue;
      step = std::min(step, left[i] / filling.rate[i]);
      if (!first) continue;
      out.limit[i] = filling.stop[i]->limit;
      out.where[i] = filling.stop[i]->where;
      if (out.limit[i] == Limit::in_flight || out.limit[i] == Limit::command) out.where[i] = issuer(flows[i]);
    }
    first = false;
    now += step;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (done[i]) continue;
      left[i] -= step * filling.rate[i];
      done[i] = left[i] <= 1e-9 * static_cast<double>(flows[i].bytes);
      if (done[i]) out.cycles[i] = now;
    }
  }
  return out;
}

Setting expected(const DsmParameters& p, bool plain_queues) {
  return {plain_queues, p.ack_bytes.value, p.round_trip.value, p.command_cycles.value};
}

}  // namespace

std::string_view name_of(Limit limit) noexcept { return kLimitNames.at(static_cast<std::size_t>(limit)); }

const FlowRate& Shares::slowest() const {
  static_cast<void>(flows.at(0));
  return *std::ranges::max_element(flows, {}, [](const FlowRate& f) { return f.cycles.value; });
}

Shares share(const Traffic& traffic, const Places& places, const DsmParameters& p) {
  validate(traffic);
  const auto ranks = static_cast<std::size_t>(traffic.ranks);
  if (places.cpc.size() < ranks || places.block.size() < ranks)
    throw Error(Fault::caller, fmt::format("{} ranks, and places for {} only.", ranks, places.cpc.size()));
  Shares out{.reason = why_not(traffic), .flows = {}};
  if (!out.apply()) return out;
  const Plan plan(traffic, places, p);
  const Run most = run(plan, {false, p.ack_bytes.high, p.round_trip.low, p.command_cycles.low});
  const Run least = run(plan, {true, p.ack_bytes.low, p.round_trip.high, p.command_cycles.high});
  const Run free = run(plan, expected(p, false));
  const Run blocked = run(plan, expected(p, true));
  for (std::size_t i = 0; i < traffic.flows.size(); ++i) {
    const auto bytes = static_cast<double>(traffic.flows[i].bytes);
    const double one = bytes / least.cycles[i];
    const double other = bytes / most.cycles[i];
    const double value = (bytes / free.cycles[i] + bytes / blocked.cycles[i]) / 2;
    // Head-of-line blocking that costs next to nothing is not what limits a flow.
    const bool held_up = blocked.cycles[i] > 1.05 * free.cycles[i];
    const Expected rate{value, std::min({one, other, value}) * (1 - p.repeat),
                        std::max({one, other, value}) * (1 + p.repeat)};
    out.flows.push_back({.rate = rate,
                         .cycles = {bytes / rate.value, bytes / rate.high, bytes / rate.low},
                         .limit = held_up ? blocked.limit[i] : free.limit[i],
                         .where = held_up ? blocked.where[i] : free.where[i]});
  }
  return out;
}

Expected start_of(const Traffic& traffic, std::size_t i) {
  const Flow& flow = traffic.flows.at(i);
  const bool both_ways =
      std::ranges::any_of(traffic.flows, [&](const Flow& f) { return f.source == flow.destination; });
  return start_cycles(flow.op, traffic.ranks, both_ways);
}

Expected completion(const Traffic& traffic, const Shares& shares, std::size_t i) {
  const Expected start = start_of(traffic, i);
  const Expected& moving = shares.flows.at(i).cycles;
  return {start.value + moving.value, start.low + moving.low, start.high + moving.high};
}

}  // namespace plumb::model
