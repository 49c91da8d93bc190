// SPDX-License-Identifier: Apache-2.0
// Prints the validation table as Markdown: print_validation [name=value...] with any fabric parameters.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
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

int run(int argc, char** argv) {
  Parameters p;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const Parameter* parameter = find_parameter(argument.substr(0, equals));
    if (parameter == nullptr || equals == argument.size())
      throw Error(Fault::caller, fmt::format("{}: not a parameter; write name=value.", argument));
    set(p, *parameter, argument.substr(equals + 1));
  }
  std::map<std::string, std::vector<double>> by_family;
  fmt::print("| family | traffic | measured | simulated | deviation |\n|---|---|---|---|---|\n");
  for (const Row& row : rows()) {
    const std::vector<double> values = simulated(row, p);
    double worst = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double d = deviation(row, i, values[i]);
      by_family[row.family].push_back(std::abs(d));
      if (std::abs(d) >= std::abs(worst)) worst = d;
    }
    fmt::print("| {} | {} | {} | {} | {:+.1f} % |\n", row.family, row.name, measured_text(row), list(values),
               100 * worst);
  }
  fmt::print("\n| family | numbers | median deviation | worst |\n|---|---|---|---|\n");
  for (auto& [family, all] : by_family) {
    std::ranges::sort(all);
    fmt::print("| {} | {} | {:.1f} % | {:.1f} % |\n", family, all.size(), 100 * all[all.size() / 2],
               100 * all.back());
  }
  return 0;
}

}  // namespace
}  // namespace plumb::fabric::validation

int main(int argc, char** argv) {
  try {
    return plumb::fabric::validation::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "print_validation: {}\n", error.what());
    return 2;
  }
}
