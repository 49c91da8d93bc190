// SPDX-License-Identifier: Apache-2.0
#include "model/dsm.h"

#include <algorithm>
#include <map>

#include "model/queueing.h"

namespace plumb::model {
namespace {

constexpr double kAccess = 512;  // bytes of one warp's access

Expected between(double low, double high) { return {(low + high) / 2, low, high}; }

Expected at_most(const Expected& e, double most) {
  return {std::min(e.value, most), std::min(e.low, most), std::min(e.high, most)};
}

}  // namespace

double lane_share(const DsmParameters& p) { return p.lanes * p.lane_bytes / p.clients; }

double read_cycles(double bytes, bool both_ways, const DsmParameters& p) {
  const double flits = bytes / p.lane_bytes + (both_ways ? bytes / p.response_bytes : 0.0);
  return flits * p.clients / p.lanes;
}

double duplex_read_rate(double response_bytes, const DsmParameters& p) {
  const double flits = response_bytes / p.lane_bytes;
  return lane_share(p) * flits / (flits + 1);
}

Expected duplex_write_rate(const DsmParameters& p) {
  const auto rate = [&](double ack_bytes) { return lane_share(p) * ack_bytes / (ack_bytes + p.lane_bytes); };
  return {rate(p.ack_bytes.value), rate(p.ack_bytes.low), rate(p.ack_bytes.high)};
}

double incast_rate(int sources, const DsmParameters& p) {
  return std::min(sources * lane_share(p), p.lane_bytes);
}

Expected egress_rate(int destinations, const DsmParameters& p) {
  const double most = std::min(static_cast<double>(destinations), p.block_lanes) * p.lane_bytes;
  const double least = head_of_line_limit(static_cast<int>(p.block_lanes), destinations) * p.lane_bytes;
  return between(std::min(least, most), most);
}

Expected ring_rate(int active, double flits, const DsmParameters& p) {
  const double most = lane_share(p);
  const double lanes = head_of_line_limit(active, static_cast<int>(p.lanes)) * p.lane_bytes / active;
  return between(std::min(lanes, most) / flits, most / flits);
}

Expected in_flight_rate(int warps, int in_flight, const DsmParameters& p) {
  const double batch = kAccess * in_flight;
  const auto rate = [&](double trip) { return warps * batch / (trip + batch / lane_share(p)); };
  return at_most({rate(p.round_trip.value), rate(p.round_trip.high), rate(p.round_trip.low)}, lane_share(p));
}

Expected command_rate(double command, const DsmParameters& p) {
  const Expected& c = p.command_cycles;
  return at_most({command / c.value, command / c.high, command / c.low}, lane_share(p));
}

Expected start_cycles(Op op, int ranks, bool both_ways) {
  // Intercepts of dsm/pair, dsm/scaling and dsm/fan-out in the shipped H200 run.
  switch (op) {
    case Op::load:
      return both_ways ? Expected{366, 340, 410} : Expected{420, 385, 470};
    case Op::store: {
      const double middle = 490.0 + 2.0 * ranks;
      return {middle, middle - 30, middle + 40};
    }
    case Op::put: {
      const double middle = 295.0 + 6.0 * ranks;
      return {middle, middle - 25, middle + 30};
    }
  }
  return {};
}

L2Exchange through_l2(const Traffic& traffic, const L2Parameters& p) {
  std::map<int, double> sent;
  std::map<int, double> received;
  double all = 0.0;
  for (const Flow& f : traffic.flows) {
    const auto bytes = static_cast<double>(f.bytes);
    sent[f.source] += bytes;
    received[f.destination] += bytes;
    all += bytes;
  }
  const auto most = [](const std::map<int, double>& by_rank) {
    double out = 0.0;
    for (const auto& [rank, bytes] : by_rank) out = std::max(out, bytes);
    return out;
  };
  L2Exchange out;
  out.write = std::max(most(sent) / p.write, all / p.write_gpc);
  out.read = p.latency + std::max(most(received) / p.read, all / p.read_gpc);
  const double steps = out.write + out.read;
  out.total = {steps + p.flag.value, steps * (1 - p.spread) + p.flag.low,
               steps * (1 + p.spread) + p.flag.high};
  return out;
}

}  // namespace plumb::model
