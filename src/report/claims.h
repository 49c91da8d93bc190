// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "claims/verdict.h"

namespace plumb::report {

/// One claim with its verdict.
struct BoardRow {
  const claims::Claim* claim = nullptr;
  claims::Judged judged;
};

/// Source by source a table of its claims; below each what those say that differ or contradict themselves,
/// and why where that is known; at the end how many there are of each verdict.
[[nodiscard]] std::string board_table(const claims::Board& board, std::span<const BoardRow> rows,
                                      bool colours);

/// {"claim": {...}, "source": {...}, "verdict", "measured", "off_percent"}
[[nodiscard]] nlohmann::ordered_json to_json(const claims::Board& board, const BoardRow& row);

}  // namespace plumb::report
