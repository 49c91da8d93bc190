// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "plumb/core/copy.h"
#include "record/csv.h"

namespace plumb::copy {

/// What the columns of a published sheet mean.
struct Sheet {
  CopyPath path = CopyPath::ldgsts;
  Memory from = Memory::dram;
  int sms = 0;             ///< of the card that it was measured on
  double clock_ghz = 0.0;  ///< of an SM, where latencies are in cycles; 0: not known
  std::map<std::string, std::string, std::less<>> columns;  ///< by meaning; see sheet_meanings()
};

/// "stages", "rate_Bps" and so on: all that a column can mean, with a unit where it has one.
[[nodiscard]] const std::vector<std::string_view>& sheet_meanings();

/// One measurement for each row, of copy/ldgsts or copy/tma. The numbers stand as given in columns of their
/// own
/// ("given_Bps", "given_ps": median, and least and most where the sheet has them), and a flag says which row
/// they are from. Throws Error (caller) for a column that is missing, a value that is no number (with line
/// and column), a row that no copy can be, and a sheet without a rate or a latency.
[[nodiscard]] std::vector<Measurement> measurements_of(const record::Csv& csv, const Sheet& sheet,
                                                       const std::string& source);

}  // namespace plumb::copy
