// SPDX-License-Identifier: Apache-2.0
// What the experiments on tensor cores share: their cases by name, and rates of measurements.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/case.h"
#include "core/experiment.h"
#include "core/finding.h"
#include "stats/line.h"

namespace plumb::mma {

/// A pair of formats of one family: what A and B hold, and what D is added in.
using Formats = std::vector<std::pair<Number, Number>>;
[[nodiscard]] const Formats& wgmma_formats();
[[nodiscard]] const Formats& tcgen05_formats();

/// Those of `works` that validate() accepts.
[[nodiscard]] std::vector<Mma> legal(std::vector<Mma> works);

/// Shapes of tcgen05 of one format: SS and TS, M = 64 and 128 on one SM, 128 and 256 on two, each of `ns`.
[[nodiscard]] std::vector<Mma> tcgen05_shapes(Number input, Number output, std::span<const int> ns);

/// `work` with so many in flight that what a batch costs beside them hardly counts, and as many batches as
/// take some 200,000 cycles.
[[nodiscard]] Mma steady(Mma work);

/// A case on one SM (or pair). Its axes are family, format ("bf16.f32"), operands ("ss"), m, n, groups,
/// flight, and layout where that is not the usual one ("a-mn-b-mn-64B", "sparse").
[[nodiscard]] Case case_of(const std::string& experiment, const Mma& work, int samples);
/// The axes in the order in which names of findings have them.
[[nodiscard]] const std::vector<std::string>& axes_order();

/// SM cycles from start to stop of each usable sample, of one row.
[[nodiscard]] std::vector<double> cycles_of(const Measurement& m, std::size_t row_index = 0);

/// The work of a measurement that is known to be of tensor cores.
[[nodiscard]] const Mma& mma_of(const Measurement& m);

/// Most FLOP that the tensor cores of one SM do in a cycle, by the generation that has the family: 4,096 for
/// 16-bit numbers on Hopper (NVIDIA H100 white paper: 989.4 TFLOP/s on 132 SMs at 1.83 GHz), twice that on
/// Blackwell, in proportion for other widths, twice for sparse ones.
[[nodiscard]] double peak_of(const Mma& work) noexcept;

[[nodiscard]] Finding finding(const Measurement& m, std::string_view what, const stats::Estimate& e,
                              std::string_view unit, std::string_view estimator = "median");

/// NAME/cycles (of one instruction on its SM), NAME/rate (FLOP/cycle/SM) and NAME/peak (%), medians; none
/// where no sample can be used.
[[nodiscard]] std::vector<Finding> rate_findings(const Measurement& m);

/// The median of `value` over samples, with its interval.
[[nodiscard]] stats::Estimate median_of(const std::vector<double>& values);

/// Times `factor`, and its interval too.
[[nodiscard]] stats::Estimate scaled(const stats::Estimate& e, double factor);
/// `numerator` / e.
[[nodiscard]] stats::Estimate inverse(double numerator, const stats::Estimate& e);

}  // namespace plumb::mma
