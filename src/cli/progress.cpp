// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include "report/terminal.h"

namespace plumb::cli {

Progress::Progress() : on_(report::is_terminal(stderr)) {}

Progress::~Progress() {
  if (on_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::show(std::size_t number, std::string_view experiment) {
  constexpr auto kEvery = std::chrono::milliseconds(50);
  const auto now = Clock::now();
  if (!on_ || (number < cases_ && now - shown_ < kEvery)) return;
  shown_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto done = static_cast<double>(number - 1);
  const double rest = done > 0 ? elapsed / done * static_cast<double>(cases_ - number + 1) : 0.0;
  fmt::print(stderr, "\r\x1b[K{}  case {} of {}, {:.0f} s, about {:.0f} s left", experiment, number, cases_,
             elapsed, rest);
  (void)std::fflush(stderr);
}

}  // namespace plumb::cli
