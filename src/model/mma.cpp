// SPDX-License-Identifier: Apache-2.0
#include "model/mma.h"

#include <algorithm>
#include <array>

#include "plumb/core/error.h"

namespace plumb::model {
namespace {

constexpr double kHalfBits = 16;
constexpr int kHalfRows = 64;
constexpr int kMostN = 256;
constexpr int kNStep = 8;

int sms_of(const Mma& work) { return work.family == MmaFamily::tcgen05 ? work.groups : 1; }
int streams_of(const Mma& work) { return work.family == MmaFamily::tcgen05 ? 1 : work.groups; }
int rows_of(const Mma& work) { return work.m / sms_of(work); }
bool is_pair(const Mma& work) { return sms_of(work) == 2; }
bool is_half_pair(const Mma& work) { return is_pair(work) && rows_of(work) <= kHalfRows; }

/// Of the datapath: half where one SM has half the rows; a pair with 64 rows each uses both halves, a half of
/// the columns in each.
double datapath(const Mma& work, const TensorCores& tc) {
  if (is_pair(work)) return 1.0;
  return std::min(1.0, static_cast<double>(rows_of(work)) / tc.full_rows);
}

/// Cycles of a batch of one beyond its math.
double trip_of(const Mma& work, const TensorCores& tc) {
  const MmaStages s = stages_of(work, tc);
  double trip = work.operands == Operands::ss ? tc.trip : tc.trip_elsewhere;
  if (tc.fetch_first) trip += s.fetch_a;
  if (is_pair(work)) trip += tc.pair_trip;
  if (is_half_pair(work)) trip += tc.half_pair_trip;
  if (is_block_scaled(work.input)) trip += tc.scale_trip;
  return trip;
}

bool is_legal(const Mma& work) {
  try {
    validate(work);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string_view name_of(MmaLimit limit) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"tensor cores", "shared memory", "issue",
                                                   "hand-over between the two SMs"};
  return kNames[static_cast<std::size_t>(limit)];
}

double peak_of(const Mma& work, const TensorCores& tc) {
  return tc.flop_per_cycle * kHalfBits / bits_of(work.input) * (work.sparse ? 2 : 1);
}

MmaStages stages_of(const Mma& work, const TensorCores& tc) {
  const int sms = sms_of(work);
  MmaStages s;
  s.math = static_cast<double>(flop_of(work)) / sms / (peak_of(work, tc) * datapath(work, tc));
  const double rows = static_cast<double>(kMmaRowBytes) / tc.shared_bytes_per_cycle;
  if (work.operands == Operands::ss) s.fetch_a = rows_of(work) * rows;
  // Each SM of a pair reads its half of B for both; a sparse instruction takes twice as long columns.
  s.fetch_b = rows * work.n / sms * (work.sparse ? 2 : 1);
  if (work.operands == Operands::rs) s.issue = tc.register_issue;
  if (is_pair(work)) {
    const bool half = is_half_pair(work);
    const int held = half ? tc.half_pair_pipeline : tc.pair_pipeline;
    double trip = half ? tc.half_pair_pipeline_trip : tc.pair_pipeline_trip;
    if (work.operands != Operands::ss) trip -= rows_of(work) * rows;
    if (held > 0) s.pair = (s.fetch_a + s.fetch_b + s.math + trip) / held;
  }
  return s;
}

double interval_of(const MmaStages& s) { return std::max({s.math, s.fetch_a + s.fetch_b, s.issue, s.pair}); }

MmaLimit limit_of(const MmaStages& s) {
  const double interval = interval_of(s);
  if (s.math >= interval) return MmaLimit::math;
  if (s.fetch_a + s.fetch_b >= interval) return MmaLimit::shared_memory;
  return s.issue >= interval ? MmaLimit::issue : MmaLimit::pair;
}

double latency_of(const Mma& work, const TensorCores& tc) {
  return stages_of(work, tc).math + trip_of(work, tc) + tc.observed_alone;
}

double batch_cycles(const Mma& work, const TensorCores& tc) {
  const MmaStages s = stages_of(work, tc);
  const double interval = interval_of(s);
  const double others = streams_of(work) - 1;
  // What a batch costs beside its intervals shrinks as further instructions hide their fetch.
  constexpr double kHiddenAnInterval = 0.1;
  const double hidden = std::min<double>(tc.trip_hidden, kHiddenAnInterval * interval * (work.in_flight - 1));
  const double crowd = work.operands == Operands::ss ? tc.crowd : tc.crowd_elsewhere;
  const double alone = s.math + interval * (work.in_flight - 1) + trip_of(work, tc) - hidden + crowd * others;
  return std::max(alone, interval * work.in_flight * streams_of(work));
}

double cycles_of(const Mma& work, const TensorCores& tc) {
  return batch_cycles(work, tc) / (static_cast<double>(work.in_flight) * streams_of(work));
}

double rate_of(const Mma& work, const TensorCores& tc) {
  return static_cast<double>(flop_of(work)) / sms_of(work) / cycles_of(work, tc);
}

std::optional<int> depth_for(const Mma& work, const TensorCores& tc, double share) {
  Mma w = work;
  const double wanted = interval_of(stages_of(work, tc)) / share;
  for (w.in_flight = 1; w.in_flight <= kMostInFlight; ++w.in_flight)
    if (cycles_of(w, tc) <= wanted) return w.in_flight;
  return std::nullopt;
}

std::optional<int> unlimited_n(const Mma& work, const TensorCores& tc) {
  Mma w = work;
  w.in_flight = 1;
  w.batches = 1;
  for (w.n = work.n; w.n <= kMostN; w.n += kNStep)
    if (is_legal(w) && limit_of(stages_of(w, tc)) == MmaLimit::math) return w.n;
  return std::nullopt;
}

}  // namespace plumb::model
