// SPDX-License-Identifier: Apache-2.0
#include "copy/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "backend/cuda/counters.h"
#include "backend/cuda/device.h"
#include "backend/cuda/memory.h"
#include "copy/ground.h"
#include "copy/kernel.h"
#include "plumb/core/access.h"
#include "plumb/core/error.h"

namespace plumb::copy {
namespace {

using cuda::DeviceArray;

constexpr std::size_t kWarmUpRounds = 2;
constexpr std::uint32_t kNotChecked = 0x7FFFFFFF;  // what a sample that the kernel forgot would show

/// For tiles: all but what the kernels keep beside them.
std::int64_t most_shared() { return cuda::most_shared_bytes() - 2048; }

/// What the CTAs of one launch write.
class Outcome {
 public:
  Outcome(std::size_t ctas, int samples)
      : ctas_(ctas),
        rounds_(static_cast<std::size_t>(samples) + kWarmUpRounds),
        clocks_(ctas * rounds_, "the samples"),
        bad_bytes_(std::vector<std::uint32_t>(ctas * rounds_, kNotChecked), "the samples"),
        smid_(ctas, "the samples"),
        failed_(std::vector<std::uint32_t>(1), "the samples") {}

  [[nodiscard]] std::uint32_t rounds() const { return static_cast<std::uint32_t>(rounds_); }
  [[nodiscard]] Results results() const {
    return {
        .clocks = clocks_.get(), .bad_bytes = bad_bytes_.get(), .smid = smid_.get(), .failed = failed_.get()};
  }

  /// Throws Error (device) where the launch did not come to its end. `what` says of what.
  [[nodiscard]] Samples read(const std::string& what, int ctas_an_sm, bool wave, double event_ns) const {
    const std::uint32_t why = failed_.to_host().front();
    if (why == kNoStart)
      throw Error(Fault::device,
                  "the CTAs of the grid did not start together; does another process use the card?");
    if (why != 0)
      throw Error(Fault::device, fmt::format("{}: a completion did not come within {} million SM cycles.",
                                             what, cuda::kTimeoutCycles / 1'000'000));
    Samples out;
    const auto clocks = clocks_.to_host();
    const auto bad = bad_bytes_.to_host();
    const auto smid = smid_.to_host();
    std::map<std::uint32_t, int> on_sm;
    for (const std::uint32_t sm : smid) ++on_sm[sm];
    const auto sms =
        std::count_if(on_sm.begin(), on_sm.end(), [&](auto& s) { return s.second == ctas_an_sm; });
    const auto put = [&](std::string_view name, std::size_t row, std::int64_t value) {
      Column& column = out[std::string(name)];
      if (column.size() <= row) column.resize(row + 1);
      column[row].push_back(value);
    };
    std::int64_t in_rounds = 0;
    for (std::size_t r = 0; r < rounds_; ++r) {
      const Clocks& first = clocks[r];
      Clocks all = first;
      std::int64_t wrong = 0;
      for (std::size_t c = 0; c < ctas_; ++c) {
        const Clocks& one = clocks[c * rounds_ + r];
        all.start_ns = std::min(all.start_ns, one.start_ns);
        all.stop_ns = std::max(all.stop_ns, one.stop_ns);
        wrong += bad[c * rounds_ + r];
        if (wave && r >= kWarmUpRounds) put(column::wave_cycles, c, one.stop_cycles - one.start_cycles);
      }
      in_rounds += all.stop_ns - all.start_ns;
      if (r < kWarmUpRounds) continue;
      put(column::start_cycles, 0, first.start_cycles);
      put(column::stop_cycles, 0, first.stop_cycles);
      put(column::start_ns, 0, first.start_ns);
      put(column::stop_ns, 0, first.stop_ns);
      put(column::start_ns, 1, all.start_ns);
      put(column::stop_ns, 1, all.stop_ns);
      put(column::bad_bytes, 0, wrong);
      put(column::sms, 0, sms);
    }
    put(column::event_ns, 0, std::llround(event_ns));
    put(column::round_ns, 0, in_rounds);
    return out;
  }

