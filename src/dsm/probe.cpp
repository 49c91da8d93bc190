// SPDX-License-Identifier: Apache-2.0
#include "dsm/probe.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "backend/cuda/memory.h"
#include "dsm/latency_kernel.h"
#include "plumb/core/error.h"

namespace plumb::dsm {
namespace {

using cuda::DeviceArray;

constexpr std::size_t kSides = 2;
constexpr int kPairThreads = 64;

/// What the kernel must leave as the ends of one row.
class Expected {
 public:
  Expected(const Probe& probe, std::uint32_t step) : probe_(probe), step_(step) {}

  [[nodiscard]] std::array<std::uint32_t, kSides> at(std::size_t row, std::size_t round) const {
    const auto links = static_cast<std::uint32_t>(probe_.links);
    switch (probe_.op) {
      case ProbeOp::load:
      case ProbeOp::atom: {
        auto k = static_cast<std::uint32_t>((row + round) % kChain);
        for (std::uint32_t i = 0; i < links; ++i) k = (k * step_ + 1) % kChain;
        return {k, kNothing};
      }
      case ProbeOp::put:
      case ProbeOp::put_wait:
        if (row % (static_cast<std::size_t>(probe_.ranks) + 1) == 0) return {kNothing, kNothing};
        return {links * kPutSum, links * kPutSum};
      case ProbeOp::arrive:
        return {0, 0};
      default:
        return {links, is_pairwise(probe_.op) ? links : kNothing};
    }
  }

 private:
  const Probe& probe_;
  std::uint32_t step_;
};

int threads_of(const Probe& probe) { return is_pairwise(probe.op) ? kPairThreads : probe.threads; }

Error timed_out(const Probe& probe, std::uint32_t late) {
  const auto ranks = static_cast<std::uint32_t>(probe.ranks);
  return {Fault::device,
          fmt::format("probe ({}) between ranks {} and {}: a step had no effect within {} million SM cycles.",
                      name_of(probe.op), (late - 1) / ranks, (late - 1) % ranks,
                      cuda::kTimeoutCycles / 1'000'000)};
}

}  // namespace

Samples run_probe(const Probe& probe, const Site& site, int samples, std::uint64_t seed) {
  validate(probe);
  cuda::ClusterLaunch launch(probe_kernel_for(probe.op), "latency", probe.ranks, threads_of(probe),
                             kProbeSharedBytes, site);
  const std::size_t slots = launch.workers();
  const std::size_t rows = participants(probe);
  const auto ranks = static_cast<std::size_t>(probe.ranks);
  const auto rounds = static_cast<std::size_t>(samples);
  // Of full period: one more than a multiple of 4 (Hull and Dobell 1962).
  const std::uint32_t step = 5 + 4 * static_cast<std::uint32_t>(seed % (kChain / 4 - 1));

  const auto flags =
      DeviceArray<std::uint32_t>::zeros(slots * ranks * kSides * kFlagWords, "flags in global memory");
  const auto spans = DeviceArray<Span>::zeros(slots * rounds * rows, "the samples");
  const DeviceArray ends(std::vector<std::uint32_t>(slots * rounds * rows * kSides, kNothing), "the samples");
  const DeviceArray<std::uint32_t> smid(slots * ranks, "the samples");
  const DeviceArray late(std::vector<std::uint32_t>(slots), "the samples");
  launch.run(ProbeLaunch{.grid = launch.grid(),
                         .flags = flags.get(),
                         .spans = spans.get(),
                         .ends = ends.get(),
                         .smid = smid.get(),
                         .timed_out = late.get(),
                         .links = static_cast<std::uint32_t>(probe.links),
                         .rounds = static_cast<std::uint32_t>(rounds),
                         .step = step,
                         .zero = 0});
  for (const std::uint32_t row : late.to_host())
    if (row != 0) throw timed_out(probe, row);

  Samples out;
  const auto at = [&](std::size_t slot, std::size_t round, std::size_t row) {
    return (slot * rounds + round) * rows + row;
  };
  const auto column = [&](std::string_view name, auto&& value) {
    Column& to = out[std::string(name)];
    for (std::size_t slot = 0; slot < slots; ++slot) {
      for (std::size_t row = 0; row < rows; ++row) {
        std::vector<std::int64_t>& values = to.emplace_back();
        for (std::size_t round = 0; round < rounds; ++round) values.push_back(value(slot, round, row));
      }
    }
  };
  const auto times = spans.to_host();
  const auto clock = [&](std::int64_t Span::*member) {
    return [&times, &at, member](std::size_t slot, std::size_t round, std::size_t row) {
      return times[at(slot, round, row)].*member;
    };
  };
  column(column::start_cycles, clock(&Span::start_cycles));
  column(column::stop_cycles, clock(&Span::stop_cycles));
  column(column::start_ns, clock(&Span::start_ns));
  column(column::stop_ns, clock(&Span::stop_ns));
  const auto left = ends.to_host();
  const Expected expected(probe, step);
  column(column::bad_bytes, [&](std::size_t slot, std::size_t round, std::size_t row) {
    const auto must = expected.at(row, round);
    std::int64_t bad = 0;
    for (std::size_t side = 0; side < kSides; ++side)
      if (left[at(slot, round, row) * kSides + side] != must[side]) bad += sizeof(std::uint32_t);
    return bad;
  });
  Column& placed = out[std::string(column::smid)];
  for (const std::uint32_t sm : smid.to_host()) placed.emplace_back(rounds, static_cast<std::int64_t>(sm));
  return out;
}

}  // namespace plumb::dsm
