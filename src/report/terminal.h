// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::report {

/// Whether `stream` is a terminal that takes colours: NO_COLOR (no-color.org) and TERM=dumb turn them off.
[[nodiscard]] bool colours_on(std::FILE* stream);
[[nodiscard]] bool is_terminal(std::FILE* stream);

enum class Tone { plain, bold, dim, good, warn, bad };
/// `text` in a tone, or as it is where `on` is false. What a terminal would obey (escape and other control
/// characters) is replaced by '?', since names come from files of strangers.
[[nodiscard]] std::string paint(std::string_view text, Tone tone, bool on);
[[nodiscard]] std::string printable(std::string_view text);

/// Columns of text, the first flush left and the others right, as wide as they need to be.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// A column whose index is `left` or more is flush left too: the notes at the end of a row.
  [[nodiscard]] std::string text(bool colours, std::size_t left = 99) const;
  [[nodiscard]] bool empty() const { return rows_.size() < 2; }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace plumb::report
