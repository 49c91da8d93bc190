// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fabric/bits.h"

namespace plumb::fabric {

/// Whose turn it is at an output: a round robin over the ports of each channel, and the two channels in turn.
/// A port is input * 2 + channel.
///
/// The order is one word of four fields of 16 ports: those of the channel whose turn it is that come before
/// the others, all of that channel, and the same of the other channel. The first bit of the word that is a
/// candidate's is the choice, which costs four operations and no branch.
template <std::uint32_t Ports>
class Arbiter {
 public:
  static_assert(Ports < 16);
  /// Choice where there is no candidate, and the port that it names.
  static constexpr std::uint32_t kNone = 48 + Ports;

  /// Both round robins begin at a port, the first channel has its turn.
  void start_at(std::uint32_t first) noexcept {
    const std::uint32_t before = ~std::uint32_t{0} << first;
    order_ = half(0, before) | std::uint64_t{half(1, before)} << 32U;
  }
  /// Among candidates times kInEveryField, not none.
  [[nodiscard]] std::uint32_t choose(std::uint64_t candidates) const noexcept {
    return lowest(candidates & order_);
  }
  [[nodiscard]] std::uint32_t choose_or_none(std::uint64_t candidates) const noexcept {
    return lowest((candidates & order_) | std::uint64_t{1} << kNone);
  }
  [[nodiscard]] static std::uint32_t port_of(std::uint32_t choice) noexcept { return choice & 15U; }
  /// A choice had its turn: next are the ports after it, of its channel, and the other channel.
  void served(std::uint32_t choice) noexcept {
    order_ = kAfter[port_of(choice)] | static_cast<std::uint32_t>(order_ >> (~choice & 32U));
  }

 private:
  static constexpr std::uint32_t kAll = (std::uint32_t{1} << Ports) - 1;

  /// The fields of a channel where the ports in `before` come before the others.
  [[nodiscard]] static constexpr std::uint32_t half(std::uint32_t channel, std::uint32_t before) noexcept {
    const std::uint32_t mine = kAll & (0x5555'5555U << channel);
    return (mine & before) | mine << 16U;
  }
  static constexpr auto kAfter = [] {
    std::array<std::uint64_t, 16> table{};
    for (std::uint32_t port = 0; port < Ports; ++port)
      table[port] = std::uint64_t{half(port & 1U, ~std::uint32_t{1} << port)} << 32U;
    return table;
  }();

  std::uint64_t order_ = half(0, kAll) | std::uint64_t{half(1, kAll)} << 32U;
};

/// Bit input * 8 + output, outputs below 7: the output chose the input.
using Offers = std::uint64_t;

/// Whose turn it is at the inputs of a switch whose outputs choose first: each takes one of the outputs that
/// chose it, in round robin. All inputs at once, a byte of a word for each.
template <std::uint32_t Inputs>
class InputMatch {
 public:
  static_assert(Inputs < 8);
  /// Input number `Inputs` stands for none.
  [[nodiscard]] static Offers offer(std::uint32_t input, std::uint32_t output) noexcept {
    return Offers{1} << (input * 8 + output);
  }
  /// The round robin of an input begins at an output.
  void start_at(std::uint32_t input, std::uint32_t output) noexcept {
    before_ = (before_ & ~(Offers{0x7f} << input * 8)) | (Offers{0x7f} << output & 0x7fU) << input * 8;
  }
  /// Of each input's offers the one whose turn it is.
  [[nodiscard]] Offers choose(Offers offers) const noexcept {
    const Offers real = offers & kReal;
    const Offers before = real & before_;
    return lowest_of_each(before | (real & ~filled(before)));
  }
  /// Offers that were chosen had their turn: next are the outputs after them.
  void served(Offers chosen) noexcept {
    const Offers after = ~(chosen | below(chosen)) & kSeven;
    before_ = (before_ & ~filled(chosen)) | after;
  }
  [[nodiscard]] static std::uint32_t inputs_of(Offers offers) noexcept {
    return static_cast<std::uint32_t>(((any(offers) >> 7U) * 0x0102'0408'1020'4080U) >> 56U) &
           ((1U << Inputs) - 1);
  }
  [[nodiscard]] static std::uint32_t outputs_of(Offers offers) noexcept {
    offers |= offers >> 32U;
    offers |= offers >> 16U;
    offers |= offers >> 8U;
    return offers & 0x7fU;
  }

 private:
  static constexpr Offers kOnes = 0x0101'0101'0101'0101U;
  static constexpr Offers kSeven = kOnes * 0x7f;  // the highest bit of a byte takes what would be carried on
  static constexpr Offers kReal = kSeven & ((Offers{1} << 8 * Inputs) - 1);

  /// The highest bit of each byte with any other bit.
  [[nodiscard]] static Offers any(Offers x) noexcept { return (x + kSeven) & ~kSeven; }
  /// Whole bytes of those.
  [[nodiscard]] static Offers filled(Offers x) noexcept { return (any(x) << 1U) - (any(x) >> 7U); }
  /// Below the lowest bit of each byte, and its highest.
  [[nodiscard]] static Offers below(Offers x) noexcept { return (x | ~kSeven) - kOnes; }
  [[nodiscard]] static Offers lowest_of_each(Offers x) noexcept { return x & ~below(x); }

  Offers before_ = kSeven;  // outputs that come before the others
};

}  // namespace plumb::fabric
