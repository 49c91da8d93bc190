// SPDX-License-Identifier: Apache-2.0
#include "topology/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "backend/cuda/memory.h"
#include "plumb/core/error.h"
#include "topology/kernels.h"

namespace plumb::topology {
namespace {

using cuda::DeviceArray;

constexpr std::uint32_t kPoison = 0xFFFFFFFFU;

/// `count` rows of what value(row, sample) says.
template <class Value>
void add_column(Samples& to, std::string_view name, std::size_t count, int samples, Value&& value) {
  Column& column = to[std::string(name)];
  for (std::size_t row = 0; row < count; ++row) {
    auto& values = column.emplace_back();
    for (std::size_t s = 0; s < static_cast<std::size_t>(samples); ++s)
      values.push_back(static_cast<std::int64_t>(value(row, s)));
  }
}

/// The four clock columns and smid, one row for each of `rows`, which are SMs.
Samples columns_of(const std::vector<Span>& spans, std::size_t sms, const std::vector<int>& rows,
                   int samples) {
  Samples out;
  const auto clock = [&](std::string_view name, std::int64_t Span::*member) {
    add_column(out, name, rows.size(), samples, [&](std::size_t row, std::size_t s) {
      return spans[s * sms + static_cast<std::size_t>(rows[row])].*member;
    });
  };
  clock(column::start_cycles, &Span::start_cycles);
  clock(column::stop_cycles, &Span::stop_cycles);
  clock(column::start_ns, &Span::start_ns);
  clock(column::stop_ns, &Span::stop_ns);
  add_column(out, column::smid, rows.size(), samples,
             [&](std::size_t row, std::size_t) { return rows[row]; });
  return out;
}

std::vector<int> all_sms(int count) {
  std::vector<int> sms(static_cast<std::size_t>(count));
  std::iota(sms.begin(), sms.end(), 0);
  return sms;
}

/// One CTA on every SM. Throws Error (device) where the card does not take them so.
cuda::ClusterLaunch on_every_sm(const void* kernel, std::string name, int threads, int sms) {
  cuda::ClusterLaunch launch(kernel, std::move(name), 1, threads, kOneCtaPerSm, {.clusters = 0});
  if (launch.workers() != static_cast<std::size_t>(sms))
    throw Error(Fault::device,
                fmt::format("this card has {} SMs and takes {} CTAs of one an SM; is it shared?", sms,
                            launch.workers()));
  return launch;
}

int whole_clusters(const Census& p, int places) {
  const int unit = std::max(p.ranks, p.preferred);
  return places / unit * (unit / p.ranks);
}

}  // namespace

Samples run_census(const Census& census, const Site& site, int samples) {
  validate(census);
  const void* kernel = census_kernel_entry();
  const std::string what = "preparing the census kernel";
  const std::int64_t shared = cuda::share_of_an_sm(census.per_sm);
  cuda::allow_clusters(kernel, shared, what);
  const int places = census.per_sm * cuda::sm_count();
  const int grid = census.clusters != 0 ? census.clusters : whole_clusters(census, places);
  const cuda::Clusters clusters{.ranks = static_cast<std::uint32_t>(census.ranks),
                                .clusters = static_cast<std::uint32_t>(grid),
                                .preferred = static_cast<std::uint32_t>(census.preferred),
                                .threads = 32,
                                .shared_bytes = shared,
                                .policy = site.policy};
  const int fit = cuda::fitting(kernel, clusters, what);
  // A launch of what the card cannot hold fails; that it holds none is an answer.
  if (fit == 0)
    return {{std::string(column::fitting),
             Column(1, std::vector<std::int64_t>(static_cast<std::size_t>(samples), 0))}};
  const auto ctas = static_cast<std::size_t>(census.ranks) * static_cast<std::size_t>(grid);
  const DeviceArray<std::uint32_t> smid(ctas, "the census");
  const DeviceArray<std::int64_t> arrival(ctas, "the census");
  const CensusLaunch argument{.smid = smid.get(), .arrived = arrival.get(), .hold = census.hold};
  Samples out;
  Column& at = out[std::string(column::smid)] = Column(ctas);
  Column& arrived = out[std::string(column::arrived_ns)] = Column(ctas);
  for (int s = 0; s < samples; ++s) {
    cuda::launch(kernel, clusters, &argument, "census");
    const auto sms = smid.to_host();
    const auto times = arrival.to_host();
    const std::int64_t first = *std::min_element(times.begin(), times.end());
    for (std::size_t c = 0; c < ctas; ++c) {
      at[c].push_back(sms[c]);
      arrived[c].push_back(times[c] - first);
    }
  }
  out[std::string(column::fitting)] =
      Column(1, std::vector<std::int64_t>(static_cast<std::size_t>(samples), fit));
  return out;
}

Samples run_lookup(const Lookup& lookup, int samples) {
  validate(lookup);
  const int sms = cuda::sm_count();
  const auto addresses = static_cast<std::size_t>(lookup.addresses);
  const auto rows = static_cast<std::size_t>(sms);
  const auto count = rows * static_cast<std::size_t>(samples);
  std::vector<std::uint32_t> memory(static_cast<std::size_t>(lookup.span) / sizeof(std::uint32_t), kPoison);
  std::vector<std::uint32_t> offsets;
  for (int a = 0; a < lookup.addresses; ++a) {
    offsets.push_back(static_cast<std::uint32_t>(offset_of(lookup, a) / std::int64_t{sizeof(std::uint32_t)}));
    memory[offsets.back()] = 0;
  }
  const DeviceArray on_card(memory, "the lines to look up");
  const DeviceArray offsets_on_card(offsets, "their addresses");
  const auto spans = DeviceArray<Span>::zeros(count, "the samples");
  const auto cycles = DeviceArray<std::uint32_t>::zeros(count * addresses, "the samples");
  const auto bad = DeviceArray<std::uint32_t>::zeros(count, "the samples");
  LookupLaunch argument{.grid = {},
                        .memory = on_card.get(),
                        .offsets = offsets_on_card.get(),
                        .spans = spans.get(),
                        .cycles = cycles.get(),
                        .bad = bad.get(),
                        .addresses = static_cast<std::uint32_t>(lookup.addresses),
                        .samples = static_cast<std::uint32_t>(samples),
                        .sms = static_cast<std::uint32_t>(sms),
                        .target = kAllSms};
  for (int target = 0; target < (lookup.together ? 1 : sms); ++target) {
    auto launch = on_every_sm(lookup_kernel_entry(), "lookup", kLookupThreads, sms);
    argument.grid = launch.grid();
    argument.target = lookup.together ? kAllSms : static_cast<std::uint32_t>(target);
    launch.run(argument);
  }
  Samples out = columns_of(spans.to_host(), rows, all_sms(sms), samples);
  const auto times = cycles.to_host();
  add_column(out, column::cycles, rows * addresses, samples, [&](std::size_t row, std::size_t s) {
    return times[(s * rows + row / addresses) * addresses + row % addresses];
  });
  const auto wrong = bad.to_host();
  add_column(out, column::bad_bytes, rows, samples,
             [&](std::size_t row, std::size_t s) { return wrong[s * rows + row] * sizeof(std::uint32_t); });
  return out;
}

Samples run_walk(const Walk& walk, int samples) {
  validate(walk);
  const int sms = cuda::sm_count();
  const auto chosen = walk.sms.empty() ? all_sms(sms) : walk.sms;
  if (chosen.back() >= sms)
    throw Error(Fault::caller, fmt::format("sms = {}: this card has SMs 0 to {}.", chosen.back(), sms - 1));
  const auto rows = static_cast<std::size_t>(sms);
  std::vector<std::uint8_t> walks(rows);
  for (const int sm : chosen) walks[static_cast<std::size_t>(sm)] = 1;
  const auto window = static_cast<std::size_t>(walk.window) / sizeof(std::uint32_t);
  std::vector<std::uint32_t> memory(window * (walk.same ? 1 : rows), kPoison);
  if (walk.op == WalkOp::read)
    for (std::size_t w = 0; w < memory.size(); ++w) memory[w] = payload(w);
  const DeviceArray on_card(memory, "the windows");
  const DeviceArray walks_on_card(walks, "the SMs that walk");
  const auto spans = DeviceArray<Span>::zeros(rows * static_cast<std::size_t>(samples), "the samples");
  const auto sums =
      DeviceArray<std::uint32_t>::zeros(rows * static_cast<std::size_t>(samples), "the samples");
  auto launch = on_every_sm(walk_kernel_for(walk.op), "walk", kWalkThreads, sms);
  launch.run(WalkLaunch{.grid = launch.grid(),
                        .walks = walks_on_card.get(),
                        .memory = on_card.get(),
                        .words = static_cast<std::uint32_t>(walk.window / kWalkWidth),
                        .apart = walk.same ? 0 : static_cast<std::uint64_t>(walk.window / kWalkWidth),
                        .spans = spans.get(),
                        .sums = sums.get(),
                        .rounds = static_cast<std::uint32_t>(walk.rounds),
                        .samples = static_cast<std::uint32_t>(samples),
                        .sms = static_cast<std::uint32_t>(sms),
                        .walkers = static_cast<std::uint32_t>(chosen.size())});
  Samples out = columns_of(spans.to_host(), rows, chosen, samples);
  const auto found = sums.to_host();
  // A window that is smaller than a step is walked several times in a round.
  const auto times = static_cast<std::uint32_t>(bytes_of(walk) / walk.window);
  add_column(out, column::bad_bytes, chosen.size(), samples, [&](std::size_t row, std::size_t s) {
    const auto sm = static_cast<std::size_t>(chosen[row]);
    const std::uint32_t is = found[s * rows + sm];
    if (walk.op == WalkOp::write) return is * sizeof(std::uint32_t);
    const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(walk.same ? 0 : sm * window);
    const auto must = times * std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(window), 0U);
    return is == must ? 0 : window * sizeof(std::uint32_t);
  });
  return out;
}

}  // namespace plumb::topology
