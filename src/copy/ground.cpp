// SPDX-License-Identifier: Apache-2.0
#include "copy/ground.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "backend/cuda/device.h"

namespace plumb::copy {
namespace {

constexpr std::uint64_t kMostChain = std::uint64_t{128} << 30;
constexpr std::uint64_t kLeftFree = std::uint64_t{2} << 30;   // for all else
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30;  // words are counted in 32 bits

}  // namespace

std::uint32_t scatter(std::uint64_t count) {
  constexpr double kPart = 0.381966;  // of the golden section: neighbours in time are far apart in space
  auto step = static_cast<std::uint64_t>(static_cast<double>(count) * kPart) | 1U;
  while (std::gcd(step, count) != 1) ++step;
  return static_cast<std::uint32_t>(step);
}

Ground& Ground::here() {
  // Never freed: the process ends with it, perhaps after CUDA has.
  static auto* ground = new Ground;
  return *ground;
}

Ground::Ground()
    : bytes_(std::min(kMostBytes, std::bit_floor(static_cast<std::uint64_t>(cuda::free_bytes()) / 4))),
      l2_bytes_(std::bit_floor(static_cast<std::uint64_t>(cuda::l2_bytes()) / 3)),
      source_(bytes_ / 4, "the memory to copy from") {
  fill_source(source_.get(), bytes_ / 4);
}

std::uint32_t* Ground::target(std::uint64_t bytes) {
  bytes = std::max(bytes, bytes_);
  if (target_ == nullptr || target_bytes_ < bytes) {
    target_.reset();
    target_ = std::make_unique<cuda::DeviceArray<std::uint32_t>>(bytes / 4, "the memory to write to");
    target_bytes_ = bytes;
  }
  return target_->get();
}

std::uint64_t Ground::most_target_bytes() const {
  const std::uint64_t free = static_cast<std::uint64_t>(cuda::free_bytes()) + target_bytes_;
  return std::max(bytes_, std::min(kMostChain, free - std::min(free, kLeftFree)));
}

void Ground::flush() { flush_l2(source_.get(), bytes_ / 4, target()); }

Route Ground::walk(Memory from, Layout layout, std::int64_t tile_bytes, std::uint64_t bytes,
                   std::int64_t footprint) {
  const auto tile = static_cast<std::uint64_t>(tile_bytes);
  const std::uint64_t usual = from == Memory::dram ? bytes_ : l2_bytes_;
  const std::uint64_t tiles =
      (footprint == 0 ? usual : std::min(static_cast<std::uint64_t>(footprint), bytes_)) / tile;
  Route out{.source = source_.get(),
            .tiles = static_cast<std::uint32_t>(tiles),
            .multiplier = layout == Layout::paged ? scatter(tiles) : 1U,
            .tile_bytes = static_cast<std::uint32_t>(tile),
            .first = 0,
            .warm = from == Memory::l2 ? 1U : 0U};
  if (from == Memory::dram && footprint == 0) {
    // The next walk begins where this one ends, whatever its tiles are.
    out.first = (cursor_ + tile - 1) / tile % tiles;
    cursor_ = (out.first * tile + bytes) % (tiles * tile);
  }
  return out;
}

}  // namespace plumb::copy
