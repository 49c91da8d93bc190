// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "plumb/fabric/packet.h"
#include "plumb/fabric/parameters.h"

namespace plumb::fabric {

/// Lets bytes pass at an exact average rate without saving any up, as virtual scheduling.
class Throttle {
 public:
  explicit Throttle(Ratio bytes_per_cycle) noexcept : rate_(bytes_per_cycle) {}

  /// First cycle at which the next bytes may pass.
  [[nodiscard]] Cycle ready() const noexcept { return due_ / rate_.numerator; }
  /// Whether they may pass now; spares the division.
  [[nodiscard]] bool open(Cycle now) const noexcept { return due_ < (now + 1) * rate_.numerator; }
  void pass(Cycle now, std::int64_t bytes) noexcept {
    due_ = std::max(due_, now * rate_.numerator) + bytes * rate_.denominator;
  }

 private:
  Ratio rate_;
  std::int64_t due_ = 0;  // cycles times the numerator
};

}  // namespace plumb::fabric
