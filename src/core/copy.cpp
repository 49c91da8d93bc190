// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/names.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 3> kPaths{"ldgsts", "bulk", "tma"};
constexpr std::array<std::string_view, 4> kPromotions{"none", "64B", "128B", "256B"};
constexpr std::array<std::string_view, 4> kSharings{"none", "implicit", "multicast", "across"};
constexpr std::array<std::string_view, 2> kLayouts{"dense", "paged"};
constexpr std::array<int, 6> kLdgstsStages{1, 2, 4, 8, 12, 16};
constexpr int kLeastInStep = 8;
constexpr int kWarp = 32;
constexpr int kGranule = 16;                  // bytes: every bulk copy and every row of a box is a multiple
constexpr std::int64_t kTileAlignment = 128;  // bytes: PTX ISA, cp.async.bulk.tensor
constexpr int kMostCtas = 4;
constexpr int kMostCluster = 16;
constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kCtaOverhead = 3 * kKiB;  // one KiB of the system's, two of the kernels'
constexpr std::int64_t kMbarrierBytes = std::int64_t{1} << 20;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Fault::caller, fmt::format(format, std::forward<Args>(args)...));
}

void check_ldgsts(const Copy& c) {
  if (c.width != 4 && c.width != 8 && c.width != 16)
    fail("width = {}: cp.async moves 4, 8 or 16 bytes a thread.", c.width);
  if (c.threads < kWarp || c.threads > kMostCopyThreads || c.threads % kWarp != 0)
    fail("threads = {}: give a multiple of {}, {} at most.", c.threads, kWarp, kMostCopyThreads);
  if (std::find(kLdgstsStages.begin(), kLdgstsStages.end(), c.stages) == kLdgstsStages.end())
    fail("stages = {}: the ldgsts kernels have {}.", c.stages, fmt::join(kLdgstsStages, ", "));
  if (c.in_step && (c.width != kGranule || c.stages < kLeastInStep))
    fail("in_step: the ldgsts kernels that meet copy {} bytes with {} stages or more, not {} with {}.",
         kGranule, kLeastInStep, c.width, c.stages);
  if (!c.box.empty()) fail("box = {}: ldgsts has none; its tile is threads x width.", box_text(c));
}

void check_box(const Copy& c) {
  const std::size_t most = c.path == CopyPath::bulk ? 1 : 3;
  const std::size_t least = c.path == CopyPath::bulk ? 1 : 2;
  if (c.box.size() < least || c.box.size() > most)
    fail("box = {}: {} has {}.", c.box.empty() ? "none" : box_text(c), name_of(c.path),
         c.path == CopyPath::bulk ? "one extent" : "two or three extents");
  const bool tensor = c.path == CopyPath::tma;
  for (const int side : c.box) {
    if (side < 1) fail("box = {}: every extent is at least 1.", box_text(c));
    if (tensor && side > kMostBox)
      fail(
          "box = {}: a tensor map allows at most {} elements along each side; make the box smaller or more "
          "of them.",
          box_text(c), kMostBox);
  }
  const int row = c.box.front() * kElementBytes;
  if (row % kGranule != 0)
    fail("box = {}: its rows are {} bytes; they must be a multiple of {} to be aligned.", box_text(c), row,
         kGranule);
  // Boxes stand side by side in shared memory, each where a tensor map and its swizzle may begin.
  const std::int64_t unit = kTileAlignment << (c.swizzle == Swizzle::none ? 0 : static_cast<int>(c.swizzle));
  if (tensor && tile_bytes(c) % unit != 0)
    fail(
        "box = {}: it has {} bytes; give a multiple of {}, so that the next one in shared memory is aligned.",
        box_text(c), tile_bytes(c), unit);
  if (c.swizzle != Swizzle::none) {
    if (!tensor) fail("swizzle = {}: only a tensor map has one; it is none.", name_of(c.swizzle));
    const int span = 16 << static_cast<int>(c.swizzle);
    if (row > span)
      fail("swizzle = {}: it takes rows of at most {} bytes; those of a box of {} are {}.",
           name_of(c.swizzle), span, box_text(c), row);
  }
  if (c.promotion != Promotion::none && !tensor)
    fail("promotion = {}: only a tensor map has one; it is none.", name_of(c.promotion));
}

void check_engine(const Copy& c) {
  if (c.in_step) fail("in_step: only ldgsts has it; {} waits at mbarriers.", name_of(c.path));
  if (c.width != kGranule) fail("width = {}: only ldgsts has one; leave it at {}.", c.width, kGranule);
  if (c.threads < kWarp || c.threads > kMostCopyWarps * kWarp || c.threads % kWarp != 0)
    fail("threads = {}: one thread of each warp issues; give {} to {} warps of {}.", c.threads, 1,
         kMostCopyWarps, kWarp);
  if (c.stages < 1 || c.stages > kMostCopyStages)
    fail("stages = {}: allowed is 1 to {}.", c.stages, kMostCopyStages);
  if (c.threads / kWarp * c.stages > kMostFills)
    fail("warps x stages = {}: a CTA has mbarriers for {}.", c.threads / kWarp * c.stages, kMostFills);
  check_box(c);
  if (tile_bytes(c) >= kMbarrierBytes)
    fail("box = {}: it has {} bytes, and an mbarrier counts fewer than {}.", box_text(c), tile_bytes(c),
         kMbarrierBytes);
}

