// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "fabric/bits.h"
#include "fabric/records.h"

namespace plumb::fabric {

/// Cycles of the near future in which something is due: one bit each, so that the next one is found without
/// walking.
class Days {
 public:
  static constexpr Cycle kSpan = 1024;  ///< delays are shorter

  static std::size_t slot(Cycle at) noexcept { return static_cast<std::size_t>(at & (kSpan - 1)); }

  void mark(std::size_t slot) noexcept { words_[slot / 64] |= std::uint64_t{1} << (slot % 64); }
  void clear(std::size_t slot) noexcept { words_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64)); }

  /// The first marked cycle after `now`; kNever where there is none.
  [[nodiscard]] Cycle next(Cycle now) const noexcept {
    const std::size_t from = slot(now + 1);
    std::size_t word = from / 64;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (from % 64));
    // The word that it begins in comes once more at the end, for the days before `from`.
    for (std::size_t tries = 0; bits == 0; ++tries) {
      if (tries == words_.size()) return kNever;
      word = (word + 1) % words_.size();
      bits = words_[word];
    }
    const std::size_t found = word * 64 + lowest(bits);
    return now + 1 + static_cast<Cycle>((found - from) & static_cast<std::size_t>(kSpan - 1));
  }

 private:
  std::array<std::uint64_t, kSpan / 64> words_{};
};

/// Packets that arrive somewhere after a fixed number of cycles: one list per cycle.
class Wheel {
 public:
  void add(Records& records, Cycle at, std::uint16_t i) noexcept {
    const std::size_t slot = Days::slot(at);
    records.append(lists_[slot], i);
    days_.mark(slot);
  }
  [[nodiscard]] bool due(Cycle at) const noexcept { return !lists_[Days::slot(at)].empty(); }
  /// Takes all packets that arrive at `at`, in the order in which they were added.
  RecordList take(Cycle at) noexcept {
    const std::size_t slot = Days::slot(at);
    days_.clear(slot);
    const RecordList list = lists_[slot];
    lists_[slot] = {};
    return list;
  }
  [[nodiscard]] Cycle next(Cycle now) const noexcept { return days_.next(now); }

 private:
  std::array<RecordList, Days::kSpan> lists_{};
  Days days_;
};

/// Keys of queues that may have something to do in a cycle to come.
class Alarms {
 public:
  void add(Cycle at, std::uint32_t key) noexcept {
    const std::size_t slot = Days::slot(at);
    keys_[slot] |= std::uint64_t{1} << key;
    days_.mark(slot);
  }
  [[nodiscard]] bool due(Cycle at) const noexcept { return keys_[Days::slot(at)] != 0; }
  std::uint64_t take(Cycle at) noexcept {
    const std::size_t slot = Days::slot(at);
    days_.clear(slot);
    const std::uint64_t keys = keys_[slot];
    keys_[slot] = 0;
    return keys;
  }
  [[nodiscard]] Cycle next(Cycle now) const noexcept { return days_.next(now); }

 private:
  std::array<std::uint64_t, Days::kSpan> keys_{};
  Days days_;
};

}  // namespace plumb::fabric
