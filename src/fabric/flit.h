// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace plumb::fabric {

/// The three places where flits queue between the SMs.
enum class Stage : std::uint8_t { ingress, plane, egress };

/// One flit on its way, in one word: the number of its packet's record, and for each stage the number of the
/// queue that it will wait in there. All of that is known when it is injected, and no stage has to work it
/// out.
class Flit {
 public:
  static constexpr std::uint32_t kMaxQueues = 1U << 10U;  ///< of one stage

  Flit() = default;
  Flit(std::uint32_t record, std::uint32_t source, std::uint32_t rank, std::uint32_t channel) noexcept
      : Flit(record, from(source, channel) + to(rank)) {}
  /// Of a record, and the sum of what from(), to() and step() say.
  Flit(std::uint32_t record, std::uint64_t steps) noexcept
      : word_((std::uint64_t{record} << kRecord) + steps) {}

  [[nodiscard]] std::uint32_t record() const noexcept { return field(kRecord, 16); }
  [[nodiscard]] std::uint32_t channel() const noexcept { return field(5, 1); }
  [[nodiscard]] std::uint32_t route() const noexcept { return field(kRoute, 2); }
  [[nodiscard]] std::uint32_t source() const noexcept { return field(kSource, 5); }
  /// Of the destination.
  [[nodiscard]] std::uint32_t rank() const noexcept { return field(0, 5); }
  /// Source or destination and channel in one number, its key: a bit of a word for all ranks.
  [[nodiscard]] static constexpr std::uint32_t key(std::uint32_t rank, std::uint32_t channel) noexcept {
    return channel * 32 + rank;
  }
  [[nodiscard]] std::uint32_t source_key() const noexcept { return field(kSource, 6); }
  [[nodiscard]] std::uint32_t rank_key() const noexcept { return field(0, 6); }
  [[nodiscard]] std::uint32_t queue(Stage stage) const noexcept {
    return field(kQueues + 10U * static_cast<std::uint32_t>(stage), 10);
  }

  [[nodiscard]] static constexpr std::uint64_t from(std::uint32_t source, std::uint32_t channel) noexcept {
    return std::uint64_t{key(source, channel)} << kSource | std::uint64_t{channel} << 5U;
  }
  [[nodiscard]] static constexpr std::uint64_t to(std::uint32_t rank) noexcept { return rank; }
  /// What to add for a route and for the queues, counted from those that are set.
  [[nodiscard]] static constexpr std::uint64_t step(std::uint32_t route,
                                                    std::array<std::uint32_t, 3> queues) noexcept {
    std::uint64_t word = std::uint64_t{route} << kRoute;
    for (std::uint32_t stage = 0; stage < 3; ++stage)
      word += std::uint64_t{queues[stage]} << (kQueues + 10U * stage);
    return word;
  }
  [[nodiscard]] Flit plus(std::uint64_t step) const noexcept {
    Flit f;
    f.word_ = word_ + step;
    return f;
  }

 private:
  // Bits 0 to 4 are the rank, bit 5 is the channel; it is there once more above the source.
  static constexpr std::uint32_t kRoute = 6;
  static constexpr std::uint32_t kQueues = 8;
  static constexpr std::uint32_t kSource = 38;
  static constexpr std::uint32_t kRecord = 48;

  [[nodiscard]] std::uint32_t field(std::uint32_t shift, std::uint32_t bits) const noexcept {
    return static_cast<std::uint32_t>(word_ >> shift) & ((1U << bits) - 1U);
  }

  std::uint64_t word_ = 0;
};

}  // namespace plumb::fabric
