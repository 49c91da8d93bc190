// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/experiment.h"
#include "core/finding.h"

namespace plumb::dsm {

/// The payload sizes of a slope: 16 to 96 KiB in steps of 8 KiB, as in the published study; every second
/// one and 12 samples for a quick look, 90 samples otherwise.
struct Sizes {
  std::vector<std::int64_t> bytes;
  int samples = 0;
};
[[nodiscard]] Sizes sizes_for(const Request& request);
/// For traffic of many flows, whose recordings would grow large: 32, 64 and 96 KiB with 30 samples, the outer
/// two and 12 samples for a quick look.
[[nodiscard]] Sizes few_sizes_for(const Request& request);

/// One case for each size: the work with its bytes set (of traffic, those of each flow), and the axis "bytes"
/// added to `axes`.
[[nodiscard]] std::vector<Case> slope_cases(const std::string& experiment, const Axes& axes,
                                            const Traffic& traffic, const Sizes& sizes);
[[nodiscard]] std::vector<Case> slope_cases(const std::string& experiment, const Axes& axes,
                                            const Access& access, const Sizes& sizes);

/// Moves `more` to the end of `all`.
template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
  all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
}

/// The cases of one series, by rising "bytes".
using SizeSeries = std::map<std::int64_t, const Measurement*>;

/// Cases that differ in "bytes" alone make one series; its name is the experiment and its other axes' values
/// in the order of `order`. Cases without that axis are left out. The findings of all series, found in
/// parallel.
[[nodiscard]] std::vector<Finding> findings_by_series(
    std::span<const Measurement> measurements, std::span<const std::string> order,
    const std::function<std::vector<Finding>(const std::string&, const SizeSeries&)>& findings_of_one);

/// From times at several sizes to rates. For each series of findings_by_series ("dsm/pair/load/one-way/8x2"),
/// by the estimators `published` (least squares on the medians of all sizes) and `steady` (on the midmeans of
/// the region that stats::linear_region accepts; the nanosecond clock ticks in steps of 32), with 95 %
/// intervals:
///
///   NAME/rate          B/cycle   payload of one flow over the time until the last flow was complete
///   NAME/rate-ns       GB/s      the same on the nanosecond clock
///   NAME/intercept     cycles    what a sample costs beside its payload; /intercept-ns in ns
///   NAME/rmse          %         of the fitted rise; /rmse-ns
///   NAME/clock         cycle/ns  median over the cases
///
/// and where there are several flows, NAME/FLOW/rate and so on for each ("0-load-1to0") and NAME/total, the
/// sum of the flows' rates. Where no region is linear there is no steady finding: a series that is not on a
/// line has no slope. Samples that are not usable, are outliers, or fall into two modes are counted in
/// the notes; only the unusable ones are left out.
[[nodiscard]] std::vector<Finding> slope_findings(std::span<const Measurement> measurements,
                                                  std::span<const std::string> order);

}  // namespace plumb::dsm
