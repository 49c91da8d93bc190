// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "backend/cuda/memory.h"
#include "copy/kernel.h"
#include "plumb/core/traffic.h"

namespace plumb::copy {

/// A step through `count` places that visits all and never comes to a neighbour: about 0.38 of them, with no
/// factor in common with their number.
[[nodiscard]] std::uint32_t scatter(std::uint64_t count);

/// The memory that copies read, allocated and filled once a process: a part of the card's that is far larger
/// than its L2. Every call throws Error (device) where CUDA fails.
class Ground {
 public:
  /// That of the current device.
  [[nodiscard]] static Ground& here();

  /// A walk over tiles of `tile_bytes` that reads `bytes`. In dram it begins where the last one ended, so
  /// that no byte is read again before all have been; in l2 it stays within a part that fits. A `footprint`
  /// that is not 0 is walked again and again, whatever `from`.
  [[nodiscard]] Route walk(Memory from, Layout layout, std::int64_t tile_bytes, std::uint64_t bytes,
                           std::int64_t footprint = 0);

  /// Memory to write to, as large as what a walk covers or as `bytes`; what it held before is gone where it
  /// has to grow.
  [[nodiscard]] std::uint32_t* target(std::uint64_t bytes = 0);
  /// How large target() can be: nearly all that is free, 128 GiB at most.
  [[nodiscard]] std::uint64_t most_target_bytes() const;
  /// Reads so much of the source that nothing else is left in the L2.
  void flush();

 private:
  Ground();

  std::uint64_t bytes_;
  std::uint64_t l2_bytes_;
  cuda::DeviceArray<std::uint32_t> source_;
  std::unique_ptr<cuda::DeviceArray<std::uint32_t>> target_;
  std::uint64_t target_bytes_ = 0;
  std::uint64_t cursor_ = 0;  // where the last walk in dram ended
};

}  // namespace plumb::copy
