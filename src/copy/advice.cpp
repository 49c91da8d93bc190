// SPDX-License-Identifier: Apache-2.0
#include "copy/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumb/core/error.h"
#include "stats/describe.h"

namespace plumb::copy {
namespace {

constexpr int kLanes = 32;
constexpr std::int64_t kRow = 512;  // bytes of 128 elements
constexpr double kAsGood = 0.99;    // of the best rate
constexpr std::int64_t kLeastBytes = 512;

/// One CTA on an SM, 16 bytes a thread.
std::vector<Copy> ldgsts_ways(std::int64_t bytes) {
  std::vector<Copy> out;
  for (int threads = kLanes; threads <= kMostCopyThreads; threads *= 2)
    for (const int stages : {1, 2, 4, 8, 12, 16}) {
      const Copy c{.threads = threads, .stages = stages};
      if (flight_bytes(c) <= bytes) out.push_back(c);
    }
  return out;
}

/// Boxes of 128 elements of 4 bytes, as high as the bytes allow.
std::vector<Copy> tma_ways(std::int64_t bytes) {
  std::vector<Copy> out;
  for (int warps = 1; warps <= kMostCopyWarps; warps *= 2)
    for (const int stages : {1, 2, 4, 8}) {
      if (warps * stages > kMostFills) continue;
      const std::int64_t rows = std::min<std::int64_t>(bytes / warps / stages / kRow, kMostBox);
      if (rows >= 1)
        out.push_back({.path = CopyPath::tma,
                       .threads = warps * kLanes,
                       .stages = stages,
                       .box = {128, static_cast<int>(rows)}});
    }
  return out;
}

stats::Estimate predict(const model::PathFit& fit, const Copy& c) {
  const model::Flight flight = flight_of(c);
  std::vector<double> draws;
  for (const model::Path& p : fit.draws) draws.push_back(model::rate(p, flight));
  const double value = model::rate(fit.path, flight);
  constexpr double kLow = 0.025;
  constexpr double kHigh = 0.975;
  // What the fit does not know of itself: how far points lay from it that it had not seen.
  const double apart = fit.held_out_95 * value;
  const double below = std::hypot(value - std::min(value, stats::quantile(draws, kLow)), apart);
  const double above = std::hypot(std::max(value, stats::quantile(draws, kHigh)) - value, apart);
  return {value, value - below, value + above};
}

}  // namespace

std::vector<Advice> advise(std::span<const Measurement> measurements, std::int64_t bytes, Memory from,
                           Layout layout, int sms) {
  if (bytes < kLeastBytes || bytes > kMostCopyShared)
    throw Error(Fault::caller, fmt::format("bytes in flight = {}: give {} to {}, which an SM has room for.",
                                           bytes, kLeastBytes, kMostCopyShared));
  std::vector<Advice> out;
  for (const CopyPath path : {CopyPath::ldgsts, CopyPath::tma}) {
    const auto fit = rate_model(measurements, {path, from, layout});
    if (!fit) continue;
    std::vector<Copy> ways = path == CopyPath::ldgsts ? ldgsts_ways(bytes) : tma_ways(bytes);
    const auto rate = [&](const Copy& c) { return model::rate(fit->path, flight_of(c)); };
    double best = 0.0;
    for (const Copy& c : ways) best = std::max(best, rate(c));
    std::erase_if(ways, [&](const Copy& c) { return rate(c) < kAsGood * best; });
    Copy chosen = *std::min_element(ways.begin(), ways.end(), [](const Copy& a, const Copy& b) {
      return std::pair(a.threads, a.stages) < std::pair(b.threads, b.stages);
    });
    chosen.from = from;
    chosen.layout = layout;
    const stats::Estimate e = predict(*fit, chosen);
    out.push_back(
        {chosen, e, e.value * sms, path == CopyPath::ldgsts ? 0 : chosen.threads / kLanes * chosen.stages});
  }
  std::sort(out.begin(), out.end(),
            [](const Advice& a, const Advice& b) { return a.rate.value > b.rate.value; });
  return out;
}

}  // namespace plumb::copy
