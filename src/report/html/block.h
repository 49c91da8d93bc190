// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/finding.h"
#include "report/html/card.h"

namespace plumb::report::html {

using Json = nlohmann::ordered_json;

/// A column of the rows that a chart draws, as its tables and exports name it.
struct Column {
  std::string name;   ///< key in the rows
  std::string title;  ///< "rate"
  std::string unit;   ///< "B/cycle"; empty: none
};

/// A picture with everything that a reader may ask of it.
struct Chart {
  std::string id;  ///< of the page's element and of the files that it saves
  std::string title;
  std::string summary;  ///< what it shows, for who does not see it
  std::vector<Column> columns;
  Json rows = Json::array();
  std::string spec;  ///< Vega-Lite, written here and nowhere else; its data are the rows
  std::string how;   ///< how this was measured
};
[[nodiscard]] Json block(const Chart& chart);

[[nodiscard]] Json text(std::string what);
/// What is not in the recording, and the command that measures it.
[[nodiscard]] Json missing(std::string_view what, std::string_view pattern);
[[nodiscard]] Json table(std::string id, std::string title, const std::vector<Column>& columns, Json rows);

/// A part of the page; left out where it has no blocks.
struct Section {
  std::string id;
  std::string title;
  std::string takeaway;  ///< one sentence
  Json blocks = Json::array();
};
[[nodiscard]] Json to_json(const Section& section);

/// Numbers of a finding under the keys value, low and high.
void put(Json& row, const Finding& f);
/// "21.3 B/cycle", three or four digits.
[[nodiscard]] std::string value_of(const Finding& f);
[[nodiscard]] std::string digits(double value);

/// "dsm/pair: QUESTION 1,024 cases ... `plumb run 'dsm/pair'` measures it again; docs/experiments/dsm/pair.md
/// tells the method."
[[nodiscard]] std::string how(const Card& card, const std::vector<std::string>& experiments);

}  // namespace plumb::report::html
