// SPDX-License-Identifier: Apache-2.0
#include "model/queueing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace plumb::model {
namespace {

constexpr int kMost = 9;

/// How many heads want each lane, most wanted first: which lane it is does not matter.
using Heads = std::vector<int>;
using Distribution = std::map<Heads, double>;

/// One more head, for a lane at random.
Distribution add_head(const Distribution& before) {
  Distribution after;
  for (const auto& [heads, probability] : before) {
    const double each = probability / static_cast<double>(heads.size());
    for (std::size_t lane = 0; lane < heads.size(); ++lane) {
      Heads next = heads;
      ++next[lane];
      std::ranges::sort(next, std::greater<>());
      after[next] += each;
    }
  }
  return after;
}

int wanted(const Heads& heads) {
  return static_cast<int>(std::ranges::count_if(heads, [](int n) { return n > 0; }));
}

/// What one cycle makes of `heads`: each wanted lane takes one, and those queues show their next flit.
Distribution cycle(const Heads& heads) {
  Heads left = heads;
  for (int& n : left) n = std::max(0, n - 1);
  std::ranges::sort(left, std::greater<>());
  Distribution out{{left, 1.0}};
  for (int i = wanted(heads); i > 0; --i) out = add_head(out);
  return out;
}

double mean_wanted(const Distribution& d) {
  double sum = 0.0;
  for (const auto& [heads, probability] : d) sum += probability * wanted(heads);
  return sum;
}

double solve(int inputs, int outputs) {
  Distribution now{{Heads(static_cast<std::size_t>(outputs), 0), 1.0}};
  for (int i = 0; i < inputs; ++i) now = add_head(now);
  std::map<Heads, Distribution> steps;
  double limit = mean_wanted(now);
  constexpr int kCycles = 2000;  // far more than the chain remembers
  for (int i = 0; i < kCycles; ++i) {
    Distribution next;
    for (const auto& [heads, probability] : now) {
      const auto [it, is_new] = steps.try_emplace(heads);
      if (is_new) it->second = cycle(heads);
      for (const auto& [to, share] : it->second) next[to] += probability * share;
    }
    now = std::move(next);
    const double after = mean_wanted(now);
    if (std::abs(after - limit) < 1e-12) return after;
    limit = after;
  }
  return limit;
}

}  // namespace

double head_of_line_limit(int inputs, int outputs) {
  if (inputs < 1 || inputs > kMost || outputs < 1 || outputs > kMost)
    throw std::invalid_argument("head_of_line_limit: 1 to 9 inputs and outputs");
  // A page of predictions asks for the same few a thousand times, from all cores.
  static std::array<std::array<std::once_flag, kMost>, kMost> once;
  static std::array<std::array<double, kMost>, kMost> limits;
  const auto i = static_cast<std::size_t>(inputs - 1);
  const auto o = static_cast<std::size_t>(outputs - 1);
  std::call_once(once.at(i).at(o), [&] { limits.at(i).at(o) = solve(inputs, outputs); });
  return limits.at(i).at(o);
}

}  // namespace plumb::model
