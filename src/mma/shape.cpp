// SPDX-License-Identifier: Apache-2.0
// Where shared memory limits the tensor cores: A from there or from elsewhere, over N.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "mma/cases.h"
#include "mma/experiments.h"

namespace plumb::mma {
namespace {

const std::string kName = "mma/shape";
constexpr double kFull = 99.0;  // % of the peak that count as all of it
constexpr int kStep = 8;
constexpr int kTcgen05Step = 16;
constexpr int kMostN = 256;

std::vector<Mma> works() {
  std::vector<Mma> out;
  for (int n = kStep; n <= kMostN; n += kStep)
    for (const Operands operands : {Operands::ss, Operands::rs})
      for (const int groups : {1, 2}) out.push_back({.n = n, .operands = operands, .groups = groups});
  std::vector<int> ns;
  for (int n = kTcgen05Step; n <= kMostN; n += kTcgen05Step) ns.push_back(n);
  auto more = tcgen05_shapes(Number::bf16, Number::f32, ns);
  out.insert(out.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  return legal(std::move(out));
}

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  for (const Mma& w : works()) out.push_back(case_of(kName, steady(w), request.quick ? 9 : 30));
  return out;
}

/// Bytes of A and B that one instruction takes from the shared memory of one SM.
double shared_bytes(const Mma& w) {
  const int sms = w.family == MmaFamily::tcgen05 ? w.groups : 1;
  const int rows = (w.operands == Operands::ss ? w.m / sms : 0) + w.n / sms;
  return static_cast<double>(rows) * kMmaRowBytes;
}

/// What sets one curve over N apart from the others.
std::string curve_of(const Measurement& m) {
  const Mma& w = mma_of(m);
  return fmt::format("{}/{}/{}/m{}/{}g", kName, name_of(w.family), name_of(w.operands), w.m, w.groups);
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  struct Point {
    int n = 0;
    double peak = 0;
    const Measurement* m = nullptr;
  };
  std::map<std::string, std::vector<Point>> curves;
  std::vector<Finding> out;
  for (const Measurement& m : measurements) {
    for (Finding& f : rate_findings(m)) {
      if (f.name.ends_with("/peak")) curves[curve_of(m)].push_back({mma_of(m).n, f.value, &m});
      if (f.name.ends_with("/cycles")) {
        const stats::Estimate cycles{.value = f.value, .low = f.low, .high = f.high};
        out.push_back(finding(m, "shared-memory", inverse(shared_bytes(mma_of(m)), cycles), "B/cycle"));
      }
      out.push_back(std::move(f));
    }
  }
  for (auto& [name, points] : curves) {
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.n < b.n; });
    const auto full =
        std::find_if(points.begin(), points.end(), [](const Point& p) { return p.peak >= kFull; });
    if (full == points.end()) continue;
    // One warpgroup waits for every batch, which hides where shared memory stops to limit it.
    if (const Mma& w = mma_of(*full->m); w.family == MmaFamily::wgmma && w.groups == 1) continue;
    const auto n = static_cast<double>(full->n);
    out.push_back({.name = name + "/ridge",
                   .value = n,
                   .low = n,
                   .high = n,
                   .unit = "columns",
                   .estimator = fmt::format("first N of {:.0f} % of the peak", kFull),
                   .cases = {id_of(full->m->point)},
                   .notes = {}});
  }
  return out;
}

}  // namespace

Experiment shape() {
  return {.name = kName,
          .question =
              "From which N on are the tensor cores busy, with A in shared memory and without, and what "
              "does shared memory deliver below?",
          .seconds_a_case = 0.03,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::mma
