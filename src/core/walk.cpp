// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "core/names.h"
#include "plumb/core/error.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 2> kOps{"read", "write"};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Fault::caller, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace

std::string_view name_of(WalkOp op) noexcept { return kOps[static_cast<std::size_t>(op)]; }

WalkOp walk_op_from(std::string_view name) { return enum_from<WalkOp>(kOps, "walk operation", name); }

void validate(const Walk& w) {
  if (std::any_of(w.sms.begin(), w.sms.end(), [](int sm) { return sm < 0; }) ||
      std::adjacent_find(w.sms.begin(), w.sms.end(), std::greater_equal<>{}) != w.sms.end())
    fail("sms = {}: give each SM once, rising, from 0.", fmt::join(w.sms, " "));
  if (w.window < kLeastWindow || w.window > kMostWindow || !std::has_single_bit(std::uint64_t(w.window)))
    fail("window = {}: allowed are powers of two from {} to {} bytes.", w.window, kLeastWindow, kMostWindow);
  if (w.rounds < 1 || w.rounds > kMostRounds) fail("rounds = {}: allowed is 1 to {}.", w.rounds, kMostRounds);
}

}  // namespace plumb
