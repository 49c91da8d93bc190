// SPDX-License-Identifier: Apache-2.0
#include "core/case.h"

#include <fmt/format.h>

namespace plumb {

std::string text_of(const AxisValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string id_of(const Case& c) {
  std::string id = c.experiment;
  for (const auto& [name, value] : c.axes) id += fmt::format(" {}={}", name, text_of(value));
  return id;
}

std::string axis(const Case& c, std::string_view name) {
  const auto it = c.axes.find(name);
  return it == c.axes.end() ? std::string() : text_of(it->second);
}

}  // namespace plumb
