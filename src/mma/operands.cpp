// SPDX-License-Identifier: Apache-2.0
#include "mma/operands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "mma/numbers.h"

namespace plumb::mma {
namespace {

constexpr int kLanes = 32;
constexpr int kWarpRows = 16;

/// Numbers from the generator that the standard fixes, so that a seed means the same matrices anywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  /// In 0 to 1, never 0.
  double unit() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }
  /// Box and Muller.
  double normal() { return std::sqrt(-2 * std::log(unit())) * std::cos(2 * std::numbers::pi * unit()); }

 private:
  std::mt19937_64 random_;
};

constexpr double kOutliers = 0.01;  // share of activations that are large
constexpr double kOutlierSize = 10;
constexpr double kWeight = 0.05;     // standard deviation of weights
constexpr double kIntegerUnit = 24;  // what 1 stands for in 8-bit integers

double one(Draw& draw, MmaData data, Number input, bool is_a) {
  const double unit = is_integer(input) ? kIntegerUnit : 1.0;
  switch (data) {
    case MmaData::zeros:
      return 0;
    case MmaData::constant:
      return 1;
    case MmaData::activations: {
      if (!is_a) return draw.normal() * (is_integer(input) ? unit : kWeight);
      const double size = draw.unit() < kOutliers ? kOutlierSize : 1;
      return std::max(0.0, draw.normal()) * size * unit;
    }
    default:
      break;
  }
  if (input == Number::s8) return static_cast<double>(draw.below(256)) - 128;
  if (input == Number::u8) return static_cast<double>(draw.below(256));
  // Narrow floats reach further than 1; uniform over their range uses all their bits.
  const double reach =
      bits_of(input) <= 8 && input != Number::e4m3 && input != Number::e5m2 && input != Number::mxf8
          ? largest(input)
          : 1.0;
  return (2 * draw.unit() - 1) * reach;
}

/// Metadata of two of four (16- and 8-bit numbers) or one of two (tf32), PTX ISA "Sparse matrix storage".
constexpr std::array<int, 6> kPatterns{0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
constexpr std::array<int, 2> kPatternsTf32{0x4, 0xE};

/// K of the stored element `at` in the dense row.
int dense_k(const Mma& work, int pattern, int at) {
  if (!work.sparse) return at;
  if (work.input == Number::tf32) return 2 * at + (pattern == 0xE ? 1 : 0);
  return at / 2 * 4 + (at % 2 == 0 ? pattern & 3 : pattern >> 2);
}

int stored_k_of(const Mma& work) { return kMmaSteps * (work.sparse ? k_of(work) / 2 : k_of(work)); }

double scale_value(Number input, std::uint32_t bits) {
  if (input == Number::nvf4) return value_of(Number::e4m3, bits);
  return std::ldexp(1.0, static_cast<int>(bits) - 127);
}

double accumulator_step(const Mma& work) {
  if (work.output == Number::f16) return 0x1p-10;
  return bits_of(work.input) <= 8 ? 0x1p-12 : 0x1p-21;
}

/// Bits that a number takes within its 16 bytes. kind::f8f6f4 packs 16 numbers of 6 or 4 bits into 12 or 8
/// bytes, and the rest of 16 bytes is padding (PTX ISA, "Packing formats of elements in shared memory").
int packed_bits(Number format) {
  if (format == Number::e2m3 || format == Number::e3m2) return 6;
  return format == Number::e2m1 ? 4 : bits_of(format);
}

/// One row of numbers, the first in the lowest bits.
std::vector<std::uint8_t> packed_row(const std::vector<std::uint32_t>& numbers, int k, int row,
                                     Number format) {
  const int bits = packed_bits(format);
  const int slot = bits_of(format);
  const int chunk = 128 / slot;  // numbers of 16 bytes
  std::vector<std::uint8_t> out(static_cast<std::size_t>(k * slot / 8));
  const std::uint32_t* from = numbers.data() + static_cast<std::ptrdiff_t>(row) * k;
  for (int i = 0; i < k; ++i)
    for (int bit = 0; bit < bits; ++bit) {
      const auto at = index(i / chunk * 128 + i % chunk * bits + bit);
      if (((from[i] >> bit) & 1U) != 0)
        out[at / 8] = static_cast<std::uint8_t>(out[at / 8] | (1U << (at % 8)));
    }
  return out;
}

/// Rows of numbers in a tile that is K-major, or turned where it is not.
std::vector<std::uint8_t> image(const Tile& tile, const std::vector<std::uint32_t>& numbers, int k, int first,
                                int rows, Number format) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(bytes_of(tile)));
  const int size = bits_of(format) / 8;
  for (int row = 0; row < rows; ++row) {
    const auto line = packed_row(numbers, k, first + row, format);
    for (int at = 0; at < static_cast<int>(line.size()); ++at) {
      const std::int64_t to =
          tile.mn_major ? offset_in(tile, at / size, row * size + at % size) : offset_in(tile, row, at);
      out[static_cast<std::size_t>(to)] = line[static_cast<std::size_t>(at)];
    }
  }
  return out;
}

