// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "dsm/tomography/trial.h"

namespace plumb::dsm::tomo {

/// Random choices that are the same on every platform: only the generator is used, whose output the
/// standard fixes.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  [[nodiscard]] std::size_t below(std::size_t n) { return random_() % n; }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 random_;
};

/// Destinations that are driven by three sources each, drawn from the other ranks.
[[nodiscard]] Trial crowd(Kind kind, const std::vector<int>& destinations, int ranks, Draw& draw);

/// Screens in which every two ranks are destinations of one test at least once, four at a time where there
/// are ranks enough for their sources; none for fewer than eight ranks.
[[nodiscard]] std::vector<Trial> screen_cover(int ranks, std::uint64_t seed);

}  // namespace plumb::dsm::tomo
