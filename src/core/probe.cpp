// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/probe.h"

#include <fmt/format.h>

#include <array>

#include "core/names.h"
#include "plumb/core/error.h"
#include "plumb/core/traffic.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, kProbeOps> kNames{
    "load",          "atom",     "store",  "store-release", "red",        "st-async", "put",
    "st-async-wait", "put-wait", "arrive", "l2-store",      "l2-release", "l2-atom",  "sync",
    "sync-relaxed",  "poll",     "look",   "poll-lane",     "look-lane"};

constexpr int kWarp = 32;
constexpr int kMostThreads = 1024;

[[noreturn]] void refuse(const Probe& p, std::string_view field, int value, std::string_view rule) {
  throw Error(Fault::caller, fmt::format("probe ({}): {} = {}: {}.", name_of(p.op), field, value, rule));
}

}  // namespace

std::string_view name_of(ProbeOp op) noexcept { return kNames[static_cast<std::size_t>(op)]; }

ProbeOp probe_op_from(std::string_view name) { return enum_from<ProbeOp>(kNames, "probe operation", name); }

void validate(const Probe& p, int max_ranks) {
  const int least = is_pairwise(p.op) ? 2 : 1;
  if (p.ranks < least || p.ranks > max_ranks)
    refuse(p, "ranks", p.ranks, fmt::format("a cluster on this machine has {} to {} CTAs", least, max_ranks));
  if (p.links < 2 || p.links > kMostLinks || p.links % 2 != 0)
    refuse(p, "links", p.links, fmt::format("allowed are even numbers from 2 to {}", kMostLinks));
  const bool meets = p.op == ProbeOp::sync || p.op == ProbeOp::sync_relaxed;
  if (!meets && p.threads != kWarp)
    refuse(p, "threads", p.threads, fmt::format("one thread acts, in a warp of {}", kWarp));
  if (p.threads < kWarp || p.threads > kMostThreads || p.threads % kWarp != 0)
    refuse(p, "threads", p.threads, fmt::format("allowed are multiples of {} up to {}", kWarp, kMostThreads));
}

void validate(const Probe& probe) { validate(probe, kMaxRanks); }

}  // namespace plumb
