// SPDX-License-Identifier: Apache-2.0
// What one dependent access costs, level by level, and what pages far apart add.
#include <fmt/format.h>

#include "copy/experiments.h"
#include "copy/rates.h"
#include "core/validity.h"
#include "stats/describe.h"

namespace plumb::copy {
namespace {

constexpr std::uint64_t kSeed = 20260104;
constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
/// A pointer a page further on and 256 bytes more, so that the pointers of many pages do not meet in one part
/// of the L2.
constexpr std::int64_t kSkew = 256;
const std::vector<std::string> kOrder{"level", "way", "pages", "stride"};

class Catalog {
 public:
  explicit Catalog(const Request& request) : request_(request) {}

  void add(const char* level, const Chase& chase, int samples) {
    put({{"level", std::string(level)}, {"way", std::string(name_of(chase.way))}}, chase, samples);
  }
  void pages(const Chase& chase) {
    put({{"level", std::string("l2-pages")},
         {"way", std::string(name_of(chase.way))},
         {"pages", chase.nodes},
         {"stride", fmt::format("{}MiB", chase.stride / kMiB)}},
        chase, samples_of(request_));
  }
  std::vector<Case> take() { return std::move(out_); }

 private:
  void put(Axes axes, const Chase& chase, int samples) {
    out_.push_back({.experiment = "copy/ladder", .axes = std::move(axes), .work = chase, .samples = samples});
  }
  Request request_;
  std::vector<Case> out_;
};

std::vector<Case> cases(const Request& request) {
  Catalog catalog(request);
  const int few = samples_of(request);
  const int many = request.quick ? 30 : 240;  // lines, each near or far
  catalog.add("register", {.way = ChaseWay::add}, few);
  catalog.add("shared", {.way = ChaseWay::shared, .nodes = 256, .stride = 128}, few);
  catalog.add("l1", {.way = ChaseWay::load, .nodes = 64, .stride = 128}, few);
  for (const ChaseWay way : {ChaseWay::load_l2, ChaseWay::ldgsts, ChaseWay::bulk}) {
    // Lines of one page, each visited again and again: some are in the near part of the L2, some in the far
    // one.
    catalog.add("l2-line", {.way = way, .nodes = 1, .stride = 4224}, way == ChaseWay::load_l2 ? many : few);
    catalog.add("l2", {.way = way, .nodes = 8192, .stride = 128}, few);
    // 1 GiB of lines read for the first time, in pages that all were read before.
    catalog.add("dram", {.way = way, .nodes = 262144, .stride = 4096, .cold = true}, few);
  }
  if (request.quick) return catalog.take();
  for (const std::int64_t stride : {2 * kMiB, 32 * kMiB})
    for (const std::int64_t gib : {1, 4, 16, 32, 48, 56, 64, 72, 80, 96, 112})
      catalog.pages({.way = ChaseWay::load_l2,
                     .nodes = gib * 1024 * kMiB / stride,
                     .stride = stride + kSkew,
                     .links = 256});
  for (const std::int64_t pages : {8, 16, 32, 64, 128, 256})
    catalog.pages({.way = ChaseWay::load_l2, .nodes = pages, .stride = 2 * kMiB + kSkew, .links = 256});
  return catalog.take();
}

/// Cycles and ns of one link.
std::vector<Finding> findings_of(const Measurement& m, double clock) {
  const auto* chase = std::get_if<Chase>(&m.point.work);
  const std::vector<bool> good = usable(m.samples);
  const auto start = row(m.samples, column::start_cycles, 0);
  const auto stop = row(m.samples, column::stop_cycles, 0);
  std::vector<double> cycles;
  for (std::size_t s = 0; chase != nullptr && s < good.size(); ++s)
    if (good[s]) cycles.push_back(static_cast<double>(stop[s] - start[s]) / chase->links);
  if (cycles.empty()) return {};
  const std::string name = name_by_axes(m.point, kOrder);
  const std::vector<std::string> ids{id_of(m.point)};
  const stats::Estimate e = stats::estimate_median(cycles, kSeed);
  std::vector<Finding> out{finding(name + "/latency", e, "cycles", "median", ids, m.conditions.flags)};
  if (clock > 0)
    out.push_back(finding(name + "/latency-ns", {e.value / clock, e.low / clock, e.high / clock}, "ns",
                          "median", ids, m.conditions.flags));
  if (chase->nodes > 1 || !is_global(chase->way)) return out;
  const stats::Modes modes = stats::modes(cycles, 0.02 * e.value);
  const auto quantile = [&](const char* what, double value) {
    out.push_back(finding(name + what, {value, value, value}, "cycles", "modes", ids));
  };
  if (modes.bimodal) {
    quantile("/near", modes.low);
    quantile("/far", modes.high);
  }
  quantile("/least", stats::quantile(cycles, 0.0));
  quantile("/most", stats::quantile(cycles, 1.0));
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Finding> out;
  const double clock = clock_of(measurements);
  for (const Measurement& m : measurements)
    for (Finding& f : findings_of(m, clock)) out.push_back(std::move(f));
  return out;
}

}  // namespace

Experiment ladder() {
  return {.name = "copy/ladder",
          .question =
              "What does one dependent access cost, from a register to DRAM, by load, cp.async and the copy "
              "engine, and what do pages far apart add?",
          .seconds_a_case = 0.02,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::copy
