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

std::string name_by_axes(const Case& c, std::span<const std::string> order) {
  std::string name = c.experiment;
  for (const std::string& axis_name : order)
    if (const std::string value = axis(c, axis_name); !value.empty()) name += "/" + value;
  if (const std::string gpc = axis(c, "gpc"); !gpc.empty()) name += "/gpc-" + gpc;
  return name;
}

}  // namespace plumb