std::uint32_t word_of(const std::vector<std::uint8_t>& row, int at) {
  std::uint32_t w = 0;
  for (int i = 3; i >= 0; --i) w = w << 8 | row[index(at + i)];
  return w;
}

}  // namespace

int block_of(Number input) noexcept {
  if (input == Number::nvf4) return 16;
  return is_block_scaled(input) ? 32 : 0;
}

int rows_of_a_tile(const Mma& work) noexcept {
  return work.family == MmaFamily::tcgen05 ? work.m / work.groups : work.m;
}

int rows_of_b_tile(const Mma& work) noexcept {
  return work.family == MmaFamily::tcgen05 ? work.n / work.groups : work.n;
}

Matrices draw(const Mma& work, std::uint64_t seed) {
  Draw random(seed);
  Matrices m;
  m.rows = work.family == MmaFamily::tcgen05 ? work.m : work.m * work.groups;
  m.columns = work.n;
  m.k = kMmaSteps * k_of(work);
  m.stored_k = stored_k_of(work);
  m.pattern = work.input == Number::tf32 ? kPatternsTf32[random.below(kPatternsTf32.size())]
                                         : kPatterns[random.below(kPatterns.size())];
  const auto fill = [&](std::vector<std::uint32_t>& to, int rows, int k, bool is_a) {
    to.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(k));
    for (std::uint32_t& bits : to) bits = bits_for(work.input, one(random, work.data, work.input, is_a));
  };
  fill(m.a, m.rows, m.stored_k, true);
  fill(m.b, m.columns, m.k, false);
  // See multiply() in wgmma.cuh.
  if (work.family == MmaFamily::wgmma && work.operands == Operands::rs)
    for (std::size_t i = 0; i < m.b.size(); ++i)
      m.b[i] = m.b[i - i % static_cast<std::size_t>(m.k) + i % static_cast<std::size_t>(m.k / kMmaSteps)];
  if (const int block = block_of(work.input); block != 0) {
    const auto scales = [&](std::vector<std::uint32_t>& to, int rows) {
      to.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(m.k / block));
      // Powers of two from 1/4 to 2, in either format of scales.
      for (std::uint32_t& s : to) {
        const auto power = static_cast<std::uint32_t>(random.below(4));
        s = work.input == Number::nvf4 ? (5U + power) << 3 : 125U + power;
      }
    };
    scales(m.scale_a, m.rows);
    scales(m.scale_b, m.columns);
  }
  return m;
}

StepProducts step_products(const Mma& work, const Matrices& m) {
  const int block = block_of(work.input);
  const auto rows = static_cast<std::size_t>(m.rows);
  const auto columns = static_cast<std::size_t>(m.columns);
  const auto value = [&](std::uint32_t bits, const std::vector<std::uint32_t>& scales, int line, int k) {
    double v = value_of(work.input, bits);
    if (block != 0) v *= scale_value(work.input, scales[index(line * (m.k / block) + k / block)]);
    return v;
  };
  // B by rows of K, so that the innermost loop runs along memory.
  std::vector<double> b(static_cast<std::size_t>(m.k) * columns);
  for (int c = 0; c < m.columns; ++c)
    for (int k = 0; k < m.k; ++k)
      b[static_cast<std::size_t>(k) * columns + static_cast<std::size_t>(c)] =
          value(m.b[index(c * m.k + k)], m.scale_b, c, k);
  StepProducts p;
  for (int step = 0; step < kMmaSteps; ++step) {
    auto& d = p.d.at(static_cast<std::size_t>(step));
    auto& size = p.size.at(static_cast<std::size_t>(step));
    d.resize(rows * columns);
    size.resize(rows * columns);
    const int here = m.stored_k / kMmaSteps;
    for (int r = 0; r < m.rows; ++r)
      for (int i = step * here; i < (step + 1) * here; ++i) {
        const int k = dense_k(work, m.pattern, i);
        const double x = value(m.a[index(r * m.stored_k + i)], m.scale_a, r, k);
        const double* y = &b[static_cast<std::size_t>(k) * columns];
        double* to = &d[static_cast<std::size_t>(r) * columns];
        double* to_size = &size[static_cast<std::size_t>(r) * columns];
        for (std::size_t c = 0; c < columns; ++c) {
          const double term = x * y[c];
          to[c] += term;
          to_size[c] += std::abs(term);
        }
      }
  }
  return p;
}

