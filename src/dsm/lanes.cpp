// SPDX-License-Identifier: Apache-2.0
#include "dsm/lanes.h"

#include <cstddef>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace plumb::dsm {
namespace {

constexpr std::uint64_t kOrderSeed = 20260103;
constexpr std::uint32_t kShuffleBytes = 4096;

/// `count` accesses in blocks of `block`, each block in an order of its own. Fisher and Yates by the
/// generator that the standard fixes: the same order everywhere.
std::vector<std::uint32_t> shuffled(std::uint32_t count, std::uint32_t block) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(kOrderSeed);
  for (std::uint32_t first = 0; first < count; first += block)
    for (std::uint32_t i = block; i > 1; --i)
      std::swap(order[first + i - 1], order[first + static_cast<std::uint32_t>(random() % i)]);
  return order;
}

/// The access in the window that lane `lane` of warp instruction `q` touches.
std::uint32_t element(const Access& a, std::uint32_t q, std::uint32_t lane) {
  const auto lanes = static_cast<std::uint32_t>(lanes_of(a.form));
  switch (a.lanes) {
    case Lanes::strided: {
      const auto stride = static_cast<std::uint32_t>(a.stride);
      const auto run = static_cast<std::uint32_t>(a.run);
      const std::uint32_t phases = stride / run;
      return q / phases * phases * lanes + lane / run * stride + q % phases * run + lane % run;
    }
    case Lanes::swizzled:
      return q / lanes * lanes * lanes + lane * lanes + ((q % lanes) ^ lane);
    case Lanes::broadcast:
      return q * lanes;
    default:
      return q * lanes + lane;
  }
}

}  // namespace

std::vector<std::uint32_t> lane_offsets(const Access& access) {
  validate(access);
  const auto lanes = static_cast<std::uint32_t>(lanes_of(access.form));
  const auto width = static_cast<std::uint32_t>(access.width);
  const std::uint32_t count = static_cast<std::uint32_t>(instructions(access)) * lanes;
  std::vector<std::uint32_t> out;
  if (access.lanes == Lanes::shuffled) {
    out = shuffled(count, lanes);
  } else if (access.lanes == Lanes::shuffled_4k) {
    out = shuffled(count, kShuffleBytes / width);
  } else {
    for (std::uint32_t i = 0; i < count; ++i) out.push_back(element(access, i / lanes, i % lanes));
  }
  for (std::uint32_t& offset : out) offset *= width;
  return out;
}

double blocks_touched(const Access& access, std::int64_t grain) {
  const std::vector<std::uint32_t> offsets = lane_offsets(access);
  const auto lanes = static_cast<std::size_t>(lanes_of(access.form));
  std::size_t touched = 0;
  for (std::size_t first = 0; first < offsets.size(); first += lanes) {
    std::set<std::int64_t> blocks;
    for (std::size_t lane = 0; lane < lanes; ++lane) blocks.insert(offsets[first + lane] / grain);
    touched += blocks.size();
  }
  const std::size_t warp_instructions = offsets.size() / lanes;
  return static_cast<double>(touched) / static_cast<double>(warp_instructions);
}

}  // namespace plumb::dsm
