// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::record {

/// A table in a text file: a line of names, then lines of values, separated by commas. A value in double
/// quotes may hold commas, and a quote written twice (RFC 4180, without line breaks in values).
class Csv {
 public:
  /// Throws Error (caller) that names the file and the line: no such file, no line of names, a line with more
  /// or fewer values than names, a quote that does not end.
  [[nodiscard]] static Csv read(const std::filesystem::path& path);
  /// Likewise from text; `name` stands for the file in messages.
  [[nodiscard]] static Csv parse(std::string_view text, std::string name);

  [[nodiscard]] std::size_t rows() const noexcept { return values_.size(); }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Line of a row in the file, counted from 1.
  [[nodiscard]] std::size_t line(std::size_t row) const noexcept { return lines_[row]; }
  /// Place of a column. Throws Error (caller) that lists the columns where there is none of that name.
  [[nodiscard]] std::size_t column(std::string_view name) const;

  [[nodiscard]] const std::string& text(std::size_t row, std::size_t column) const {
    return values_[row][column];
  }
  /// Throws Error (caller) that names line and column where the value is not a finite number.
  [[nodiscard]] double number(std::size_t row, std::size_t column) const;
  /// Likewise, and where it is not whole or not from 1 to 2^31 - 1.
  [[nodiscard]] int count(std::size_t row, std::size_t column) const;

 private:
  [[nodiscard]] std::string place(std::size_t row, std::size_t column) const;

  std::string name_;
  std::vector<std::string> names_;
  std::size_t names_line_ = 0;
  std::vector<std::vector<std::string>> values_;
  std::vector<std::size_t> lines_;  // of each row, counted from 1
};

}  // namespace plumb::record
