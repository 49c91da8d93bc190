// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/census.h"

#include <fmt/format.h>

#include "plumb/core/error.h"
#include "plumb/core/traffic.h"

namespace plumb {
namespace {

constexpr std::int64_t kMostHold = 1'000'000;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Fault::caller, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace

void validate(const Census& p) {
  if (p.ranks < 1 || p.ranks > kMaxRanks) fail("ranks = {}: a cluster has 1 to {} CTAs.", p.ranks, kMaxRanks);
  if (p.preferred != 0 && (p.preferred < p.ranks || p.preferred > kMaxRanks || p.preferred % p.ranks != 0))
    fail("preferred = {}: it must be a multiple of ranks = {} and at most {}.", p.preferred, p.ranks,
         kMaxRanks);
  if (p.per_sm < 1 || p.per_sm > kMostPerSm)
    fail("per_sm = {}: allowed is 1 to {} CTAs.", p.per_sm, kMostPerSm);
  if (p.clusters < 0 || std::int64_t{p.clusters} * p.ranks > kMostPlacedCtas)
    fail(
        "clusters = {} of {} CTAs: a grid has at most {} CTAs here; 0 is as many as the SMs have places for.",
        p.clusters, p.ranks, kMostPlacedCtas);
  if (p.preferred != 0 && p.clusters * p.ranks % p.preferred != 0)
    fail("clusters = {} of {} CTAs: with preferred = {} the CTAs must be a multiple of that.", p.clusters,
         p.ranks, p.preferred);
  if (p.hold < 0 || p.hold > kMostHold) fail("hold = {}: allowed is 0 to {} ns.", p.hold, kMostHold);
}

}  // namespace plumb
