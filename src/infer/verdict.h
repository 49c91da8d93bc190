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
  double loss = 0.0;    ///< log likelihood that the machine has over the hypothesis, each pattern once
  double chance = 0.0;  ///< standard deviation of that between two fits of the machine with other seeds
  std::size_t patterns = 0;
};

/// `losses[c]` is how much worse the hypothesis explains case c than the machine does; `chances[c]` is the
/// same of a second fit of the machine itself with another seed. `patterns[c]` names the pattern of the case:
/// sizes of one pattern share what is wrong with it, so a pattern counts once, as the mean of its cases.
///
/// Refuted is what passes both bounds. The sum over the patterns is more than log 1000: if the hypothesis
/// were true, the machine would be a thousand times likelier with a probability of at most 1 in 1000
/// (Markov). And it is beyond the 99.9 % quantile of what seeds alone do (Student's t, as many degrees as
/// patterns).
[[nodiscard]] Comparison compare(std::span<const double> losses, std::span<const double> chances,
                                 std::span<const std::string> patterns);

/// A row of a case, with what both say of it.
struct Deciding {
  std::string text;   ///< one sentence
  double loss = 0.0;  ///< how much worse the hypothesis explains the case
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