 private:
  std::size_t ctas_;
  std::size_t rounds_;
  DeviceArray<Clocks> clocks_;
  DeviceArray<std::uint32_t> bad_bytes_;
  DeviceArray<std::uint32_t> smid_;
  DeviceArray<std::uint32_t> failed_;
};

std::uint32_t streams_of(const Copy& c, std::uint32_t clusters) {
  const auto ranks = static_cast<std::uint32_t>(c.cluster);
  switch (c.sharing) {
    case Sharing::none:
      return clusters * ranks;
    case Sharing::across:
      return (clusters + ranks - 1) / ranks * ranks;
    default:
      return clusters;
  }
}

const void* kernel_for(const Copy& c) {
  if (c.path == CopyPath::ldgsts) return ldgsts_kernel_for(c);
  return c.sharing == Sharing::multicast ? multicast_kernel_for(c) : engine_kernel_for(c);
}

/// Of a tensor as wide as the box, so that a box is contiguous.
cuda::EncodedMap map_of(const Copy& c, const Route& walk) {
  std::vector<std::uint64_t> extent(c.box.begin(), c.box.end());
  extent.back() *= walk.tiles;
  const std::vector<std::uint32_t> box(c.box.begin(), c.box.end());
  return cuda::encode({.base = walk.source,
                       .extent = extent,
                       .box = box,
                       .swizzle = static_cast<int>(c.swizzle),
                       .promotion = static_cast<int>(c.promotion)},
                      fmt::format("boxes of {}", box_text(c)));
}

std::string describe(const Copy& c) {
  return c.path == CopyPath::ldgsts
             ? fmt::format("ldgsts of {} bytes, {} threads, {} stages", c.width, c.threads, c.stages)
             : fmt::format("{} of {}, {} stages", name_of(c.path), box_text(c), c.stages);
}

/// One launch. `warm`: what is to be in the L2 is read before.
struct Launched {
  Samples samples;
  std::int64_t filled = 0;  // bytes, into all shared memories in all rounds
};
Launched launch_copy(const Copy& copy, const Site& site, int samples, bool warm) {
  const void* kernel = kernel_for(copy);
  cuda::prefer_shared(kernel, "copy");
  const int threads = copy.sharing == Sharing::multicast ? 2 * kLanes * copy.stages : copy.threads;
  cuda::ClusterLaunch launch(kernel, "copy", copy.cluster, threads, shared_for(copy.ctas, most_shared()),
                             site);
  const std::size_t ctas = launch.workers() * static_cast<std::size_t>(copy.cluster);
  const Outcome outcome(ctas, samples);
  const std::uint32_t streams = streams_of(copy, static_cast<std::uint32_t>(launch.workers()));
  const auto per_cta = static_cast<std::uint64_t>(copy.bytes);

  CopyLaunch argument{};
  argument.grid = launch.grid();
  argument.results = outcome.results();
  argument.route =
      Ground::here().walk(copy.from, copy.layout, tile_bytes(copy), per_cta * streams * outcome.rounds());
  if (!warm) argument.route.warm = 0;
  argument.streams = streams;
  argument.sharing = copy.sharing;
  argument.swizzle = static_cast<std::uint32_t>(copy.swizzle);
  argument.stages = static_cast<std::uint32_t>(copy.stages);
  argument.fills = static_cast<std::uint32_t>(copy.bytes / flight_bytes(copy)) * argument.stages;
  argument.rounds = outcome.rounds();
  if (copy.path == CopyPath::tma) {
    argument.box_rows = static_cast<std::uint32_t>(copy.box.back());
    argument.map = map_of(copy, argument.route);
  }
  const double event_ns = launch.run(argument);
  return {outcome.read(describe(copy), copy.ctas, is_wave(copy), event_ns),
          copy.bytes * static_cast<std::int64_t>(ctas * outcome.rounds())};
}

/// The column of that name: of one more launch, as short as can be, which finds in the L2 what the launch
/// before has left there.
Column count_sectors(const Copy& copy, const Site& site) {
  static constexpr std::array<const char*, kSectorRows - 1> kMetrics{
      "lts__t_sectors_srcunit_tex.sum", "lrc__lts2lrc_sectors_op_read.sum",
      "lrc__xbar2gpc_sectors_op_read.sum",
      "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld_dest_multicast.sum", "dram__sectors_read.sum"};
  constexpr std::int64_t kSector = 32;
  std::int64_t filled = 0;
  const auto counted = cuda::Counters::here().count(
      kMetrics, [&] { filled = launch_copy(copy, site, 1, false).filled / kSector; });
  Column out(kSectorRows, {-1});
  if (!counted) return out;
  out[0] = {filled};
  for (std::size_t m = 0; m < kMetrics.size(); ++m)
    if (!std::isnan((*counted)[m])) out[m + 1] = {std::llround((*counted)[m])};
  return out;
}

}  // namespace

Samples run_copy(const Copy& copy, const Site& site, int samples, std::uint64_t /*seed*/) {
  validate(copy, most_shared());
  if (copy.ctas > 1 && site.clusters != 0)
    throw Error(Fault::caller,
                fmt::format("ctas = {}: several CTAs on an SM are measured on the whole chip; leave "
                            "site.clusters at 0.",
                            copy.ctas));
  Samples out = launch_copy(copy, site, samples, true).samples;
  if (copy.cluster > 1 && samples == 1) out[std::string(column::sectors)] = count_sectors(copy, site);
  return out;
}

Samples run_stream(const Stream& stream, const Site& site, int samples, std::uint64_t seed) {
  validate(stream);
  const void* kernel = stream_kernel_for(stream);
  cuda::ClusterLaunch launch(kernel, "stream", 1, kStreamThreads, kStreamStep, site);
  const Outcome outcome(launch.workers(), samples);
  StreamLaunch argument{};
  argument.grid = launch.grid();
  argument.results = outcome.results();
  const std::int64_t touched = stream.op == StreamOp::copy ? stream.bytes / 2 : stream.bytes;
  const bool memory = stream.memory != Memory::shared;
  if (memory) {
    Ground& ground = Ground::here();
    argument.route = ground.walk(stream.memory, Layout::dense, std::int64_t{kStreamThreads} * 16,
                                 static_cast<std::uint64_t>(touched) * launch.workers() * outcome.rounds(),
                                 stream.footprint);
    if (stream.op != StreamOp::read) argument.target = ground.target();
  } else {
    argument.route.tiles = 1;
  }
  argument.seed = static_cast<std::uint32_t>(seed);
  argument.steps = static_cast<std::uint32_t>(touched / kStreamStep);
  argument.rounds = outcome.rounds();
  const double event_ns = launch.run(argument);
  return outcome.read(fmt::format("{} of {}", name_of(stream.op), memory ? "memory" : "shared memory"), 1,
                      false, event_ns);
}

Samples run_chase(const Chase& chase, const Site& site, int samples, std::uint64_t /*seed*/) {
  validate(chase);
  cuda::ClusterLaunch launch(chase_kernel_for(chase), "chase", 1, kLanes, kMostChaseShared, site);
  const Outcome outcome(launch.workers(), samples);
  const auto nodes = static_cast<std::uint64_t>(chase.nodes);
  const auto stride = static_cast<std::uint64_t>(chase.stride);
  ChaseLaunch argument{};
  argument.grid = launch.grid();
  argument.results = outcome.results();
  argument.nodes = nodes;
  argument.stride = stride;
  argument.step = nodes == 1 ? 0 : scatter(nodes);
  argument.links = static_cast<std::uint32_t>(chase.links);
  argument.warm = chase.cold || nodes == 1 ? 0 : 1;
  argument.rounds = outcome.rounds();
  if (chase.cold && nodes < std::uint64_t{outcome.rounds()} * argument.links)
    throw Error(Fault::caller,
                fmt::format("nodes = {}: {} samples of {} links would come to a place twice; give more "
                            "nodes or fewer links.",
                            nodes, samples, chase.links));
  if (is_global(chase.way)) {
    Ground& ground = Ground::here();
    const std::uint64_t places = nodes == 1 ? outcome.rounds() : nodes;
    const std::uint64_t most = ground.most_target_bytes();
    if (places * stride > most)
      throw Error(Fault::caller, fmt::format("nodes x stride = {} MiB: this card has {} MiB for a chain.",
                                             places * stride >> 20, most >> 20));
    argument.chain = ground.target(places * stride);
    write_chain(argument.chain, places, stride, argument.step);
    if (chase.cold) ground.flush();
  }
  const double event_ns = launch.run(argument);
  Samples out =
      outcome.read(fmt::format("{} through {} nodes", name_of(chase.way), nodes), 1, false, event_ns);
  // One thread has no grid beside it.
  out[std::string(column::start_ns)].resize(1);
  out[std::string(column::stop_ns)].resize(1);
  for (const auto name : {column::sms, column::event_ns, column::round_ns}) out.erase(std::string(name));
  return out;
}

}  // namespace plumb::copy
