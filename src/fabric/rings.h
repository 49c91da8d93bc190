// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "fabric/flit.h"

namespace plumb::fabric {

/// Many small FIFO queues of flits in one flat array. The caller enforces depths.
class Rings {
 public:
  Rings(std::uint32_t queues, std::uint32_t depth)
      : shift_(static_cast<std::uint32_t>(std::bit_width(std::bit_ceil(depth)) - 1)),
        mask_((1U << shift_) - 1),
        slots_(static_cast<std::size_t>(queues) << shift_),
        ends_(queues) {}

  [[nodiscard]] std::uint32_t size(std::uint32_t q) const noexcept { return ends_[q].size; }
  [[nodiscard]] bool empty(std::uint32_t q) const noexcept { return ends_[q].size == 0; }
  [[nodiscard]] Flit front(std::uint32_t q) const noexcept {
    assert(!empty(q));
    return slots_[(q << shift_) + (ends_[q].head & mask_)];
  }
  void push(std::uint32_t q, Flit f) noexcept {
    Ends& e = ends_[q];
    assert(e.size <= mask_);
    slots_[(q << shift_) + ((e.head + e.size) & mask_)] = f;
    ++e.size;
  }
  void pop(std::uint32_t q) noexcept {
    Ends& e = ends_[q];
    assert(e.size != 0);
    ++e.head;
    --e.size;
  }

 private:
  struct Ends {
    std::uint32_t head = 0;
    std::uint32_t size = 0;
  };

  std::uint32_t shift_;
  std::uint32_t mask_;
  std::vector<Flit> slots_;
  std::vector<Ends> ends_;
};

}  // namespace plumb::fabric
