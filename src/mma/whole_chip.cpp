// SPDX-License-Identifier: Apache-2.0
// What the whole card gives for seconds, beside its library and its datasheet.
#include <fmt/format.h>

#include <map>

#include "mma/cases.h"
#include "mma/chip.h"
#include "mma/experiments.h"

namespace plumb::mma {
namespace {

const std::string kName = "mma/whole-chip";
constexpr int kHeat = 1000;         // ms, so that the clock is that of a card at work
constexpr int kLong = 10'000;       // batches: 0.1 s a sample
constexpr int kLibrarySize = 8192;  // rows and columns, and K
constexpr int kLibraryProducts = 64;

Case sustained(const Mma& w, const Request& request) {
  Case c = case_of(kName, w, request.quick ? 6 : 30);
  c.site = {.clusters = 0, .heat_ms = kHeat};
  return c;
}

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  const Formats formats{{Number::bf16, Number::f32}, {Number::f16, Number::f32}, {Number::e4m3, Number::f32}};
  for (const auto& [input, output] : formats) {
    out.push_back(sustained(
        {.input = input, .output = output, .n = 256, .groups = 2, .in_flight = 64, .batches = kLong},
        request));
    out.push_back(sustained({.family = MmaFamily::tcgen05,
                             .input = input,
                             .output = output,
                             .m = 256,
                             .n = 256,
                             .groups = 2,
                             .in_flight = 64,
                             .batches = kLong},
                            request));
    out.push_back(sustained({.family = MmaFamily::library,
                             .input = input,
                             .output = output,
                             .m = kLibrarySize,
                             .n = kLibrarySize,
                             .batches = kLibraryProducts},
                            request));
  }
  return out;
}

/// The library's rate over that of the instruction alone, for each format.
void add_ratios(std::vector<Finding>& out) {
  std::map<std::string, std::map<std::string, const Finding*>> rates;
  for (const Finding& f : out) {
    if (!f.name.ends_with("/tflops")) continue;
    const std::string rest = f.name.substr(kName.size() + 1);
    const std::size_t slash = rest.find('/');
    rates[rest.substr(slash + 1, rest.find('/', slash + 1) - slash - 1)][rest.substr(0, slash)] = &f;
  }
  std::vector<Finding> more;
  for (const auto& [format, by_family] : rates) {
    const auto library = by_family.find("cublas");
    for (const char* family : {"wgmma", "tcgen05"}) {
      const auto alone = by_family.find(family);
      if (library == by_family.end() || alone == by_family.end()) continue;
      const double ratio = 100 * library->second->value / alone->second->value;
      more.push_back({.name = fmt::format("{}/cublas/{}/of-{}", kName, format, family),
                      .value = ratio,
                      .low = 100 * library->second->low / alone->second->high,
                      .high = 100 * library->second->high / alone->second->low,
                      .unit = "%",
                      .estimator = "ratio of medians",
                      .cases = {library->second->cases.front(), alone->second->cases.front()},
                      .notes = {}});
    }
  }
  out.insert(out.end(), more.begin(), more.end());
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Finding> out;
  for (const Measurement& m : measurements)
    for (Finding& f : chip_findings(m)) out.push_back(std::move(f));
  add_ratios(out);
  return out;
}

}  // namespace

Experiment whole_chip() {
  return {.name = kName,
          .question =
              "What do all SMs give together for seconds, at which clock and power, and how much of it does "
              "cuBLAS reach on the same card?",
          .seconds_a_case = 7.0,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::mma
