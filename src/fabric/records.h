// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "plumb/fabric/packet.h"

namespace plumb::fabric {

inline constexpr std::uint16_t kNoRecord = 0xffff;

/// What is known of a packet in the network is kept in three arrays, so that those of a saturated run that
/// every stage of its life touches stay in the first cache. First what lists, flits and deliveries need.
struct Label {
  std::uint16_t next;  ///< in whatever list it is in
  std::uint8_t flits;
  std::uint8_t missing;   ///< flits that have not come out of the fabric
  std::uint8_t sender;    ///< key of source and channel, see Flit
  std::uint8_t receiver;  ///< key of destination and channel
  PacketKind kind;
  std::uint8_t leading;

  [[nodiscard]] std::uint32_t source() const noexcept { return sender & 31U; }
  [[nodiscard]] std::uint32_t destination() const noexcept { return receiver & 31U; }
  [[nodiscard]] std::uint32_t channel() const noexcept { return receiver >> 5U; }
};
static_assert(sizeof(Label) == 8);

/// What its turn at the injection needs.
struct Departure {
  std::uint64_t routes;
  Cycle ready;  ///< when it has arrived in the injection queue
};

/// What the two ends need.
struct Record {
  std::uint64_t address;
  std::uint64_t tag;
  std::uint64_t number;  ///< counted over the run; grows with the order of the offers
  Cycle offered;
};

/// First in, first out, of records, linked through Label::next.
struct RecordList {
  std::uint16_t first = kNoRecord;
  std::uint16_t last = kNoRecord;

  [[nodiscard]] bool empty() const noexcept { return first == kNoRecord; }
};

/// All records of a network, allocated once. Memory that no packet has used yet is never touched: a short run
/// needs little of what could be in flight at most.
class Records {
 public:
  explicit Records(std::size_t count)
      : labels_(std::make_unique_for_overwrite<Label[]>(count)),          // NOLINT(modernize-avoid-c-arrays)
        departures_(std::make_unique_for_overwrite<Departure[]>(count)),  // NOLINT(modernize-avoid-c-arrays)
        records_(std::make_unique_for_overwrite<Record[]>(count)),        // NOLINT(modernize-avoid-c-arrays)
        count_(static_cast<std::uint32_t>(count)) {}

  [[nodiscard]] Label& label(std::uint32_t i) noexcept { return labels_[i]; }
  [[nodiscard]] const Label& label(std::uint32_t i) const noexcept { return labels_[i]; }
  [[nodiscard]] Departure& departure(std::uint32_t i) noexcept { return departures_[i]; }
  [[nodiscard]] const Departure& departure(std::uint32_t i) const noexcept { return departures_[i]; }
  [[nodiscard]] Record& operator[](std::uint32_t i) noexcept { return records_[i]; }
  [[nodiscard]] const Record& operator[](std::uint32_t i) const noexcept { return records_[i]; }

  [[nodiscard]] bool full() const noexcept { return used_ == count_; }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }

  std::uint16_t claim() noexcept {
    ++used_;
    const std::uint16_t i = free_;
    if (i == kNoRecord) return static_cast<std::uint16_t>(fresh_++);
    free_ = labels_[i].next;
    return i;
  }
  /// The one released last is claimed first, since it is still in the cache.
  void release(std::uint16_t i) noexcept {
    --used_;
    labels_[i].next = free_;
    free_ = i;
  }

  void append(RecordList& list, std::uint16_t i) noexcept {
    labels_[i].next = kNoRecord;
    (list.empty() ? list.first : labels_[list.last].next) = i;
    list.last = i;
  }
  std::uint16_t remove_first(RecordList& list) noexcept {
    const std::uint16_t i = list.first;
    list.first = labels_[i].next;
    return i;
  }

 private:
  template <class T>
  using Untouched =
      std::unique_ptr<T[]>;  // NOLINT(modernize-avoid-c-arrays): a vector would touch its memory

  Untouched<Label> labels_;
  Untouched<Departure> departures_;
  Untouched<Record> records_;
  std::uint32_t count_;
  std::uint32_t used_ = 0;
  std::uint32_t fresh_ = 0;         // records from here on were never claimed
  std::uint16_t free_ = kNoRecord;  // others that are not in use, linked
};

}  // namespace plumb::fabric
