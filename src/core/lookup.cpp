// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/lookup.h"

#include <fmt/format.h>

#include "plumb/core/error.h"

namespace plumb {
namespace {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Fault::caller, fmt::format(format, std::forward<Args>(args)...));
}

/// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

}  // namespace

std::int64_t offset_of(const Lookup& l, int a) {
  if (l.stride != 0) return a * l.stride;
  // One from each of as many equal parts of the span, so that no two are the same.
  const std::int64_t lines = l.span / kLineBytes;
  const std::int64_t first = lines * a / l.addresses;
  const std::int64_t next = lines * (a + 1) / l.addresses;
  const auto draw = mixed(static_cast<std::uint64_t>(a));
  return (first + static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(next - first))) * kLineBytes;
}

void validate(const Lookup& l) {
  if (l.addresses < 1 || l.addresses > kMostAddresses)
    fail("addresses = {}: allowed is 1 to {}.", l.addresses, kMostAddresses);
  if (l.stride < 0 || l.stride % kSectorBytes != 0)
    fail("stride = {}: allowed are 0 and multiples of {} bytes.", l.stride, kSectorBytes);
  if (l.span > kMostSpan) fail("span = {}: at most {} bytes.", l.span, kMostSpan);
  const std::int64_t needed = l.addresses * (l.stride != 0 ? l.stride : kLineBytes);
  if (l.span < needed) fail("span = {}: {} addresses take {} bytes.", l.span, l.addresses, needed);
}

}  // namespace plumb
