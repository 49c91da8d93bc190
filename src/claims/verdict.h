// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/claims.h"
#include "core/finding.h"

namespace plumb::claims {

enum class Verdict : std::uint8_t { reproduced, differs, other_hardware, not_measured, contradicts_itself };
inline constexpr std::array<std::string_view, 5> kVerdictNames{"reproduced", "differs", "other hardware",
                                                               "not measured", "contradicts itself"};
[[nodiscard]] std::string_view name_of(Verdict verdict) noexcept;

/// The findings of one kind of card.
struct Measured {
  std::string gpu;  ///< "NVIDIA H200"; of a simulation the name of its machine
  std::vector<Finding> findings;
};

/// A number that findings gave, in the claim's unit.
struct Number {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
  std::string gpu;
  std::vector<std::string> findings;  ///< by name
};

struct Judged {
  Verdict verdict = Verdict::not_measured;
  std::optional<Number> number;  ///< of a card of the claim's kind, or else of another
  double off_percent = 0.0;      ///< differs: from the claim's value, or from the nearer bound of a range
};

/// Whether a recording of `gpu` is of the hardware that a claim is about: the words of the one are among
/// those of the other ("NVIDIA H200", "NVIDIA H200 NVL", machine "h200").
[[nodiscard]] bool is_of(std::string_view gpu, std::string_view hardware);

/// A claim is reproduced where the measured interval and the claim's band have a number in common. A source
/// that gives two numbers for one thing contradicts itself, whatever was measured. Of several cards with the
/// findings, the first of the right hardware counts.
[[nodiscard]] Judged judge(const Claim& claim, std::span<const Measured> recordings);

/// The experiments whose findings the claims ask for: "dsm/pair" of "dsm/pair/put/one-way/rate". Sorted.
[[nodiscard]] std::vector<std::string> experiments_of(std::span<const Claim> claims);

}  // namespace plumb::claims
