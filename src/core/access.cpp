// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "core/names.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 7> kForms{"load",        "generic-load", "store", "red",
                                                 "async-store", "async-red",    "bulk"};
constexpr std::array<std::string_view, 3> kTargets{"local", "own", "peer"};
constexpr std::array<std::string_view, 6> kLaneNames{"coalesced", "strided",  "swizzled",
                                                     "broadcast", "shuffled", "shuffled-4k"};
constexpr int kMostStride = 32;
constexpr std::int64_t kShuffleBytes = 4096;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Fault::caller, fmt::format(format, std::forward<Args>(args)...));
}

bool adds(Form form) { return form == Form::red || form == Form::async_red; }

void check_width(const Access& a) {
  if (a.form == Form::bulk) {
    if (a.width < kAccessBytes || a.width % kAccessBytes != 0)
      fail("width = {}: a bulk copy moves 16 bytes or a multiple.", a.width);
    return;
  }
  const std::vector<int> allowed = adds(a.form) ? std::vector<int>{4, 8} : std::vector<int>{4, 8, 16};
  if (std::find(allowed.begin(), allowed.end(), a.width) == allowed.end())
    fail("width = {}: {} takes {} bytes.", a.width, name_of(a.form), fmt::join(allowed, ", "));
}

void check_threads(const Access& a) {
  if (a.warps < 1 || a.warps > kMostAccessWarps)
    fail("warps = {}: allowed is 1 to {}.", a.warps, kMostAccessWarps);
  const bool free = a.form == Form::bulk || (a.form == Form::load && a.width == kAccessBytes);
  if (!free && a.in_flight != kMaxInFlight)
    fail("in_flight = {}: it is {} but for loads of 16 bytes and bulk copies.", a.in_flight, kMaxInFlight);
  if (a.in_flight < 1 || a.in_flight > kMaxInFlight ||
      !std::has_single_bit(static_cast<unsigned>(a.in_flight)))
    fail("in_flight = {}: allowed are 1, 2, 4, 8.", a.in_flight);
}

void check_lanes(const Access& a) {
  if (a.lanes != Lanes::coalesced && a.form == Form::bulk)
    fail("lanes = {}: a bulk copy has no lanes; it is coalesced.", name_of(a.lanes));
  if (a.lanes == Lanes::broadcast && (a.form == Form::store || a.form == Form::async_store))
    fail("lanes = broadcast: {} to one address leaves one lane's value; loads and reds may.",
         name_of(a.form));
  if (a.lanes != Lanes::strided && a.stride != 1)
    fail("stride = {}: only strided lanes have one; it is 1.", a.stride);
  if (a.lanes == Lanes::strided &&
      (a.stride < 2 || a.stride > kMostStride || !std::has_single_bit(static_cast<unsigned>(a.stride))))
    fail("stride = {}: allowed are 2, 4, 8, 16, 32.", a.stride);
  if (a.lanes != Lanes::strided && a.run != 1) fail("run = {}: only strided lanes have one; it is 1.", a.run);
  if (a.run < 1 || (a.lanes == Lanes::strided && a.run >= a.stride) ||
      !std::has_single_bit(static_cast<unsigned>(a.run)))
    fail("run = {}: give a power of two below the stride, {}.", a.run, a.stride);
  const int rows = a.lanes == Lanes::swizzled ? kLanes : a.stride / a.run;
  if (instructions(a) % rows != 0)
    fail("warps x in_flight = {}: {} lanes need a multiple of {} to fill their rows.", instructions(a),
         pattern_of(a), rows);
  if (a.lanes == Lanes::shuffled_4k && window(a) % kShuffleBytes != 0)
    fail("warps x in_flight = {}: the window of {} bytes is no multiple of the {} that are shuffled.",
         instructions(a), window(a), kShuffleBytes);
}

}  // namespace

std::string_view name_of(Form form) noexcept { return kForms[static_cast<std::size_t>(form)]; }
std::string_view name_of(Target target) noexcept { return kTargets[static_cast<std::size_t>(target)]; }
std::string_view name_of(Lanes lanes) noexcept { return kLaneNames[static_cast<std::size_t>(lanes)]; }
Form form_from(std::string_view name) { return enum_from<Form>(kForms, "form", name); }
Target target_from(std::string_view name) { return enum_from<Target>(kTargets, "target", name); }
Lanes lanes_from(std::string_view name) { return enum_from<Lanes>(kLaneNames, "lanes", name); }

std::string pattern_of(const Access& a) {
  if (a.lanes != Lanes::strided) return std::string(name_of(a.lanes));
  return a.run == 1 ? fmt::format("stride-{}", a.stride) : fmt::format("stride-{}-run-{}", a.stride, a.run);
}

void validate(const Access& a) {
  if (has_mbarrier(a.form) && a.target == Target::local)
    fail("target = local: {} exists in the cluster's window alone; give own or peer.", name_of(a.form));
  check_width(a);
  check_threads(a);
  check_lanes(a);
  // A bulk copy has its source beside its target where both are in one SM.
  const std::int64_t room = a.form == Form::bulk ? kSharedBytes / 2 : kSharedBytes;
  if (window(a) > room)
    fail("width x warps x in_flight makes a window of {} bytes; shared memory has room for {}.", window(a),
         room);
  if (a.bytes <= 0 || a.bytes % window(a) != 0)
    fail("bytes = {}: give a positive multiple of the window, {}.", a.bytes, window(a));
  if (a.bytes >= std::int64_t{1} << 31) fail("bytes = {}: allowed is less than 2 GiB.", a.bytes);
  if (has_mbarrier(a.form) && a.bytes >= kMbarrierTxLimit)
    fail("bytes = {}: an mbarrier counts fewer than {} bytes.", a.bytes, kMbarrierTxLimit);
}

}  // namespace plumb
