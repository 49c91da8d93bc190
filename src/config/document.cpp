// SPDX-License-Identifier: Apache-2.0
// The one file that includes toml++, which is slow to compile.
#include "config/document.h"

#include <fmt/format.h>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>

#include "plumb/core/error.h"

namespace plumb::config {
namespace {

constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 20U;

void place(int& line, int& column, const toml::source_region& region) {
  line = std::max(1, static_cast<int>(region.begin.line));
  column = std::max(1, static_cast<int>(region.begin.column));
}

Node convert(const toml::node& from) {
  Node node;
  place(node.line, node.column, from.source());
  if (const toml::table* table = from.as_table()) {
    node.kind = Node::Kind::table;
    for (const auto& [key, value] : *table) {
      Node item = convert(value);
      item.key = std::string(key.str());
      place(item.key_line, item.key_column, key.source());
      // A table's own place is where its values begin, which may be lines below its name.
      if (item.kind == Node::Kind::table) {
        item.line = item.key_line;
        item.column = item.key_column;
      }
      node.items.push_back(std::move(item));
    }
    std::ranges::stable_sort(node.items, {}, [](const Node& n) { return std::pair(n.line, n.column); });
  } else if (const toml::array* array = from.as_array()) {
    node.kind = Node::Kind::array;
    for (const toml::node& value : *array) node.items.push_back(convert(value));
  } else if (const auto* text = from.as_string()) {
    node.kind = Node::Kind::text;
    node.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    node.kind = Node::Kind::integer;
    node.integer = integer->get();
    node.text = std::to_string(node.integer);
  } else if (const auto* boolean = from.as_boolean()) {
    node.kind = Node::Kind::boolean;
    node.boolean = boolean->get();
    node.text = node.boolean ? "true" : "false";
  } else if (const auto* number = from.as_floating_point()) {
    node.text = fmt::format("{}", number->get());
  } else {
    node.text = "a date or time";
  }
  return node;
}

/// Insertions, deletions, replacements and swaps of neighbours that make one text of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

const Node* Node::find(std::string_view name) const {
  const auto it = std::ranges::find(items, name, &Node::key);
  return it == items.end() ? nullptr : &*it;
}

std::string Node::shown() const {
  if (kind == Kind::table) return "{...}";
  if (kind == Kind::array) return "[...]";
  constexpr std::size_t kLongest = 60;
  const std::string cut = text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
  return kind == Kind::text ? '"' + cut + '"' : cut;
}

Document::Document(std::string_view text, std::string name) : name_(std::move(name)) {
  check_characters(text);
  try {
    root_ = convert(toml::parse(text));
  } catch (const toml::parse_error& error) {
    Node at;
    place(at.line, at.column, error.source());
    fail(at, fmt::format("this is no TOML: {}.", error.description()));
  }
}

Document Document::read(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw Error(Fault::caller, fmt::format("{}: {}.", path.string(), error.message()));
  if (size > kLargestFile)
    throw Error(Fault::caller, fmt::format("{}: it has {} bytes; a file of settings has at most {}.",
                                           path.string(), size, kLargestFile));
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw Error(Fault::caller, fmt::format("{}: it cannot be read.", path.string()));
  return {text, path.string()};
}

/// toml++ 3.3 has undefined behaviour where it looks for white space and meets other characters than ASCII
/// (tomlplusplus issues 190 and 295), so it never gets to see any.
void Document::check_characters(std::string_view text) const {
  const auto bad = std::ranges::find_if(text, [](unsigned char c) { return c > 0x7E; });
  if (bad == text.end()) return;
  const std::string_view before(text.begin(), bad);
  const auto line = std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n') + 1;
  fail_at(static_cast<int>(line) + 1, static_cast<int>(before.size() - start) + 1,
          fmt::format("byte 0x{:02X}: only ASCII characters can stand here, in comments too.",
                      static_cast<unsigned char>(*bad)));
}

void Document::fail(const Node& at, std::string_view what) const { fail_at(at.line, at.column, what); }

void Document::fail_at(int line, int column, std::string_view what) const {
  std::string message = fmt::format("{}:{}:{}: {}", name_, line, column, what);
  // The file may be a stranger's, and the message goes to a terminal.
  std::ranges::replace_if(
      message, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  throw Error(Fault::caller, message);
}

void Document::check_keys(const Node& table, std::string_view prefix,
                          std::span<const std::string_view> allowed) const {
  for (const Node& item : table.items) {
    if (std::ranges::find(allowed, item.key) == allowed.end())
      fail_at(item.key_line, item.key_column,
              fmt::format("{}{}: unknown key{}", prefix, item.key, suggestion(item.key, allowed)));
  }
}

std::string suggestion(std::string_view name, std::span<const std::string_view> allowed) {
  constexpr std::size_t kLongest = 64;
  const std::string_view cut = name.substr(0, kLongest);
  const auto near =
      std::ranges::min_element(allowed, {}, [&](std::string_view other) { return distance(cut, other); });
  if (near != allowed.end() && distance(cut, *near) <= std::max<std::size_t>(2, near->size() / 4))
    return fmt::format("; did you mean {}?", *near);
  return fmt::format("; there are {}.", fmt::join(allowed, ", "));
}

}  // namespace plumb::config
