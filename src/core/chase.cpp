// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/chase.h"

#include <fmt/format.h>

#include <array>

#include "core/names.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 6> kWays{"add", "shared", "load", "load-l2", "ldgsts", "bulk"};
constexpr int kGranule = 16;
constexpr int kUnroll = 4;  // links in the body of a timed loop

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Fault::caller, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace

std::string_view name_of(ChaseWay way) noexcept { return kWays[static_cast<std::size_t>(way)]; }
ChaseWay chase_way_from(std::string_view name) { return enum_from<ChaseWay>(kWays, "way", name); }

void validate(const Chase& c) {
  if (c.links < kUnroll || c.links > kMostChaseLinks || c.links % kUnroll != 0)
    fail("links = {}: give a multiple of {}, {} at most.", c.links, kUnroll, kMostChaseLinks);
  if (c.nodes < 1 || c.nodes >= std::int64_t{1} << 31) fail("nodes = {}: allowed is 1 to 2^31 - 1.", c.nodes);
  if (c.stride < kGranule || c.stride % kGranule != 0)
    fail("stride = {}: give a positive multiple of {}.", c.stride, kGranule);
  if (c.cold && (!is_global(c.way) || c.nodes <= c.links))
    fail("cold: a chain in global memory of more nodes ({}) than links ({}) can be.", c.nodes, c.links);
  if (!is_global(c.way) && c.nodes * c.stride > kMostChaseShared)
    fail("nodes x stride = {}: shared memory has {} bytes for a chain.", c.nodes * c.stride,
         kMostChaseShared);
}

}  // namespace plumb
