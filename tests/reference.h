// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace plumb::test {

/// A row of a sheet by the names of its columns.
using SheetRow = std::map<std::string, std::string>;

/// Where public measurements by others lie, beside the source tree; they are not part of it.
inline std::filesystem::path reference(const std::string& sheet) {
  return std::filesystem::path(PLUMB_SOURCE_DIR).parent_path() / "shared" / "reference" / sheet;
}

/// The rows of a comma-separated sheet without quotes; none where it is missing.
inline std::vector<SheetRow> read_sheet(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<std::string> names;
  std::vector<SheetRow> rows;
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> cells;
    std::stringstream parts(line);
    for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    SheetRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
  }
  return rows;
}

}  // namespace plumb::test
