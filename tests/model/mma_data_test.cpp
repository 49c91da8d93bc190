// SPDX-License-Identifier: Apache-2.0
// The model beside what was measured: on an H200 by Plumb, on a B200 by others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/tensor_cores.h"
#include "mma/cases.h"
#include "record/recording.h"
#include "reference.h"
#include "stats/describe.h"
#include "support.h"

namespace plumb::model {
namespace {

TensorCores machine(const std::string& name) {
  return config::read_tensor_cores(name, PLUMB_SOURCE_DIR).cores;
}

/// Relative deviations of predictions from measurements.
class Deviations {
 public:
  void add(double predicted, double measured, const std::string& what) {
    const double d = std::abs(predicted / measured - 1);
    all_.push_back(d);
    if (d < worst_) return;
    worst_ = d;
    where_ = fmt::format("{}: predicted {:.2f}, measured {:.2f}", what, predicted, measured);
  }
  void expect(std::size_t rows, double median, double worst) const {
    ASSERT_EQ(all_.size(), rows);
    EXPECT_LE(stats::median(all_), median);
    EXPECT_LE(worst_, worst) << where_;
  }

 private:
  std::vector<double> all_;
  double worst_ = 0;
  std::string where_;
};

/// Cycles of one sample of an experiment, median, beside the model's.
template <class Predict>
Deviations on_h200(const std::string& experiment, Predict&& predict) {
  const auto shipped =
      record::read(std::filesystem::path(PLUMB_SOURCE_DIR) / "recordings/h200/mma.jsonl.zst");
  Deviations out;
  for (const Measurement& m : record::of_experiment(shipped, experiment)) {
    const Mma& w = mma::mma_of(m);
    const auto cycles = mma::cycles_of(m);
    if (w.family != MmaFamily::wgmma || cycles.empty()) continue;
    out.add(predict(w), stats::median(cycles), id_of(m.point));
  }
  return out;
}

double batches(const Mma& w) { return batch_cycles(w, machine("h200")) * w.batches; }

TEST(MmaModelOnH200, Throughput) { on_h200("mma/throughput", batches).expect(313, 0.005, 0.02); }
TEST(MmaModelOnH200, Shape) { on_h200("mma/shape", batches).expect(128, 0.005, 0.02); }
TEST(MmaModelOnH200, InFlight) { on_h200("mma/in-flight", batches).expect(156, 0.005, 0.04); }
TEST(MmaModelOnH200, Latency) {
  on_h200("mma/latency", [](const Mma& w) {
    return latency_of(w, machine("h200"));
  }).expect(100, 0.005, 0.04);
}

/// The work of a row of the sheets. "F4" is e2m1 without scales.
Mma work_of(const test::SheetRow& row) {
  static const std::map<std::string, Number> kFormats{{"BF16", Number::bf16}, {"E4M3", Number::e4m3},
                                                      {"S8", Number::s8},     {"F4", Number::e2m1},
                                                      {"MXF8", Number::mxf8}, {"MXF4", Number::mxf4}};
  Mma w{.family = MmaFamily::tcgen05,
        .input = kFormats.at(row.at("Format")),
        .m = std::stoi(row.at("M")),
        .n = std::stoi(row.at("N")),
        .operands = row.at("ABLayout") == "SS" ? Operands::ss : Operands::ts,
        .groups = std::stoi(row.at("CTAGroup"))};
  if (const auto depth = row.find("PipelineDepth"); depth != row.end())
    w.in_flight = std::stoi(depth->second);
  return w;
}

class MmaModelOnB200 : public ::testing::TestWithParam<std::pair<const char*, std::size_t>> {
 protected:
  static std::vector<test::SheetRow> sheet(const std::string& name) {
    return test::read_sheet(test::reference("b200/" + name));
  }
};

TEST_P(MmaModelOnB200, CyclesOfAnInstruction) {
  const auto rows = sheet(GetParam().first);
  if (rows.empty()) GTEST_SKIP() << "no reference data: " << test::reference("b200").string();
  Deviations d;
  for (const auto& row : rows)
    d.add(cycles_of(work_of(row), machine("b200")), std::stod(row.at("CyclesPerMMA")),
          fmt::format("{} {} {}", instruction_of(work_of(row)), row.at("CTAGroup"), row.at("PipelineDepth")));
  d.expect(GetParam().second, 0.005, 0.035);
}

INSTANTIATE_TEST_SUITE_P(Sheets, MmaModelOnB200,
                         ::testing::Values(std::pair{"tput_results_max.csv", std::size_t{264}},
                                           std::pair{"tput_results_full.csv", std::size_t{1320}},
                                           std::pair{"tput_ts_small_depth.csv", std::size_t{1320}}));

TEST_F(MmaModelOnB200, Latency) {
  const auto rows = sheet("lat_results_full.csv");
  if (rows.empty()) GTEST_SKIP() << "no reference data: " << test::reference("b200").string();
  Deviations d;
  for (const auto& row : rows)
    d.add(latency_of(work_of(row), machine("b200")), std::stod(row.at("MedianCycles")),
          instruction_of(work_of(row)));
  d.expect(264, 0.01, 0.05);
}

TEST_F(MmaModelOnB200, DepthThatCoversALatency) {
  // The sheet's saturating depth is the latency over the interval, rounded up.
  const auto rows = sheet("pipeline_depth.csv");
  if (rows.empty()) GTEST_SKIP() << "no reference data: " << test::reference("b200").string();
  std::size_t off = 0;
  for (const auto& row : rows) {
    const Mma w = work_of(row);
    const double depth =
        std::ceil(latency_of(w, machine("b200")) / interval_of(stages_of(w, machine("b200"))));
    const double measured = std::stod(row.at("SaturatedPipelineDepth"));
    EXPECT_LE(std::abs(depth - measured), 1) << instruction_of(w);
    off += depth == measured ? 0 : 1;
  }
  EXPECT_LE(off, rows.size() / 20);
}

}  // namespace
}  // namespace plumb::model
