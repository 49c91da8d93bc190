// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "infer/calibration.h"
#include "infer/hypotheses.h"

namespace plumb::infer {

enum class Verdict : std::uint8_t {
  refuted,      ///< held-out cases are explained worse than by the machine, by more than chance does
  survives,     ///< as well or better
  cannot_tell,  ///< the cases hardly depend on it
};
[[nodiscard]] std::string_view name_of(Verdict v) noexcept;

/// How two explanations of the same cases compare.
struct Comparison {
  Verdict verdict = Verdict::cannot_tell;
  double loss = 0.0;   ///< log likelihood that the machine has over the hypothesis, over all cases
  double sigmas = 0.0; ///< of what exchanging the two at random for each pattern would give
  std::size_t patterns = 0;
};

/// `losses[c]` is how much worse the hypothesis explains case c, `patterns[c]` names its pattern: sizes of one
/// pattern share what is wrong with it and count together. The two are compared as if each pattern had been
/// tossed for: exchanging both where neither is better leaves the sum symmetric around zero. Refuted is what is
/// worse by more than 3.1 standard deviations, which chance does once in a thousand, and never with fewer than
/// ten patterns.
[[nodiscard]] Comparison compare(std::span<const double> losses, std::span<const std::string> patterns);

/// A row of a case, with what both say of it.
struct Deciding {
  std::string text;  ///< one sentence
  double loss = 0.0; ///< how much worse the hypothesis explains the case
};

struct Judged {
  Hypothesis hypothesis;
  Comparison comparison;
  std::optional<Deciding> deciding;  ///< the case that speaks most for the side that is ahead
  std::string failure;               ///< why the fabric could not run the cases so; empty: it could
};

struct ExplainOptions {
  std::vector<std::string> free;
  int evaluations = 30;     ///< of each refit
  std::size_t cases = 300;  ///< at most so many, of all families alike
  int samples = 1;
  std::uint64_t seed = 1;
  /// Called before each refit: its number from 1, how many there are, and of what.
  std::function<void(std::size_t, std::size_t, std::string_view)> progress;
};

/// Judges hypotheses by cross-validation: families are dealt into two halves in the order of their names, the
/// free parameters are fitted again to each half, and the other half is what counts.
[[nodiscard]] std::vector<Judged> judge(std::span<const ObservedCase> cases, const SimMachine& machine,
                                        std::span<const Hypothesis> all, const ExplainOptions& options);

/// Up to `most` cases, spread over all families alike.
[[nodiscard]] std::vector<ObservedCase> spread_out(std::span<const ObservedCase> cases, std::size_t most);

}  // namespace plumb::infer
