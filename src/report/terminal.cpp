// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace plumb::report {
namespace {

std::string_view code(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::bold:
      return "\x1b[1m";
    case Tone::dim:
      return "\x1b[2m";
    case Tone::good:
      return "\x1b[32m";
    case Tone::warn:
      return "\x1b[33m";
    case Tone::bad:
      return "\x1b[31m";
  }
  return "";
}

/// Columns on the screen: UTF-8 continuation bytes take none.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool colours_on(std::FILE* stream) {
  const char* const none = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return is_terminal(stream) && (none == nullptr || *none == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return out;
}

std::string paint(std::string_view text, Tone tone, bool on) {
  std::string clean = printable(text);
  if (!on || tone == Tone::plain) return clean;
  std::string out(code(tone));
  out += clean;
  out += "\x1b[0m";
  return out;
}

std::string Table::text(bool colours, std::size_t left) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string cell = printable(rows_[r][c]);
      const std::string pad(widths[c] - width(cell), ' ');
      if (c > 0) line += "  ";
      line += c == 0 || c >= left ? cell + pad : pad + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += r == 0 ? paint(line, Tone::dim, colours) : line;
    out += '\n';
  }
  return out;
}

}  // namespace plumb::report
