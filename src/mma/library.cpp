// SPDX-License-Identifier: Apache-2.0
#include "mma/library.h"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <vector>

#include "backend/cuda/heat.h"
#include "backend/cuda/memory.h"
#include "mma/cublas.h"
#include "mma/numbers.h"
#include "mma/stamps.h"
#include "plumb/core/error.h"

namespace plumb::mma {
namespace {

using cuda::DeviceArray;

constexpr std::uint32_t kMostSms = 512;
constexpr int kChecked = 256;

/// Random fractions under exponents just below 1, in words of several numbers: sign, fraction and the last
/// bit of the exponent are random.
struct Pattern {
  std::uint32_t mask = 0;
  std::uint32_t set = 0;
};
Pattern pattern_of(Number input) {
  switch (input) {
    case Number::f16:
      return {0x87FF87FFU, 0x30003000U};  // 1/8 to 1/2
    case Number::e4m3:
      return {0x8F8F8F8FU, 0x20202020U};
    default:
      return {0x80FF80FFU, 0x3E003E00U};
  }
}

double number_at(const std::vector<std::uint32_t>& words, Number format, std::size_t index) {
  const auto per_word = static_cast<std::size_t>(32 / bits_of(format));
  return value_of(format,
                  words[index / per_word] >> (index % per_word * static_cast<std::size_t>(bits_of(format))));
}

}  // namespace

Samples run_library(const Mma& work, const Site& site, int samples, std::uint64_t seed) {
  Cublas cublas(work);
  const auto n = static_cast<std::size_t>(work.m);
  const auto words = n * n / static_cast<std::size_t>(32 / bits_of(work.input));
  const Number output = work.input == Number::f16 ? Number::f16 : Number::bf16;
  const DeviceArray<std::uint32_t> a(words, "the matrix A");
  const DeviceArray<std::uint32_t> b(words, "the matrix B");
  const DeviceArray d(std::vector<std::uint32_t>(n * n / 2, 0x7FFF7FFFU), "the product");
  const Pattern pattern = pattern_of(work.input);
  fill_random(a.get(), words, pattern.mask, pattern.set, static_cast<std::uint32_t>(seed));
  fill_random(b.get(), words, pattern.mask, pattern.set,
              static_cast<std::uint32_t>(seed >> 32) ^ 0x5BD1E995U);
  const auto rounds = static_cast<std::size_t>(samples);
  const auto stamps = DeviceArray<Stamp>::zeros(kMostSms * (rounds + 1), "the clocks");
  cuda::heat(site.heat_ms);
  for (int i = 0; i < work.batches; ++i) cublas.multiply(a.get(), b.get(), d.get());
  stamp(stamps.get(), kMostSms);
  for (std::size_t s = 0; s < rounds; ++s) {
    for (int i = 0; i < work.batches; ++i) cublas.multiply(a.get(), b.get(), d.get());
    stamp(stamps.get() + (s + 1) * kMostSms, kMostSms);
  }

  const auto is = d.to_host();
  const auto of_a = a.to_host();
  const auto of_b = b.to_host();
  std::mt19937_64 random(seed);
  std::int64_t bad = 0;
  for (int i = 0; i < kChecked; ++i) {
    const std::size_t row = random() % n;
    const std::size_t column = random() % n;
    double sum = 0;
    double size = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double term =
          number_at(of_a, work.input, row * n + k) * number_at(of_b, work.input, column * n + k);
      sum += term;
      size += std::abs(term);
    }
    // Rounding of D, and of sums in at least 13 bits for 8-bit numbers and 21 for others, by their size.
    const double bound = std::abs(sum) * 0x1p-7 + size * (bits_of(work.input) == 8 ? 0x1p-10 : 0x1p-18);
    if (!(std::abs(number_at(is, output, column * n + row) - sum) <= bound)) ++bad;
  }
  if (bad != 0)
    throw Error(Fault::device,
                fmt::format("{}: {} of {} elements of cuBLAS's product differ from the host's.",
                            instruction_of(work), bad, kChecked));

  const auto clocks = stamps.to_host();
  std::size_t sm = 0;
  const auto seen = [&](std::size_t which) {
    for (std::size_t s = 0; s <= rounds; ++s)
      if (clocks[s * kMostSms + which].ns == 0) return false;
    return true;
  };
  while (sm < kMostSms && !seen(sm)) ++sm;
  if (sm == kMostSms) throw Error(Fault::device, "no SM took part in all stamps of the clock.");
  Samples out;
  const auto column = [&](std::string_view name, auto&& value) {
    std::vector<std::int64_t>& row = out[std::string(name)].emplace_back();
    for (std::size_t s = 0; s < rounds; ++s) row.push_back(value(s));
  };
  const auto at = [&](std::size_t s) -> const Stamp& { return clocks[s * kMostSms + sm]; };
  column(column::start_cycles, [&](std::size_t s) { return at(s).cycles; });
  column(column::stop_cycles, [&](std::size_t s) { return at(s + 1).cycles; });
  column(column::start_ns, [&](std::size_t s) { return at(s).ns; });
  column(column::stop_ns, [&](std::size_t s) { return at(s + 1).ns; });
  column(column::bad_bytes, [](std::size_t) { return std::int64_t{0}; });
  column(column::smid, [&](std::size_t) { return static_cast<std::int64_t>(sm); });
  return out;
}

}  // namespace plumb::mma