Product product_of(const Mma& work, const StepProducts& steps, int in_flight) {
  Product p;
  p.d.resize(steps.d.front().size());
  std::vector<double> size(p.d.size());
  for (int step = 0; step < kMmaSteps; ++step) {
    const int times = in_flight / kMmaSteps + (step < in_flight % kMmaSteps ? 1 : 0);
    const auto& d = steps.d.at(static_cast<std::size_t>(step));
    const auto& s = steps.size.at(static_cast<std::size_t>(step));
    for (std::size_t i = 0; i < d.size(); ++i) {
      p.d[i] += times * d[i];
      size[i] += times * s[i];
    }
  }
  if (!is_integer(work.input))
    p.bound = *std::max_element(size.begin(), size.end()) * in_flight * accumulator_step(work);
  return p;
}

Tile tile_of_a(const Mma& work) noexcept {
  const int rows = rows_of_a_tile(work);
  if (work.a_mn_major)
    return {.rows = kMmaSteps * k_of(work), .row_bytes = rows * 2, .swizzle = work.swizzle, .mn_major = true};
  return {.rows = rows, .row_bytes = kMmaSteps * kMmaRowBytes, .swizzle = work.swizzle};
}

Tile tile_of_b(const Mma& work) noexcept {
  const int rows = rows_of_b_tile(work);
  if (work.b_mn_major)
    return {.rows = kMmaSteps * k_of(work), .row_bytes = rows * 2, .swizzle = work.swizzle, .mn_major = true};
  return {
      .rows = rows, .row_bytes = kMmaSteps * kMmaRowBytes * (work.sparse ? 2 : 1), .swizzle = work.swizzle};
}

std::vector<std::uint32_t> row_words(const Mma& work, const std::vector<std::uint32_t>& numbers, int k,
                                     int row) {
  const auto bytes = packed_row(numbers, k, row, work.input);
  std::vector<std::uint32_t> out;
  for (int at = 0; at < static_cast<int>(bytes.size()); at += 4) out.push_back(word_of(bytes, at));
  return out;
}

std::vector<std::uint8_t> image_of_a(const Mma& work, const Matrices& m, int first) {
  return image(tile_of_a(work), m.a, m.stored_k, first, rows_of_a_tile(work), work.input);
}

std::vector<std::uint8_t> image_of_b(const Mma& work, const Matrices& m, int first) {
  return image(tile_of_b(work), m.b, m.k, first, rows_of_b_tile(work), work.input);
}

std::vector<std::uint32_t> fragments_of_a(const Mma& work, const Matrices& m, int first, int threads) {
  std::vector<std::uint32_t> out(static_cast<std::size_t>(kMmaSteps * 4 * threads));
  for (int thread = 0; thread < threads; ++thread) {
    const int lane = thread % kLanes;
    for (int half = 0; half < 2; ++half) {
      const int row = first + thread / kLanes * kWarpRows + lane / 4 + 8 * half;
      const auto bytes = packed_row(m.a, m.stored_k, row, work.input);
      for (int step = 0; step < kMmaSteps; ++step)
        for (int side = 0; side < 2; ++side)
          out[index((step * 4 + side * 2 + half) * threads + thread)] =
              word_of(bytes, step * kMmaRowBytes + side * 16 + lane % 4 * 4);
    }
  }
  return out;
}

std::vector<std::uint32_t> fragments_of_b(const Mma& work, const Matrices& m) {
  std::vector<std::uint32_t> out(static_cast<std::size_t>(kMmaSteps * 2 * kLanes));
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto bytes = packed_row(m.b, m.k, lane / 4, work.input);
    for (int step = 0; step < kMmaSteps; ++step)
      for (int side = 0; side < 2; ++side)
        out[index((step * 2 + side) * kLanes + lane)] =
            word_of(bytes, step * kMmaRowBytes + side * 16 + lane % 4 * 4);
  }
  return out;
}

Place place_of(Number output, int index, int lane) noexcept {
  if (output == Number::f16)
    return {.row = lane / 4 + 8 * (index % 2), .column = index / 2 * 8 + lane % 4 * 2};
  return {.row = lane / 4 + 8 * (index / 2 % 2), .column = index / 4 * 8 + lane % 4 * 2 + index % 2};
}

std::vector<std::uint32_t> expected_registers(const Mma& work, const Product& product, int first,
                                              int threads) {
  const int registers = registers_of(work.output, work.n);
  std::vector<std::uint32_t> out(static_cast<std::size_t>(registers * threads));
  for (int i = 0; i < registers; ++i)
    for (int thread = 0; thread < threads; ++thread) {
      const Place p = place_of(work.output, i, thread % kLanes);
      const int row = first + thread / kLanes * kWarpRows + p.row;
      const double* d = &product.d[index(row * work.n + p.column)];
      std::uint32_t& to = out[index(i * threads + thread)];
      if (work.output == Number::s32)
        to = static_cast<std::uint32_t>(static_cast<std::int64_t>(*d));
      else if (work.output == Number::f16)
        to = bits_for(Number::f16, d[0]) | bits_for(Number::f16, d[1]) << 16;
      else
        to = bits_for(Number::f32, *d);
    }
  return out;
}

}  // namespace plumb::mma
