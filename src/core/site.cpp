// SPDX-License-Identifier: Apache-2.0
#include "core/site.h"

#include <fmt/format.h>

#include <array>

#include "core/names.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 3> kPolicies{"default", "spread", "load-balancing"};
constexpr int kMostHeat = 1000;

}  // namespace

std::string_view name_of(Policy policy) noexcept { return kPolicies[static_cast<std::size_t>(policy)]; }

Policy policy_from(std::string_view name) { return enum_from<Policy>(kPolicies, "scheduling policy", name); }

void validate(const Site& site) {
  if (site.clusters < 0)
    throw Error(Fault::caller,
                fmt::format("clusters = {}: give 1 or more, or 0 for as many as fit.", site.clusters));
  if (site.gpc < -1)
    throw Error(Fault::caller, fmt::format("gpc = {}: GPCs are counted from 0; -1 is any.", site.gpc));
  if (site.gpc >= 0 && site.clusters != 1)
    throw Error(Fault::caller,
                fmt::format("gpc = {} with clusters = {}: a chosen GPC holds one working cluster.", site.gpc,
                            site.clusters));
  if (site.heat_ms < 0 || site.heat_ms > kMostHeat)
    throw Error(Fault::caller,
                fmt::format("heat_ms = {}: allowed is 0 to {} milliseconds.", site.heat_ms, kMostHeat));
}

}  // namespace plumb
