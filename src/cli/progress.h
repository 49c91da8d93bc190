// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace plumb::cli {

/// One line on standard error that is written over as a run goes on; nothing where that is no terminal.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Clears the line.
  ~Progress();

  /// There are `cases` more to come than was known so far.
  void expect(std::size_t cases) { cases_ += cases; }
  /// Before a case: its number from 1, and the experiment it belongs to.
  void show(std::size_t number, std::string_view experiment);

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t cases_ = 0;
  bool on_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_;
};

}  // namespace plumb::cli
