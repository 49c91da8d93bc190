// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/core/traffic.h"

namespace plumb::dsm {

enum class JobKind : std::uint32_t { load, store, put, wait, background };

/// What a group of warps of one CTA does in a sample. The kernel reads its job once, before the start
/// barrier; nothing of it is looked up inside the timed loops. Plain data, shared by host and device.
struct Job {
  JobKind kind;
  std::uint32_t flow;        ///< index into Traffic::flows; also the slot of its mbarrier
  std::uint32_t first_warp;  ///< of the group, in its CTA
  std::uint32_t warps;
  std::uint32_t in_flight;           ///< accesses of a thread back to back
  std::uint32_t source;              ///< rank that holds the payload: it seeds what the payload must be
  std::uint32_t peer;                ///< the other rank of the flow
  std::uint32_t source_offset;       ///< bytes from the start of the payload memory
  std::uint32_t destination_offset;  ///< likewise
  std::uint32_t bytes;               ///< per sample
  std::uint32_t window;              ///< distinct bytes; divides `bytes`
  std::uint32_t segment;             ///< bytes between two pauses; divides `window`
  std::uint32_t command;             ///< bytes of one bulk copy
  std::uint32_t delay;               ///< SM cycles
  std::uint32_t gap;                 ///< SM cycles
  Memory memory;                     ///< of a background, whose `flow` comes after those of the flows
};

/// A region of a CTA's payload memory where a store or a put lands: poisoned before, verified after.
struct Landing {
  std::uint32_t flow;
  std::uint32_t source;              ///< rank whose tile the payload is from
  std::uint32_t source_offset;       ///< bytes from the start of that tile
  std::uint32_t destination_offset;  ///< bytes from the start of the payload memory
  std::uint32_t bytes;
};

/// Jobs and landings of all ranks, rank by rank: those of rank r are [first[r], first[r + 1]).
struct Schedule {
  std::vector<Job> jobs;
  std::vector<std::uint32_t> first_job;
  std::vector<Landing> landings;
  std::vector<std::uint32_t> first_landing;
  std::vector<std::uint32_t> tile_bytes;  ///< per rank: the start of its payload memory that flows read
  int threads = 0;  ///< of each CTA: enough warps for the busiest rank, and one that reads %globaltimer
};

/// A look at an mbarrier that is not complete keeps its warp for about 200 cycles on an H200 where one thread
/// of it looks (69 where all do in step, see dsm/latency), so one waiting warp sees a completion up to that
/// much late. Where a rank has warps to spare, up to this many share a wait and look in turn; the first to
/// see the completion stops the clock.
inline constexpr int kMaxWaiters = 16;
inline constexpr int kLookCycles = 200;

/// Threads of a CTA up to which kMaxInFlight accesses fit into the registers of a thread; above, half.
inline constexpr int kDeepThreads = 544;
inline constexpr int kMaxThreads = 1024;

/// Assigns warps to flows. Throws Error (caller) where `traffic` is not legal or a count passes 32 bits.
[[nodiscard]] Schedule schedule(const Traffic& traffic);

}  // namespace plumb::dsm
