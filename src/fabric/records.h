// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "fabric/flit.h"
#include "plumb/fabric/packet.h"

namespace plumb::fabric {

inline constexpr std::uint16_t kNoRecord = 0xffff;

/// A packet in the network. One cache line.
struct alignas(64) Record {
  std::uint64_t routes = 0;
  std::uint64_t address = 0;
  std::uint64_t tag = 0;
  std::uint64_t number = 0;  ///< counted over the run; grows with the order of the offers
  Cycle offered = 0;
  Flit steering;                   ///< of its flits, all but the route
  std::uint16_t next = kNoRecord;  ///< in whatever list it is in
  std::uint8_t flits = 0;
  std::uint8_t arrived = 0;
  std::uint8_t leading = 0;
  std::uint8_t source = 0;
  std::uint8_t destination = 0;
  Channel channel = Channel::request;
  PacketKind kind = PacketKind::short_write;
#ifndef NDEBUG
  std::uint32_t order =
      0;  ///< in which it joined an injection queue: what its flits' order is checked against
#endif

  [[nodiscard]] int first_route() const noexcept { return static_cast<int>(routes & 3U); }
};

/// First in, first out, of records, linked through Record::next.
struct RecordList {
  std::uint16_t first = kNoRecord;
  std::uint16_t last = kNoRecord;

  [[nodiscard]] bool empty() const noexcept { return first == kNoRecord; }
};

/// All records of a network, allocated once.
class Records {
 public:
  explicit Records(std::size_t count) : records_(count) {
    for (std::size_t i = 0; i < count; ++i) free_.push_back(static_cast<std::uint16_t>(count - 1 - i));
  }

  [[nodiscard]] Record& operator[](std::uint32_t i) noexcept { return records_[i]; }
  [[nodiscard]] const Record& operator[](std::uint32_t i) const noexcept { return records_[i]; }
  [[nodiscard]] bool full() const noexcept { return free_.empty(); }
  [[nodiscard]] std::size_t used() const noexcept { return records_.size() - free_.size(); }

  std::uint16_t claim() noexcept {
    const std::uint16_t i = free_.back();
    free_.pop_back();
    return i;
  }
  void release(std::uint16_t i) noexcept { free_.push_back(i); }  // never above the first capacity

  void append(RecordList& list, std::uint16_t i) noexcept {
    records_[i].next = kNoRecord;
    (list.empty() ? list.first : records_[list.last].next) = i;
    list.last = i;
  }
  std::uint16_t remove_first(RecordList& list) noexcept {
    const std::uint16_t i = list.first;
    list.first = records_[i].next;
    return i;
  }

 private:
  std::vector<Record> records_;
  std::vector<std::uint16_t> free_;
};

/// Packets that arrive somewhere after a fixed number of cycles: one list per cycle, and one bit per list so
/// that the next arrival is found without walking.
class Wheel {
 public:
  static constexpr Cycle kSpan = 1024;  ///< delays are shorter

  void add(Records& records, Cycle at, std::uint16_t i) noexcept {
    const auto slot = static_cast<std::size_t>(at & (kSpan - 1));
    records.append(lists_[slot], i);
    words_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    ++size_;
  }
  [[nodiscard]] bool due(Cycle at) const noexcept {
    const auto slot = static_cast<std::size_t>(at & (kSpan - 1));
    return ((words_[slot / 64] >> (slot % 64)) & 1U) != 0;
  }
  /// Takes all packets that arrive at `at`, in the order in which they were added.
  RecordList take(Cycle at) noexcept {
    const auto slot = static_cast<std::size_t>(at & (kSpan - 1));
    words_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    const RecordList list = lists_[slot];
    lists_[slot] = {};
    return list;
  }
  void taken() noexcept { --size_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  /// First arrival after `now`; kNever where there is none.
  [[nodiscard]] Cycle next(Cycle now) const noexcept {
    if (size_ == 0) return kNever;
    const auto from = static_cast<std::size_t>((now + 1) & (kSpan - 1));
    std::size_t word = from / 64;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      word = (word + 1) % words_.size();
      bits = words_[word];
    }
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return now + 1 + static_cast<Cycle>((slot - from) & static_cast<std::size_t>(kSpan - 1));
  }

 private:
  std::array<RecordList, kSpan> lists_{};
  std::array<std::uint64_t, kSpan / 64> words_{};
  std::uint32_t size_ = 0;
};

}  // namespace plumb::fabric
