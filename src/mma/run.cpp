// SPDX-License-Identifier: Apache-2.0
#include "mma/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/cuda/memory.h"
#include "mma/descriptors.h"
#include "mma/kernel.h"
#include "mma/library.h"
#include "mma/operands.h"
#include "mma/rounds.h"
#include "plumb/core/error.h"

namespace plumb::mma {
namespace {

using cuda::DeviceArray;

constexpr std::size_t kWarmUpRounds = 2;
constexpr std::uint32_t kNotChecked = 0x3FFFFFFF;  // what a round that the kernel forgot would show
constexpr int kLanes = 32;

/// The matrices of a launch where the kernel wants them.
struct Prepared {
  std::vector<std::uint8_t> image;
  std::vector<std::uint32_t> fragments;
  std::vector<std::uint32_t> expected;
  MmaLaunch launch{};
};

void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Instructions that walk the steps of K in one accumulator between two looks at it.
int chain_of(const Mma& work) { return work.family == MmaFamily::mma_sync ? work.batches : work.in_flight; }

Prepared prepare(const Mma& work, const Data& data) {
  Prepared p;
  const Matrices& m = data.m;
  const Product product = product_of(work, data.steps, chain_of(work));
  const bool warps = work.family == MmaFamily::mma_sync;
  const int threads = warps ? kLanes : kWarpgroup;
  for (int g = 0; g < work.groups; ++g) {
    const int first = g * work.m;
    if (warps || work.operands == Operands::rs) append(p.fragments, fragments_of_a(work, m, first, threads));
    append(p.expected, expected_registers(work, product, first, threads));
    if (work.operands != Operands::ss) continue;
    const auto image = image_of_a(work, m, first);
    p.image.insert(p.image.end(), image.begin(), image.end());
  }
  if (warps) append(p.fragments, fragments_of_b(work, m));
  const auto a_bytes = static_cast<std::int64_t>(p.image.size());
  if (!warps) {
    const auto image = image_of_b(work, m, 0);
    p.image.insert(p.image.end(), image.begin(), image.end());
    const Tile a = tile_of_a(work);
    const Tile b = tile_of_b(work);
    const int b_step = kMmaRowBytes * (work.sparse ? 2 : 1);
    const auto descriptor = [&](const Tile& tile, std::int64_t at) {
      const Strides s = strides_of(tile);
      return encode(
          WgmmaTile{.start = at, .leading = s.leading, .stride = s.stride, .swizzle = tile.swizzle});
    };
    for (int s = 0; s < kMmaSteps; ++s) {
      p.launch.a_tile[s] = descriptor(a, step_offset(a, s, kMmaRowBytes, k_of(work)));
      p.launch.b_tile[s] = descriptor(b, a_bytes + step_offset(b, s, b_step, k_of(work)));
    }
    p.launch.group_bytes = static_cast<std::uint32_t>(bytes_of(a));
  }
  p.launch.image_bytes = static_cast<std::uint32_t>(p.image.size());
  p.launch.metadata = static_cast<std::uint32_t>(m.pattern) * 0x11111111U;
  p.launch.groups = static_cast<std::uint32_t>(work.groups);
  p.launch.in_flight = static_cast<std::uint32_t>(work.in_flight);
  p.launch.batches = static_cast<std::uint32_t>(work.batches);
  p.launch.bound = static_cast<float>(product.bound);
  return p;
}

const void* kernel_for(const Mma& work) {
  const void* kernel =
      work.family == MmaFamily::mma_sync ? mma_sync_kernel_for(work) : wgmma_kernel_for(work);
  if (kernel == nullptr)
    throw Error(Fault::caller,
                fmt::format("{} with {} in flight: no kernel was made for it; `plumb list` shows what is "
                            "measured.",
                            instruction_of(work), work.in_flight));
  return kernel;
}

}  // namespace

void check_failures(const Mma& work, const std::vector<std::uint32_t>& failed) {
  for (const std::uint32_t why : failed)
    if (why != kNoFailure)
      throw Error(Fault::device, why == kNoStart
                                     ? "the SMs of the grid did not start together; does another process use "
                                       "the card?"
                                     : fmt::format("{}: its completion did not come.", instruction_of(work)));
}

Rounds launch_warps(const Mma& work, const Site& site, const Data& data, std::size_t rounds) {
  Prepared p = prepare(work, data);
  const int threads = work.groups * (work.family == MmaFamily::mma_sync ? kLanes : kWarpgroup);
  cuda::ClusterLaunch launch(kernel_for(work), std::string(name_of(work.family)), 1, threads, kMmaShared,
                             site);
  Rounds out;
  out.slots = launch.workers();
  out.rounds = rounds;
  p.image.resize(std::max<std::size_t>(p.image.size(), 16));
  p.fragments.resize(std::max<std::size_t>(p.fragments.size(), 1));
  const DeviceArray image(p.image, "the tiles");
  const DeviceArray fragments(p.fragments, "the fragments");
  const DeviceArray expected(p.expected, "the product");
  const DeviceArray<MmaClocks> clocks(out.slots * rounds, "the samples");
  const DeviceArray wrong(std::vector<std::uint32_t>(out.slots * rounds, kNotChecked), "the samples");
  const DeviceArray<std::uint32_t> smid(out.slots, "the samples");
  const DeviceArray failed(std::vector<std::uint32_t>(out.slots), "the samples");
  MmaLaunch& l = p.launch;
  l.grid = launch.grid();
  l.image = image.get();
  l.fragments = fragments.get();
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

namespace {

Rounds launch_once(const Mma& work, const Site& site, const Data& data, std::size_t rounds) {
  return work.family == MmaFamily::tcgen05 ? launch_tcgen05(work, site, data, rounds)
                                           : launch_warps(work, site, data, rounds);
}

/// Throws Unsupported where the card has not the instructions of the family.
void check_card(const Mma& work) {
  constexpr int kHopper = 90;
  constexpr int kBlackwell = 100;
  constexpr int kBlackwellUltra = 103;
  const int is = cuda::compute_capability();
  const auto refuse = [&](const char* needs) {
    throw Unsupported(
        fmt::format("{} needs {}; this one has {}.{}", name_of(work.family), needs, is / 10, is % 10));
  };
  if (work.family == MmaFamily::wgmma && is != kHopper) refuse("a Hopper card (compute capability 9.0)");
  if (work.family == MmaFamily::tcgen05 && is != kBlackwell && is != kBlackwellUltra)
    refuse("a Blackwell card (compute capability 10.0 or 10.3)");
  if (work.family == MmaFamily::tcgen05 && is_integer(work.input) && is == kBlackwellUltra)
    throw Unsupported("tcgen05 of compute capability 10.3 has no integers");
}

/// The first few products of every case. A wrong descriptor fails here, and not as a strange number.
void prove(const Mma& work, const Data& data) {
  Mma few = work;
  few.batches = work.family == MmaFamily::mma_sync ? kMmaSteps : 1;
  if (work.family != MmaFamily::mma_sync)
    few.in_flight = work.in_flight < kMmaSteps ? work.in_flight : kMmaSteps;
  const Rounds r = launch_once(few, Site{}, data, 1);
  const std::uint32_t wrong = std::accumulate(r.wrong.begin(), r.wrong.end(), 0U);
  if (wrong != 0)
    throw Error(
        Fault::device,
        fmt::format("{}: {} of {} elements of the product differ from the host's by more than {:.3g}; "
                    "nothing was timed.",
                    instruction_of(work), wrong,
                    work.m * work.n * (work.family == MmaFamily::tcgen05 ? 1 : work.groups),
                    product_of(few, data.steps, chain_of(few)).bound));
}

}  // namespace

Samples run_mma(const Mma& work, const Site& site, int samples, std::uint64_t seed) {
  validate(work);
  check_card(work);
  if (work.family == MmaFamily::library) return run_library(work, site, samples, seed);
  const Matrices m = draw(work, seed);
  const Data data{m, step_products(work, m)};
  prove(work, data);
  const std::size_t rounds = static_cast<std::size_t>(samples) + kWarmUpRounds;
  const Rounds r = launch_once(work, site, data, rounds);

  Samples out;
  const auto column = [&](std::string_view name, const auto& all, auto&& value) {
    Column& to = out[std::string(name)];
    for (std::size_t slot = 0; slot < r.slots; ++slot) {
      std::vector<std::int64_t>& row = to.emplace_back();
      for (std::size_t i = kWarmUpRounds; i < rounds; ++i)
        row.push_back(static_cast<std::int64_t>(value(all[slot * rounds + i])));
    }
  };
  const std::int64_t element = bits_of(work.output) / 8;
  column(column::start_cycles, r.clocks, [](const MmaClocks& c) { return c.start_cycles; });
  column(column::stop_cycles, r.clocks, [](const MmaClocks& c) { return c.stop_cycles; });
  column(column::start_ns, r.clocks, [](const MmaClocks& c) { return c.start_ns; });
  column(column::stop_ns, r.clocks, [](const MmaClocks& c) { return c.stop_ns; });
  column(column::bad_bytes, r.wrong, [&](std::uint32_t wrong) { return wrong * element; });
  Column& placed = out[std::string(column::smid)];
  for (const std::uint32_t sm : r.smid)
    placed.emplace_back(static_cast<std::size_t>(samples), static_cast<std::int64_t>(sm));
  return out;
}

}  // namespace plumb::mma
