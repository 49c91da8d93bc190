// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "plumb/fabric/packet.h"

namespace plumb::fabric {

/// One flit on its way: the number of its packet's record and all that the stages need to steer it, in one
/// word, so that no stage looks at the record.
class Flit {
 public:
  Flit() = default;
  Flit(std::uint32_t record, std::uint32_t channel, std::uint32_t route, std::uint32_t block,
       std::uint32_t port, std::uint32_t rank) noexcept
      : word_(record << 16U | rank << 9U | port << 7U | block << 3U | route << 1U | channel) {}

  [[nodiscard]] std::uint32_t record() const noexcept { return word_ >> 16U; }
  [[nodiscard]] std::uint32_t channel() const noexcept { return word_ & 1U; }
  [[nodiscard]] std::uint32_t route() const noexcept { return (word_ >> 1U) & 3U; }
  /// Output of a plane: the egress block, 0 to 15.
  [[nodiscard]] std::uint32_t block() const noexcept { return (word_ >> 3U) & 15U; }
  [[nodiscard]] std::uint32_t port() const noexcept { return (word_ >> 7U) & 3U; }
  /// Rank of the destination.
  [[nodiscard]] std::uint32_t rank() const noexcept { return (word_ >> 9U) & 31U; }

  [[nodiscard]] Flit routed(std::uint32_t route) const noexcept {
    Flit f;
    f.word_ = word_ | route << 1U;
    return f;
  }

 private:
  std::uint32_t word_ = 0;
};

}  // namespace plumb::fabric
