// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plumb::fabric {

/// What the endpoints write into Packet::tag: to which flow and warp a packet belongs and which payload it
/// moves or asks for. A request and its response carry the same tag, which is how a trace pairs them.
struct Tag {
  std::uint32_t flow = 0;
  std::uint32_t warp = 0;
  std::int64_t bytes = 0;   ///< payload moved, asked for or acknowledged; multiples of 16
  std::int64_t offset = 0;  ///< of the payload in the flow's footprint; multiples of 16

  [[nodiscard]] std::uint64_t pack() const noexcept {
    return std::uint64_t{flow} << 53U | std::uint64_t{warp} << 48U |
           static_cast<std::uint64_t>(bytes / 16) << 24U | static_cast<std::uint64_t>(offset / 16);
  }
  [[nodiscard]] static Tag unpack(std::uint64_t t) noexcept {
    return {.flow = static_cast<std::uint32_t>(t >> 53U),
            .warp = static_cast<std::uint32_t>(t >> 48U) & 31U,
            .bytes = static_cast<std::int64_t>((t >> 24U) & 0xffffffU) * 16,
            .offset = static_cast<std::int64_t>(t & 0xffffffU) * 16};
  }
};

inline constexpr std::size_t kMaxFlows = 1U << 11U;  ///< what a tag can tell apart

}  // namespace plumb::fabric
