// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/stream.h"

#include <fmt/format.h>

#include <array>

#include "core/names.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 3> kOps{"read", "write", "copy"};

}  // namespace

std::string_view name_of(StreamOp op) noexcept { return kOps[static_cast<std::size_t>(op)]; }
StreamOp stream_op_from(std::string_view name) { return enum_from<StreamOp>(kOps, "stream op", name); }

void validate(const Stream& s) {
  const std::int64_t step = s.op == StreamOp::copy ? 2 * kStreamStep : kStreamStep;
  if (s.bytes <= 0 || s.bytes % step != 0)
    throw Error(Fault::caller,
                fmt::format("bytes = {}: give a positive multiple of what the threads touch at "
                            "once, {}.",
                            s.bytes, step));
  constexpr std::int64_t kTile = std::int64_t{kStreamThreads} * 16;
  if (s.footprint < 0 || s.footprint % kTile != 0)
    throw Error(Fault::caller,
                fmt::format("footprint = {}: give a multiple of {}, or 0.", s.footprint, kTile));
  if (s.footprint != 0 && s.memory == Memory::shared)
    throw Error(Fault::caller,
                fmt::format("footprint = {}: shared memory has its own; it is 0.", s.footprint));
  if (s.bytes >= std::int64_t{1} << 31)
    throw Error(Fault::caller, fmt::format("bytes = {}: allowed is less than 2 GiB.", s.bytes));
}

}  // namespace plumb
