// SPDX-License-Identifier: Apache-2.0
#include "record/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "plumb/core/error.h"
#include "record/lines.h"

namespace plumb::record {
namespace {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Fault::caller, fmt::format(format, std::forward<Args>(args)...));
}

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

/// The values of one line; false where a quote does not end.
bool split(std::string_view line, std::vector<std::string>& out) {
  out.assign(1, {});
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      out.back() += line[i++];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return !quoted;
}

}  // namespace

Csv Csv::read(const std::filesystem::path& path) {
  const Lines lines = read_lines(path);
  std::string text;
  for (const std::string& line : lines.complete) text += line + '\n';
  return parse(text + lines.rest, path.string());
}

Csv Csv::parse(std::string_view text, std::string name) {
  Csv csv;
  csv.name_ = std::move(name);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> values;
  for (std::size_t at = 0, number = 1; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = without_return(text.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    if (!split(line, values)) fail("{}:{}: a quote is opened and not closed.", csv.name_, number);
    if (csv.names_.empty()) {
      csv.names_ = values;
      csv.names_line_ = number;
      continue;
    }
    if (values.size() != csv.names_.size())
      fail("{}:{}: {} values where the first line has {} names.", csv.name_, number, values.size(),
           csv.names_.size());
    csv.values_.push_back(values);
    csv.lines_.push_back(number);
  }
  if (csv.names_.empty()) fail("{}: it is empty; a table begins with a line of column names.", csv.name_);
  return csv;
}

std::size_t Csv::column(std::string_view name) const {
  const auto it = std::find(names_.begin(), names_.end(), name);
  if (it == names_.end())
    fail("{}:{}: there is no column '{}'; there are {}.", name_, names_line_, name, fmt::join(names_, ", "));
  return static_cast<std::size_t>(it - names_.begin());
}

std::string Csv::place(std::size_t row, std::size_t column) const {
  return fmt::format("{}:{}: column '{}'", name_, lines_[row], names_[column]);
}

double Csv::number(std::size_t row, std::size_t column) const {
  const std::string& value = text(row, column);
  double out = 0.0;
  if (value.empty()) fail("{} is empty and must hold a number.", place(row, column));
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(out))
    fail("{} holds '{}' and must hold a number.", place(row, column), value);
  return out;
}

int Csv::count(std::size_t row, std::size_t column) const {
  const double value = number(row, column);
  if (value != std::floor(value) || value < 1.0 || value > std::numeric_limits<int>::max())
    fail("{} holds '{}' and must hold a whole number of 1 or more.", place(row, column), text(row, column));
  return static_cast<int>(value);
}

}  // namespace plumb::record
