// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

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

}  // namespace plumb
