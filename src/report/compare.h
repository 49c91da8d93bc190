// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/finding.h"
#include "core/provenance.h"
#include "topology/map.h"

namespace plumb::report {

enum class Verdict { same, faster, slower, ambiguous };
[[nodiscard]] std::string_view name_of(Verdict verdict) noexcept;

/// What one finding does when more of it is better, when less is, and when neither can be said.
enum class Better { more, less, neither };
/// By unit: B/cycle, GB/s, FLOP, clusters are better when there is more of them; cycles, ns and idle SMs when
/// less.
[[nodiscard]] Better better_of(const Finding& finding);

/// One finding in two recordings.
struct Compared {
  std::string name;
  std::string unit;
  Finding first;
  Finding second;
  Verdict verdict = Verdict::same;
  std::string why;  ///< of an ambiguous one; which clocks confirm another

  /// How much better the second is, as a part of the first: above 0 faster, below 0 slower.
  [[nodiscard]] double gain() const;
};

struct Comparison {
  std::vector<Compared> rows;  ///< the largest losses first, then wins, then the rest by name
  std::size_t only_first = 0;  ///< findings without a partner
  std::size_t only_second = 0;
  std::size_t other_cases = 0;     ///< that were measured by other cases: sizes, samples
  std::vector<std::string> notes;  ///< what else differs: cards, drivers, tool versions
};

/// Judges every finding that both have from the same cases and for which more or less is better. Rates and
/// times on the SM clock are confirmed by their partner on the nanosecond clock (NAME/rate and NAME/rate-ns).
///
///   same       intervals overlap, or the values are less than `tolerance` apart
///   faster, slower   apart by more than that, the intervals too, and on both clocks where there are two
///   ambiguous  one clock says so and the other does not; or an interval is wider than the tolerance, so that
///              "same" would say too much
///
/// Throws Error (caller) with the reason where nothing can be compared: a simulated run beside a measured
/// one, no finding in common, none by the same cases.
[[nodiscard]] Comparison compare(std::span<const Finding> first, const Provenance& of_first,
                                 std::span<const Finding> second, const Provenance& of_second,
                                 double tolerance);

/// What two floor plans have that differs, one sentence each; none where they are alike.
[[nodiscard]] std::vector<std::string> differences(const topology::Map& first, const topology::Map& second);

[[nodiscard]] std::string compare_table(const Comparison& comparison, bool all, bool colours);

}  // namespace plumb::report
