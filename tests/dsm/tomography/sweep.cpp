// SPDX-License-Identifier: Apache-2.0
// How often dsm/tomography finds a planted GPC: every floorsweeping of 16 and 18 SMs, many placements.
//
//     sweep_tomography [PLACEMENTS [NOISE [OUTLIERS [RANKS]]]]
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>

#include "dsm/tomography/planted.h"

int main(int argc, char** argv) {
  using plumb::test::Verdict;
  const auto argument = [&](int i, double otherwise) {
    return argc > i ? std::strtod(argv[i], nullptr) : otherwise;
  };
  const auto placements = static_cast<std::uint64_t>(argument(1, 20));
  const double noise = argument(2, 0.015);
  const double outliers = argument(3, 0.0);
  const auto ranks = static_cast<int>(argument(4, 0));
  const auto start = std::chrono::steady_clock::now();
  const auto gpcs = plumb::test::floorsweepings();
  std::mutex mutex;
  std::size_t runs = 0;
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::vector<std::size_t> tests;
  tbb::parallel_for(std::size_t{0}, gpcs.size() * placements, [&](std::size_t i) {
    const auto& off = gpcs[i % gpcs.size()];
    plumb::test::Planted planted{.machine = plumb::test::placed(off, i / gpcs.size()),
                                 .ranks = ranks != 0 ? ranks : 18 - static_cast<int>(off.size()),
                                 .noise = noise,
                                 .outliers = outliers,
                                 .seed = i + 1};
    const auto s = plumb::test::survey(planted);
    const std::scoped_lock lock(mutex);
    ++runs;
    right += s.blocks == Verdict::right && s.cpcs == Verdict::right ? 1U : 0U;
    wrong += s.blocks == Verdict::wrong || s.cpcs == Verdict::wrong ? 1U : 0U;
    tests.push_back(s.measurements.size());
    if (s.blocks != Verdict::right || s.cpcs != Verdict::right) {
      fmt::print("seed {}: {} SMs, blocks {}, CPCs {}, {} tests\n", i + 1, 18 - off.size(),
                 s.blocks == Verdict::right   ? "right"
                 : s.blocks == Verdict::wrong ? "WRONG"
                                              : "undetermined",
                 s.cpcs == Verdict::right   ? "right"
                 : s.cpcs == Verdict::wrong ? "WRONG"
                                            : "undetermined",
                 s.measurements.size());
      for (const auto& f : s.findings)
        if (f.name.ends_with("block/confidence") || f.name.ends_with("cpc/confidence"))
          fmt::print("    {}: {}\n", f.name, fmt::join(f.notes, "; "));
    }
  });
  std::sort(tests.begin(), tests.end());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{} surveys: {} right, {} undetermined, {} wrong; {} to {} tests, median {}; {:.0f} s\n", runs,
             right, runs - right - wrong, wrong, tests.front(), tests.back(), tests[tests.size() / 2],
             seconds.count());
  return wrong == 0 ? 0 : 1;
}