void check_sharing(const Copy& c) {
  if (c.cluster < 1 || c.cluster > kMostCluster || !std::has_single_bit(static_cast<unsigned>(c.cluster)))
    fail("cluster = {}: allowed are 1, 2, 4, 8, 16.", c.cluster);
  if (c.cluster > 1 && c.ctas != 1)
    fail("cluster = {}: it goes with one CTA on an SM, not {}.", c.cluster, c.ctas);
  if (c.sharing == Sharing::none) return;
  if (c.cluster == 1)
    fail("sharing = {}: a cluster of one CTA has nobody to share with; give 2, 4, 8 or 16.",
         name_of(c.sharing));
  if (c.sharing == Sharing::multicast && c.path == CopyPath::ldgsts)
    fail("sharing = multicast: cp.async has none; bulk and tma do.");
  if (c.sharing == Sharing::multicast && (c.box.size() == 3 || c.swizzle != Swizzle::none))
    fail("sharing = multicast: Plumb measures it with bulk copies and with 2D boxes without a swizzle.");
  if (c.sharing == Sharing::multicast && c.threads != kWarp)
    fail("threads = {}: with multicast one warp issues; give {}.", c.threads, kWarp);
}

}  // namespace

std::string_view name_of(CopyPath path) noexcept { return kPaths[static_cast<std::size_t>(path)]; }
std::string_view name_of(Promotion p) noexcept { return kPromotions[static_cast<std::size_t>(p)]; }
std::string_view name_of(Sharing s) noexcept { return kSharings[static_cast<std::size_t>(s)]; }
std::string_view name_of(Layout l) noexcept { return kLayouts[static_cast<std::size_t>(l)]; }
CopyPath copy_path_from(std::string_view name) { return enum_from<CopyPath>(kPaths, "path", name); }
Promotion promotion_from(std::string_view name) {
  return enum_from<Promotion>(kPromotions, "promotion", name);
}
Sharing sharing_from(std::string_view name) { return enum_from<Sharing>(kSharings, "sharing", name); }
Layout layout_from(std::string_view name) { return enum_from<Layout>(kLayouts, "layout", name); }

std::int64_t tile_bytes(const Copy& c) noexcept {
  if (c.path == CopyPath::ldgsts) return std::int64_t{c.threads} * c.width;
  std::int64_t bytes = kElementBytes;
  for (const int side : c.box) bytes *= side;
  return bytes;
}

std::int64_t flight_bytes(const Copy& c) noexcept {
  const std::int64_t fills =
      c.path == CopyPath::ldgsts ? c.stages : std::int64_t{c.stages} * (c.threads / kWarp);
  return fills * tile_bytes(c);
}

std::int64_t shared_for(int ctas, std::int64_t most_shared) noexcept {
  return (most_shared + kCtaOverhead) / ctas / kKiB * kKiB - kCtaOverhead;
}

std::string box_text(const Copy& c) { return fmt::format("{}", fmt::join(c.box, "x")); }

void validate(const Copy& c, std::int64_t most_shared) {
  if (c.from == Memory::shared) fail("from = shared: a copy reads l2 or dram.");
  if (c.ctas < 1 || c.ctas > kMostCtas) fail("ctas = {}: allowed is 1 to {} on an SM.", c.ctas, kMostCtas);
  if (c.path == CopyPath::ldgsts) {
    if (c.swizzle != Swizzle::none || c.promotion != Promotion::none)
      fail("swizzle, promotion: only a tensor map has them; both are none.");
    check_ldgsts(c);
  } else {
    check_engine(c);
  }
  check_sharing(c);
  const std::int64_t room = shared_for(c.ctas, most_shared);
  if (flight_bytes(c) > room)
    fail(
        "{} x {} bytes are on their way to one CTA at once; with {} on an SM, this card has {} bytes of "
        "shared "
        "memory for each. Give fewer stages or a smaller tile.",
        flight_bytes(c) / tile_bytes(c), tile_bytes(c), c.ctas, room);
  if (c.bytes <= 0 || c.bytes % flight_bytes(c) != 0)
    fail("bytes = {}: give a positive multiple of what is on its way to one CTA, {}.", c.bytes,
         flight_bytes(c));
  if (c.bytes >= std::int64_t{1} << 31) fail("bytes = {}: allowed is less than 2 GiB.", c.bytes);
}

void validate(const Copy& c) { validate(c, kMostCopyShared); }

}  // namespace plumb
