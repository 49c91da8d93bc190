// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "infer/calibration.h"
#include "infer/quantities.h"

namespace plumb::report {

/// How far a machine is from a recording, family by family.
struct FamilyErrors {
  std::string family;
  bool held_out = false;
  infer::Deviations all;     ///< sizes of relative deviations
  infer::Deviations beyond;  ///< what of them is beyond the card's own spread
};

/// How far it is in one kind of numbers.
struct QuantityErrors {
  std::string quantity;
  std::string unit;
  bool held_out = false;
  infer::Deviations relative;
  infer::Deviations absolute;  ///< in the unit
};

/// One line for each family of the cases that were scored.
[[nodiscard]] std::vector<FamilyErrors> family_errors(std::span<const infer::ObservedCase> cases,
                                                      std::span<const infer::Scored> scored, bool held_out);
/// All rows together.
[[nodiscard]] FamilyErrors all_errors(std::span<const infer::Scored> scored, bool held_out);

/// Completion times, rates, intercepts and latencies; kinds without a number are left out.
[[nodiscard]] std::vector<QuantityErrors> quantity_errors(std::span<const infer::ObservedCase> cases,
                                                          std::span<const infer::Scored> scored,
                                                          bool held_out);
[[nodiscard]] std::string quantities_table(std::span<const QuantityErrors> errors, bool colours);
/// A table of errors in %, and below it what the totals are.
[[nodiscard]] std::string errors_table(std::span<const FamilyErrors> families, bool colours);
/// A table of the fitted parameters.
[[nodiscard]] std::string parameters_table(std::span<const infer::Fitted> parameters, bool colours);
/// "12 to 40", "12 or more", "not identifiable from these cases".
[[nodiscard]] std::string interval_text(const infer::Fitted& f);

[[nodiscard]] nlohmann::ordered_json to_json(const FamilyErrors& e);
[[nodiscard]] nlohmann::ordered_json to_json(const QuantityErrors& e);
[[nodiscard]] nlohmann::ordered_json to_json(const infer::Fitted& f);

}  // namespace plumb::report
