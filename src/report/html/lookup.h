// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/finding.h"

namespace plumb::report::html {

/// Findings by name. Of two estimators of one name, `steady` is the one to show.
class Lookup {
 public:
  explicit Lookup(const std::vector<Finding>& findings);

  /// Null where there is none. The pointer is into the vector that was given.
  [[nodiscard]] const Finding* find(std::string_view name) const;
  /// Those whose names begin with `prefix`, in the order of the names, numbers by their value.
  [[nodiscard]] std::vector<const Finding*> under(std::string_view prefix) const;

 private:
  std::map<std::string, const Finding*, std::less<>> by_name_;
};

/// "a/b/c" in its parts.
[[nodiscard]] std::vector<std::string> split(std::string_view name);
/// Whether a finding is of one flow of many: "dsm/pair/put/two-way/0-put-0to1/rate".
[[nodiscard]] bool names_a_flow(std::string_view name);
/// The number at the front of `text`; `otherwise` where there is none.
[[nodiscard]] double number_in(std::string_view text, double otherwise = 0.0);
/// Bytes of a box of 4-byte elements, "128x64".
[[nodiscard]] double box_bytes(const std::string& box);

}  // namespace plumb::report::html
