// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "plumb/core/error.h"

namespace plumb {

/// The value whose name is at its place in `names`. Throws Error (caller), "unknown WHAT 'NAME'", that lists
/// the allowed names.
template <class Enum, std::size_t N>
[[nodiscard]] Enum enum_from(const std::array<std::string_view, N>& names, std::string_view what,
                             std::string_view name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end())
    throw Error(Fault::caller,
                fmt::format("unknown {} '{}'; allowed are {}.", what, name, fmt::join(names, ", ")));
  return static_cast<Enum>(it - names.begin());
}

/// The numbers of "BEFORE 2 BETWEEN 16" without the spaces; what follows them stays in `text`. None, and
/// `text` as it was, where it does not begin so.
[[nodiscard]] inline std::optional<std::pair<int, int>> take_two_numbers(std::string_view& text,
                                                                         std::string_view before,
                                                                         std::string_view between) {
  std::string_view rest = text;
  const auto take = [&rest](std::string_view word, int& number) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc()) return false;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return true;
  };
  std::pair<int, int> out;
  if (!take(before, out.first) || !take(between, out.second)) return std::nullopt;
  text = rest;
  return out;
}

}  // namespace plumb
