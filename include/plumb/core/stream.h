// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "plumb/core/traffic.h"

namespace plumb {

/// What every thread does with its 16 bytes.
enum class StreamOp : std::uint8_t {
  read,   ///< `ld` into registers
  write,  ///< `st` from registers
  copy,   ///< `ld` at one place, `st` at another; both count
};

[[nodiscard]] std::string_view name_of(StreamOp op) noexcept;
/// Throws Error (caller) that lists the allowed names.
[[nodiscard]] StreamOp stream_op_from(std::string_view name);

/// What one sample does: all threads of an SM read or write memory by ordinary accesses of 16 bytes, eight of
/// them back to back, side by side: the most that a memory gives without any copy engine.
///
/// A backend returns the columns that a Copy has.
struct Stream {
  StreamOp op = StreamOp::read;
  Memory memory = Memory::dram;  ///< dram: each byte touched for the first time in a long while; l2: resident
  std::int64_t footprint = 0;    ///< bytes walked again and again; 0: as much as `memory` says
  std::int64_t bytes = 0;        ///< touched by one CTA, of which there is one on an SM; see kStreamStep

  bool operator==(const Stream&) const = default;
};

inline constexpr int kStreamThreads = 1024;
inline constexpr int kStreamInFlight = 8;
/// What all threads touch back to back; `bytes` is a multiple, of copies of twice that.
inline constexpr std::int64_t kStreamStep = std::int64_t{kStreamThreads} * kStreamInFlight * 16;

/// Throws Error (caller) that names the field, its value and what is allowed.
void validate(const Stream& s);

}  // namespace plumb
