// SPDX-License-Identifier: Apache-2.0
// Prepares the launches of tcgen05.mma. Never run on hardware.
#include <fmt/format.h>

#include <bit>

#include "backend/cuda/memory.h"
#include "mma/descriptors.h"
#include "mma/rounds.h"
#include "mma/tcgen05_kernel.h"
#include "mma/tensor_memory.h"
#include "plumb/core/error.h"

namespace plumb::mma {
namespace {

using cuda::DeviceArray;

/// What the kernels of both SMs get.
struct Prepared {
  std::vector<std::uint8_t> image;
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> scales_a;
  std::vector<std::uint32_t> scales_b;
  std::vector<std::uint32_t> expected;
  Tcgen05Launch launch{};
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<std::uint32_t> expected_of(const Mma& work, const Product& product, int rank) {
  const int columns = tensor_memory_columns(work);
  std::vector<std::uint32_t> out;
  for (int lane = 0; lane < kTmemLanes; ++lane)
    for (int column = 0; column < columns; ++column) {
      const auto place = place_in_tensor_memory(work, rank, lane, column);
      const double d = place ? product.d[index(place->row * work.n + place->column)] : 0;
      out.push_back(work.output == Number::s32 ? static_cast<std::uint32_t>(static_cast<std::int64_t>(d))
                                               : std::bit_cast<std::uint32_t>(static_cast<float>(d)));
    }
  return out;
}

Tcgen05Instruction instruction_for(const Mma& work, int step) {
  return {.kind = kind_of(work.input),
          .a = work.input,
          .b = work.input,
          .d = work.output,
          .m = work.m,
          .n = work.n,
          .transpose_a = work.a_mn_major,
          .transpose_b = work.b_mn_major,
          .scale_a_id = scale_place(work, step, rows_of_a_tile(work)).id,
          .scale_b_id = scale_place(work, step, work.n).id,
          .scales_e4m3 = work.input == Number::nvf4};
}

void add_rank(Prepared& p, const Mma& work, const Data& data, const Product& product, int rank) {
  const Matrices& m = data.m;
  const int rows = rows_of_a_tile(work);
  if (work.operands == Operands::ss) append(p.image, image_of_a(work, m, rank * rows));
  append(p.image, image_of_b(work, m, rank * rows_of_b_tile(work)));
  if (work.operands == Operands::ts) append(p.a, a_in_tensor_memory(work, m, rank));
  if (const int block = block_of(work.input); block != 0) {
    append(p.scales_a, scales_in_tensor_memory(m.scale_a, m.k / block, rank * rows, rows, kScaleColumnsA));
    // Each SM multiplies by all columns of B.
    append(p.scales_b, scales_in_tensor_memory(m.scale_b, m.k / block, 0, work.n, kScaleColumnsB));
  }
  append(p.expected, expected_of(work, product, rank));
}

Prepared prepare(const Mma& work, const Data& data) {
  Prepared p;
  const Product product = product_of(work, data.steps, work.in_flight);
  for (int rank = 0; rank < work.groups; ++rank) add_rank(p, work, data, product, rank);
  const Tile a = tile_of_a(work);
  const Tile b = tile_of_b(work);
  const std::int64_t of_a = work.operands == Operands::ss ? bytes_of(a) : 0;
  const auto descriptor = [](const Tile& tile, std::int64_t at) {
    const Strides s = strides_of(tile);
    return encode(
        Tcgen05Tile{.start = at, .leading = s.leading, .stride = s.stride, .swizzle = tile.swizzle});
  };
  Tcgen05Launch& l = p.launch;
  for (int s = 0; s < kMmaSteps; ++s) {
    l.a_tile[s] = descriptor(a, step_offset(a, s, kMmaRowBytes, k_of(work)));
    l.b_tile[s] = descriptor(b, of_a + step_offset(b, s, kMmaRowBytes, k_of(work)));
    l.instruction[s] = encode(instruction_for(work, s));
    l.scale_a[s] = kTmemScalesA + static_cast<std::uint32_t>(scale_place(work, s, rows_of_a_tile(work)).word);
    l.scale_b[s] = kTmemScalesB + static_cast<std::uint32_t>(scale_place(work, s, work.n).word);
  }
  l.image_bytes = static_cast<std::uint32_t>(p.image.size() / static_cast<std::size_t>(work.groups));
  l.columns = static_cast<std::uint32_t>(tensor_memory_columns(work));
  l.rows = static_cast<std::uint32_t>(tensor_memory_rows(work));
  l.in_flight = static_cast<std::uint32_t>(work.in_flight);
  l.batches = static_cast<std::uint32_t>(work.batches);
  l.integers = work.output == Number::s32 ? 1 : 0;
  l.bound = static_cast<float>(product.bound);
  return p;
}

}  // namespace

Rounds launch_tcgen05(const Mma& work, const Site& site, const Data& data, std::size_t rounds) {
  if (work.output == Number::f16)
    throw Error(Fault::caller, fmt::format("{}: no kernel reads f16 accumulators from tensor memory.",
                                           instruction_of(work)));
  Prepared p = prepare(work, data);
  cuda::ClusterLaunch launch(tcgen05_kernel_for(work), "tcgen05", work.groups, kTmemLanes, kMmaShared, site);
  Rounds out;
  out.slots = launch.workers();
  out.ranks = static_cast<std::size_t>(work.groups);
  out.rounds = rounds;
  for (auto* words : {&p.a, &p.scales_a, &p.scales_b})
    if (words->empty()) words->resize(1);
  const DeviceArray image(p.image, "the tiles");
  const DeviceArray a(p.a, "A for tensor memory");
  const DeviceArray scales_a(p.scales_a, "the scales of A");
  const DeviceArray scales_b(p.scales_b, "the scales of B");
  const DeviceArray expected(p.expected, "the product");
  const auto clocks = DeviceArray<MmaClocks>::zeros(out.slots * rounds, "the samples");
  const auto wrong = DeviceArray<std::uint32_t>::zeros(out.slots * rounds, "the samples");
  const DeviceArray<std::uint32_t> smid(out.slots * out.ranks, "the samples");
  const DeviceArray failed(std::vector<std::uint32_t>(out.slots), "the samples");
  Tcgen05Launch& l = p.launch;
  l.grid = launch.grid();
  l.image = image.get();
  l.a = a.get();
  l.scales_a = scales_a.get();
  l.scales_b = scales_b.get();
  l.expected = expected.get();
  l.clocks = clocks.get();
  l.wrong = wrong.get();
  l.smid = smid.get();
  l.failed = failed.get();
  l.rounds = static_cast<std::uint32_t>(rounds);
  launch.run(l);
  check_failures(work, failed.to_host());
  out.clocks = clocks.to_host();
  out.wrong = wrong.to_host();
  out.smid = smid.to_host();
  return out;
}

}  // namespace plumb::mma
