// SPDX-License-Identifier: Apache-2.0
#include "dsm/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "plumb/core/error.h"

namespace plumb::dsm {
namespace {

constexpr int kWarpThreads = 32;

std::uint32_t narrow(std::int64_t value, std::string_view field) {
  if (value > std::numeric_limits<std::uint32_t>::max() / 2) {
    throw Error(Fault::caller, fmt::format("{} = {}: the card counts it in 31 bits.", field, value));
  }
  return static_cast<std::uint32_t>(value);
}

Job job_of(const Traffic& traffic, const std::vector<Placement>& places, std::size_t index) {
  const Flow& f = traffic.flows[index];
  return Job{
      .kind = f.op == Op::load    ? JobKind::load
              : f.op == Op::store ? JobKind::store
                                  : JobKind::put,
      .flow = static_cast<std::uint32_t>(index),
      .first_warp = 0,
      .warps = f.op == Op::put ? 1U : static_cast<std::uint32_t>(f.warps),
      .in_flight = static_cast<std::uint32_t>(f.in_flight),
      .source = static_cast<std::uint32_t>(f.source),
      .peer = static_cast<std::uint32_t>(f.op == Op::load ? f.source : f.destination),
      .source_offset = narrow(places[index].source, "source_skew"),
      .destination_offset = narrow(places[index].destination, "destination_skew"),
      .bytes = narrow(f.bytes, "bytes"),
      .window = narrow(footprint(f), "window"),
      .segment = narrow(segment(f), "burst"),
      .command = narrow(f.command, "command"),
      .delay = narrow(f.delay, "delay"),
      .gap = narrow(f.gap, "gap"),
      .memory = Memory::shared,
  };
}

/// Warps that share each wait of a rank: as many as its flows leave free.
std::uint32_t waiters_at(const Traffic& traffic, int rank) {
  int waits = 0;
  for (const Flow& f : traffic.flows) waits += f.op == Op::put && f.destination == rank ? 1 : 0;
  if (waits == 0) return 0;
  const int others = warps_at(traffic, rank) - waits;
  return static_cast<std::uint32_t>(std::clamp((kMaxWarps - others) / waits, 1, kMaxWaiters));
}

}  // namespace

Schedule schedule(const Traffic& traffic) {
  validate(traffic);
  const std::vector<Placement> places = layout(traffic);
  Schedule out;
  std::uint32_t most_warps = 1;
  for (int rank = 0; rank < traffic.ranks; ++rank) {
    out.first_job.push_back(static_cast<std::uint32_t>(out.jobs.size()));
    out.first_landing.push_back(static_cast<std::uint32_t>(out.landings.size()));
    const std::uint32_t waiters = waiters_at(traffic, rank);
    std::uint32_t warp = 0;
    std::int64_t tile = 0;
    const auto add = [&](Job job) {
      job.first_warp = warp;
      warp += job.warps;
      out.jobs.push_back(job);
    };
    for (std::size_t i = 0; i < traffic.flows.size(); ++i) {
      const Flow& f = traffic.flows[i];
      const Job job = job_of(traffic, places, i);
      if (issuer(f) == rank) add(job);
      if (f.source == rank && f.op != Op::store) tile = std::max(tile, f.source_skew + footprint(f));
      if (f.destination != rank || f.op == Op::load) continue;
      out.landings.push_back({job.flow, job.source, job.source_offset, job.destination_offset, job.window});
      if (f.op == Op::put) {
        Job wait = job;
        wait.kind = JobKind::wait;
        wait.warps = waiters;
        add(wait);
      }
    }
    for (std::size_t b = 0; b < traffic.background.size(); ++b) {
      if (traffic.background[b].rank != rank) continue;
      Job job{};
      job.kind = JobKind::background;
      job.flow = static_cast<std::uint32_t>(traffic.flows.size() + b);
      job.warps = static_cast<std::uint32_t>(traffic.background[b].warps);
      job.memory = traffic.background[b].memory;
      add(job);
    }
    most_warps = std::max(most_warps, warp);
    out.tile_bytes.push_back(narrow(tile, "window"));
  }
  out.first_job.push_back(static_cast<std::uint32_t>(out.jobs.size()));
  out.first_landing.push_back(static_cast<std::uint32_t>(out.landings.size()));
  out.threads = static_cast<int>(most_warps + 1) * kWarpThreads;
  for (const Flow& f : traffic.flows) {
    if (f.op == Op::put || f.in_flight < kMaxInFlight || out.threads <= kDeepThreads) continue;
    throw Error(Fault::caller,
                fmt::format("in_flight = {} with {} warps in a CTA: the card has registers for "
                            "it up to {} warps; use in_flight = {} or fewer warps.",
                            f.in_flight, most_warps, kDeepThreads / kWarpThreads - 1, kMaxInFlight / 2));
  }
  return out;
}

}  // namespace plumb::dsm
