// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/draw.h"

#include <algorithm>
#include <numeric>

namespace plumb::dsm::tomo {
namespace {

constexpr int kSources = 3;
constexpr int kMostTogether = 4;

std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

/// Which pairs have been together, and who would bring the most new ones to a set.
class Cover {
 public:
  explicit Cover(int ranks) : ranks_(ranks), met_(square(ranks)) {}

  [[nodiscard]] int new_pairs(const std::vector<int>& set, int rank) const {
    if (std::find(set.begin(), set.end(), rank) != set.end()) return -1;
    return static_cast<int>(std::count_if(set.begin(), set.end(), [&](int r) { return !met_[at(r, rank)]; }));
  }
  void meet(const std::vector<int>& set) {
    for (const int a : set)
      for (const int b : set) met_[at(a, b)] = true;
  }
  [[nodiscard]] bool lacks(int a, int b) const { return !met_[at(a, b)]; }

 private:
  [[nodiscard]] std::size_t at(int a, int b) const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(b);
  }
  int ranks_;
  std::vector<bool> met_;
};

std::vector<int> shuffled_ranks(int ranks, Draw& draw) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  draw.shuffle(all);
  return all;
}

}  // namespace

Trial crowd(Kind kind, const std::vector<int>& destinations, int ranks, Draw& draw) {
  std::vector<int> others = shuffled_ranks(ranks, draw);
  std::erase_if(others, [&](int r) {
    return std::find(destinations.begin(), destinations.end(), r) != destinations.end();
  });
  Trial trial{.kind = kind, .streams = {}};
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const auto first = others.begin() + static_cast<std::ptrdiff_t>(i) * kSources;
    trial.streams.push_back({.sources = {first, first + kSources}, .destination = destinations[i]});
  }
  return trial;
}

std::vector<Trial> screen_cover(int ranks, std::uint64_t seed) {
  const int together = std::min(kMostTogether, ranks / (kSources + 1));
  std::vector<Trial> out;
  if (together < 2) return out;
  Draw draw(seed);
  Cover cover(ranks);
  for (int a = 0; a < ranks; ++a) {
    for (int b = a + 1; b < ranks; ++b) {
      if (!cover.lacks(a, b)) continue;
      std::vector<int> set{a, b};
      while (set.size() < static_cast<std::size_t>(together)) {
        const std::vector<int> order = shuffled_ranks(ranks, draw);
        set.push_back(*std::max_element(order.begin(), order.end(), [&](int x, int y) {
          return cover.new_pairs(set, x) < cover.new_pairs(set, y);
        }));
      }
      cover.meet(set);
      out.push_back(crowd(Kind::screen, set, ranks, draw));
    }
  }
  return out;
}

}  // namespace plumb::dsm::tomo
