// SPDX-License-Identifier: Apache-2.0
#include "mma/experiments.h"

#include <algorithm>
#include <functional>
#include <map>

#include "mma/cases.h"
#include "support.h"

namespace plumb::mma {
namespace {

/// What a card would return whose samples of one SM take `cycles`.
Measurement planted(const Case& c, double cycles, std::size_t sms = 1) {
  Measurement m{.point = c, .samples = {}, .conditions = {}};
  const auto count = static_cast<std::size_t>(c.samples);
  const auto end = static_cast<std::int64_t>(cycles);
  for (std::size_t sm = 0; sm < sms; ++sm) {
    for (const auto name : {column::start_cycles, column::start_ns, column::bad_bytes})
      m.samples[std::string(name)].emplace_back(count);
    m.samples[std::string(column::stop_cycles)].emplace_back(count, end);
    m.samples[std::string(column::stop_ns)].emplace_back(count, end / 2);
    m.samples[std::string(column::smid)].emplace_back(count, static_cast<std::int64_t>(sm));
  }
  return m;
}

std::vector<Measurement> measured(const Experiment& e, const std::function<bool(const Mma&)>& wanted,
                                  const std::function<double(const Mma&)>& cycles) {
  std::vector<Measurement> out;
  for (const Case& c : e.cases({}))
    if (const auto& w = std::get<Mma>(c.work); wanted(w)) out.push_back(planted(c, cycles(w)));
  return out;
}

double value(const std::vector<Finding>& all, std::string_view name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.name == name; });
  if (it == all.end()) throw std::out_of_range(std::string(name));
  return it->value;
}

bool is_bf16_ss(const Mma& w) {
  return w.family == MmaFamily::wgmma && w.input == Number::bf16 && w.operands == Operands::ss && !w.sparse &&
         w.swizzle == Swizzle::b128 && !w.a_mn_major && !w.b_mn_major;
}

TEST(MmaExperiments, EveryCaseIsLegalAndHasANameOfItsOwn) {
  std::map<std::string, int> ids;
  for (const Experiment& e : experiments())
    for (const bool quick : {false, true})
      for (const Case& c : e.cases({.quick = quick})) {
        EXPECT_NO_THROW(validate(std::get<Mma>(c.work))) << id_of(c);
        EXPECT_EQ(++ids[id_of(c) + (quick ? " quick" : "")], 1) << id_of(c);
      }
}

TEST(MmaExperiments, BothGenerationsAndEveryFormatAreAsked) {
  std::map<std::pair<MmaFamily, Number>, int> seen;
  for (const Case& c : throughput().cases({})) {
    const auto& w = std::get<Mma>(c.work);
    ++seen[{w.family, w.input}];
  }
  for (const auto& [input, output] : wgmma_formats()) {
    EXPECT_GT((seen[{MmaFamily::wgmma, input}]), 0);
    EXPECT_GT((seen[{MmaFamily::mma_sync, input}]), 0);
  }
  for (const auto& [input, output] : tcgen05_formats()) EXPECT_GT((seen[{MmaFamily::tcgen05, input}]), 0);
}

TEST(Throughput, APlantedTimeIsARateAndAShareOfThePeak) {
  // Two warpgroups at 128 cycles a pair of m64n128k16: 2 x 262,144 FLOP, 4,096 a cycle.
  const auto found = throughput().analyze(measured(
      throughput(), [](const Mma& w) { return is_bf16_ss(w) && w.n == 128 && w.groups == 2; },
      [](const Mma& w) { return 128.0 * w.in_flight * w.batches; }));
  EXPECT_NEAR(value(found, "mma/throughput/wgmma/bf16.f32/ss/m64/n128/2g/f64/cycles"), 64, 1e-9);
  EXPECT_NEAR(value(found, "mma/throughput/wgmma/bf16.f32/ss/m64/n128/2g/f64/rate"), 4096, 1e-9);
  EXPECT_NEAR(value(found, "mma/throughput/wgmma/bf16.f32/ss/m64/n128/2g/f64/peak"), 100, 1e-9);
}

TEST(Throughput, AnInstructionOfAPairIsSharedByTwoSms) {
  // m256n256k16 on two SMs in 128 cycles: 2,097,152 FLOP, 8,192 a cycle and SM.
  const auto found = throughput().analyze(measured(
      throughput(),
      [](const Mma& w) {
        return w.family == MmaFamily::tcgen05 && w.input == Number::bf16 && w.m == 256 && w.n == 256 &&
               w.operands == Operands::ss;
      },
      [](const Mma& w) { return 128.0 * w.in_flight * w.batches; }));
  EXPECT_NEAR(value(found, "mma/throughput/tcgen05/bf16.f32/ss/m256/n256/2g/f256/peak"), 100, 1e-9);
}

