// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::config {

/// A value of a TOML file with the place where it stands.
struct Node {
  enum class Kind : std::uint8_t { table, array, text, integer, boolean, other };

  Kind kind = Kind::other;
  int line = 1;
  int column = 1;
  std::string key;  ///< under which it stands in its table; empty in an array
  int key_line = 1;
  int key_column = 1;
  std::string text;  ///< of a text its content, of any other scalar how it is written
  std::int64_t integer = 0;
  bool boolean = false;
  std::vector<Node> items;  ///< of an array, or of a table in the order of the file

  /// The value of a key of a table; null where there is none.
  [[nodiscard]] const Node* find(std::string_view name) const;
  /// As an error shows it: 16, "put", [...].
  [[nodiscard]] std::string shown() const;
};

/// A TOML file in memory, and the errors about it: "FILE:LINE:COLUMN: what is wrong".
class Document {
 public:
  /// Throws Error (caller) where `text` is no TOML. `name` is only what errors call it.
  Document(std::string_view text, std::string name);
  /// Throws Error (caller) as well where the file cannot be read or is over 1 MiB.
  [[nodiscard]] static Document read(const std::filesystem::path& path);

  [[nodiscard]] const Node& root() const { return root_; }

  /// Throws Error (caller) about the place of `at`.
  [[noreturn]] void fail(const Node& at, std::string_view what) const;
  /// fail() about the first key of `table` that is not in `allowed`, with the nearest of them.
  void check_keys(const Node& table, std::string_view prefix,
                  std::span<const std::string_view> allowed) const;

 private:
  void check_characters(std::string_view text) const;
  [[noreturn]] void fail_at(int line, int column, std::string_view what) const;

  std::string name_;
  Node root_;
};

/// "; did you mean X?" for the name nearest to `name`, or "; there are A, B, C." where none is near.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string_view> allowed);

}  // namespace plumb::config
