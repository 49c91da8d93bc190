// SPDX-License-Identifier: Apache-2.0
// What the tensor cores of one SM reach, by format, layout, shape and by how many issue.
#include <array>
#include <iterator>

#include "mma/cases.h"
#include "mma/experiments.h"

namespace plumb::mma {
namespace {

const std::string kName = "mma/throughput";
constexpr std::array<int, 5> kNs{8, 32, 64, 128, 256};
constexpr std::array<int, 3> kFewNs{64, 128, 256};
constexpr std::array<int, 7> kTcgen05Ns{16, 64, 80, 96, 112, 128, 256};

void append(std::vector<Mma>& to, std::vector<Mma> more) {
  to.insert(to.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
}

std::vector<Mma> wgmma_works() {
  std::vector<Mma> out;
  for (const auto& [input, output] : wgmma_formats())
    for (const Operands operands : {Operands::ss, Operands::rs})
      for (const int n : kNs)
        for (const int groups : {1, 2, 3, 4}) {
          // Three and four warpgroups in one format: what they do does not depend on it.
          if (groups > 2 && input != Number::bf16) continue;
          out.push_back({.input = input, .output = output, .n = n, .operands = operands, .groups = groups});
        }
  return legal(std::move(out));
}

/// Layouts and sparsity, with two warpgroups.
std::vector<Mma> wgmma_variants() {
  std::vector<Mma> out;
  for (const int n : kFewNs) {
    for (const Swizzle swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64})
      out.push_back({.n = n, .swizzle = swizzle, .groups = 2});
    for (const Swizzle swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128})
      for (const auto& [a, b] : {std::pair{true, false}, {false, true}, {true, true}})
        out.push_back({.n = n, .a_mn_major = a, .b_mn_major = b, .swizzle = swizzle, .groups = 2});
    out.push_back({.n = n, .operands = Operands::rs, .b_mn_major = true, .groups = 2});
    for (const auto& [input, output] : Formats{{Number::bf16, Number::f32},
                                               {Number::tf32, Number::f32},
                                               {Number::e4m3, Number::f32},
                                               {Number::s8, Number::s32}})
      for (const Operands operands : {Operands::ss, Operands::rs})
        for (const int groups : {1, 2})
          out.push_back({.input = input,
                         .output = output,
                         .n = n,
                         .operands = operands,
                         .sparse = true,
                         .groups = groups});
  }
  return legal(std::move(out));
}

/// The baseline: warps and accumulators that do not depend on each other.
std::vector<Mma> mma_sync_works() {
  std::vector<Mma> out;
  for (const auto& [input, output] : wgmma_formats()) {
    if (output == Number::f16 && input != Number::f16) continue;
    for (const int warps : {4, 8, 16})
      for (const int chains : {1, 2, 4, 8}) {
        if (chains != 8 && input != Number::bf16) continue;
        out.push_back({.family = MmaFamily::mma_sync,
                       .input = input,
                       .output = output,
                       .m = 16,
                       .n = 8,
                       .operands = Operands::rr,
                       .groups = warps,
                       .in_flight = chains,
                       .batches = 512});
      }
  }
  return legal(std::move(out));
}

std::vector<Case> cases(const Request& request) {
  const int samples = request.quick ? 9 : 30;
  std::vector<Mma> works = wgmma_works();
  append(works, wgmma_variants());
  for (const auto& [input, output] : tcgen05_formats())
    append(works, tcgen05_shapes(input, output, kTcgen05Ns));
  for (Mma& w : works) w = steady(w);
  append(works, mma_sync_works());
  std::vector<Case> out;
  out.reserve(works.size());
  for (const Mma& w : works) out.push_back(case_of(kName, w, samples));
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Finding> out;
  for (const Measurement& m : measurements) {
    auto some = rate_findings(m);
    out.insert(out.end(), std::move_iterator(some.begin()), std::move_iterator(some.end()));
  }
  return out;
}

}  // namespace

Experiment throughput() {
  return {.name = kName,
          .question =
              "How much do the tensor cores of one SM do in a cycle, by format, layout, shape and number "
              "of warpgroups or SMs that share the work?",
          .seconds_a_case = 0.03,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::mma