TEST(Shape, APlantedLimitOfSharedMemoryHasItsRidgeAndItsSlope) {
  // 16 cycles for A, N/4 for B, N/2 for the math: even at N = 64.
  const auto found = shape().analyze(measured(
      shape(), [](const Mma& w) { return is_bf16_ss(w) && w.groups == 2; },
      [](const Mma& w) { return std::max(w.n / 2.0, 16 + w.n / 4.0) * w.in_flight * w.batches * w.groups; }));
  EXPECT_EQ(value(found, "mma/shape/wgmma/ss/m64/2g/ridge"), 64);
  EXPECT_NEAR(value(found, "mma/shape/wgmma/bf16.f32/ss/m64/n8/2g/f64/shared-memory"), 128, 1e-9);
  EXPECT_NEAR(value(found, "mma/shape/wgmma/bf16.f32/ss/m64/n256/2g/f64/shared-memory"), 80, 1e-9);
}

TEST(Latency, IsTheMedianAndTheSpread) {
  auto some = measured(
      latency(), [](const Mma& w) { return is_bf16_ss(w) && w.n == 64; }, [](const Mma&) { return 131.0; });
  ASSERT_EQ(some.size(), 1U);
  auto& stops = some[0].samples[std::string(column::stop_cycles)][0];
  for (std::size_t i = 0; i < stops.size() / 10; ++i) stops[i] = 200;
  const auto found = latency().analyze(some);
  EXPECT_EQ(value(found, "mma/latency/wgmma/bf16.f32/ss/m64/n64/1g/f1/latency"), 131);
  EXPECT_EQ(value(found, "mma/latency/wgmma/bf16.f32/ss/m64/n64/1g/f1/latency-p95"), 200);
}

TEST(InFlight, APlantedLineComesBack) {
  // II = 64 and 80 cycles beside each batch; 90 % of 64 + 80 / 64 from D = 12: the next measured is 16.
  const auto found = in_flight().analyze(measured(
      in_flight(), [](const Mma& w) { return is_bf16_ss(w) && w.n == 128 && w.groups == 1; },
      [](const Mma& w) { return (64.0 * w.in_flight + 80) * w.batches; }));
  EXPECT_NEAR(value(found, "mma/in-flight/wgmma/bf16.f32/ss/m64/n128/1g/interval"), 64, 1e-6);
  EXPECT_NEAR(value(found, "mma/in-flight/wgmma/bf16.f32/ss/m64/n128/1g/overhead"), 80, 1e-6);
  EXPECT_EQ(value(found, "mma/in-flight/wgmma/bf16.f32/ss/m64/n128/1g/depth-90"), 10);
}

TEST(WholeChip, ThePeakIsThatOfAllSmsAtTheClockThatWasMeasured) {
  std::vector<Measurement> some;
  for (const Case& c : whole_chip().cases({}))
    if (const auto& w = std::get<Mma>(c.work); w.input == Number::bf16 && w.family != MmaFamily::tcgen05)
      some.push_back(planted(c, w.family == MmaFamily::wgmma ? 256.0 * w.in_flight * w.batches : 1e9,
                             w.family == MmaFamily::wgmma ? 4 : 1));
  ASSERT_EQ(some.size(), 2U);
  const auto found = whole_chip().analyze(some);
  // 4 SMs x 4,096 FLOP at 2 cycles a nanosecond.
  EXPECT_NEAR(value(found, "mma/whole-chip/wgmma/bf16.f32/ss/m64/n256/2g/f64/tflops"), 32.768, 1e-3);
  EXPECT_NEAR(value(found, "mma/whole-chip/wgmma/bf16.f32/ss/m64/n256/2g/f64/peak"), 100, 1e-3);
  // 64 products of 8,192 cubed in 0.5 s are 140.7 TFLOP/s.
  EXPECT_NEAR(value(found, "mma/whole-chip/cublas/bf16.f32/ss/m8192/n8192/1g/f1/tflops"), 140.737, 1e-2);
  EXPECT_NEAR(value(found, "mma/whole-chip/cublas/bf16.f32/of-wgmma"), 429.5, 0.1);
}

TEST(MmaExperiments, CasesWithoutSamplesGiveNoNumber) {
  for (const Experiment& e : experiments()) {
    std::vector<Measurement> empty;
    for (const Case& c : e.cases({.quick = true}))
      empty.push_back({.point = c, .samples = {}, .conditions = {}});
    EXPECT_TRUE(e.analyze(empty).empty()) << e.name;
  }
}

}  // namespace
}  // namespace plumb::mma
