// SPDX-License-Identifier: Apache-2.0
// Prints the validation tables as Markdown:
//   print_validation [name=value...]   with any fabric parameters changed
//   print_validation --update FILE     into a document, between its marks
//   print_validation --check FILE      fails where the document is out of date
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

#include "fabric/validation.h"
#include "plumb/core/error.h"

namespace plumb::fabric::validation {
namespace {

std::string list(const std::vector<double>& values) {
  std::string text;
  for (const double v : values) text += fmt::format("{}{:.1f}", text.empty() ? "" : " ", v);
  return text;
}

std::string measured_text(const Row& row) {
  if (row.high == 0.0 || row.high == row.low) return list(row.measured);
  return fmt::format("{:.1f} to {:.1f}", row.low, row.high);
}

std::string tables(const Parameters& p) {
  std::map<std::string, std::vector<double>> by_family;
  std::string text =
      "| family | traffic | measured | simulated | largest deviation |\n|---|---|---|---|---|\n";
  for (const Row& row : rows()) {
    const std::vector<double> values = simulated(row, p);
    double worst = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double d = deviation(row, i, values[i]);
      by_family[row.family].push_back(std::abs(d));
      if (std::abs(d) >= std::abs(worst)) worst = d;
    }
    text += fmt::format("| {} | {} | {} | {} | {:+.1f} % |\n", row.family, row.name, measured_text(row),
                        list(values), 100 * worst);
  }
  text += "\n| family | numbers | median deviation | worst |\n|---|---|---|---|\n";
  for (auto& [family, all] : by_family) {
    std::ranges::sort(all);
    text += fmt::format("| {} | {} | {:.1f} % | {:.1f} % |\n", family, all.size(),
                        100 * all[(all.size() - 1) / 2], 100 * all.back());
  }
  return text;
}

constexpr std::string_view kBegin = "<!-- printed by print_validation -->\n";
constexpr std::string_view kEnd = "<!-- end of print -->\n";

/// The document with the tables between its two marks replaced.
std::string with_tables(const std::string& document, const std::string& text) {
  const std::size_t begin = document.find(kBegin);
  const std::size_t end = document.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos)
    throw Error(Fault::caller, "the document has no marks for the tables.");
  return document.substr(0, begin + kBegin.size()) + text + document.substr(end);
}

std::string read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(Fault::caller, fmt::format("{}: cannot be read.", path));
  return {std::istreambuf_iterator<char>(in), {}};
}

int run(std::vector<std::string> arguments) {
  if (arguments.size() == 2 && (arguments[0] == "--update" || arguments[0] == "--check")) {
    const std::string document = read(arguments[1]);
    const std::string current = with_tables(document, tables(Parameters{}));
    if (arguments[0] == "--update") {
      std::ofstream(arguments[1]) << current;
    } else if (current != document) {
      throw Error(Fault::check,
                  fmt::format("{} is out of date; run print_validation --update on it.", arguments[1]));
    }
    return 0;
  }
  Parameters p;
  for (const std::string_view argument : arguments) {
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const Parameter* parameter = find_parameter(argument.substr(0, equals));
    if (parameter == nullptr || equals == argument.size())
      throw Error(Fault::caller, fmt::format("{}: not a parameter; write name=value.", argument));
    set(p, *parameter, argument.substr(equals + 1));
  }
  validate(p);
  fmt::print("{}", tables(p));
  return 0;
}

}  // namespace
}  // namespace plumb::fabric::validation

int main(int argc, char** argv) {
  try {
    return plumb::fabric::validation::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "print_validation: {}\n", error.what());
    return 2;
  }
}
