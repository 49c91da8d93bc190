// SPDX-License-Identifier: Apache-2.0
#include "config/size.h"

#include <fmt/format.h>

#include <charconv>

#include "plumb/core/error.h"

namespace plumb::config {

std::int64_t size_from(std::string_view text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const int shift = unit.empty() || unit == "B" ? 0 : unit == "KiB" ? 10 : unit == "MiB" ? 20 : -1;
  if (error != std::errc{} || shift < 0)
    throw Error(Fault::caller,
                fmt::format("'{}' is no size; write bytes such as 65536, or 64KiB, or 1MiB.", text));
  if (number < 0 || number > kLargestSize >> shift)
    throw Error(Fault::caller,
                fmt::format("'{}' is no possible size; allowed is 0 to {} bytes.", text, kLargestSize));
  return number << shift;
}

}  // namespace plumb::config
