// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/trial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "core/validity.h"
#include "dsm/times.h"
#include "stats/describe.h"

namespace plumb::dsm::tomo {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kProbeBytes = 32 * kKiB;
// Enough to outlast a probe that gets a third of its rate.
constexpr std::int64_t kFillBytes = 144 * kKiB;
constexpr std::array<std::string_view, 4> kKinds{"screen", "pair", "source", "block"};

bool has_probes(Kind kind) { return kind == Kind::source || kind == Kind::block; }

std::optional<Kind> kind_of(const Case& c) {
  const std::string name = axis(c, "kind");
  const auto* const it = std::find(kKinds.begin(), kKinds.end(), name);
  if (it == kKinds.end()) return std::nullopt;
  return static_cast<Kind>(it - kKinds.begin());
}

using Places = std::vector<std::int64_t>;

Places places_in(const Measurement& m, std::size_t sample) {
  Places places;
  for (int rank = 0; rank < traffic_of(m.point).ranks; ++rank) {
    const auto smids = row(m.samples, column::smid, static_cast<std::size_t>(rank));
    places.push_back(sample < smids.size() ? smids[sample] : -1);
  }
  return places;
}

Places usual_places(std::span<const Measurement> measurements) {
  std::map<Places, int> count;
  for (const Measurement& m : measurements) {
    const std::vector<bool> good = usable(m.samples);
    for (std::size_t s = 0; s < good.size(); ++s)
      if (good[s]) ++count[places_in(m, s)];
  }
  const auto most =
      std::max_element(count.begin(), count.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return most == count.end() ? Places{} : most->first;
}

/// Bytes of the flows over the time until the last of them is complete, in each sample that counts.
Reading read_stream(const Measurement& m, std::span<const std::size_t> flows,
                    const std::vector<bool>& counts) {
  const Traffic& traffic = traffic_of(m.point);
  std::vector<double> logs;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (!counts[s]) continue;
    double bytes = 0.0;
    std::int64_t cycles = 1;
    for (const std::size_t f : flows) {
      bytes += static_cast<double>(traffic.flows[f].bytes);
      cycles = std::max(
          cycles, row(m.samples, column::stop_cycles, f)[s] - row(m.samples, column::start_cycles, f)[s]);
    }
    logs.push_back(std::log(bytes / static_cast<double>(cycles)));
  }
  // The midmean of normal data has 1.1 times the variance of the mean.
  return {.log_rate = stats::midmean(logs),
          .error = 1.05 * stats::robust_sigma(logs) / std::sqrt(static_cast<double>(logs.size()))};
}

std::optional<Outcome> read_outcome(const Measurement& m, const Places& places) {
  constexpr std::ptrdiff_t kLeastSamples = 3;
  const auto kind = kind_of(m.point);
  if (!kind) return std::nullopt;
  std::vector<bool> good = usable(m.samples);
  for (std::size_t s = 0; s < good.size(); ++s) good[s] = good[s] && places_in(m, s) == places;
  if (std::count(good.begin(), good.end(), true) < kLeastSamples) return std::nullopt;

  Outcome out{.trial = {.kind = *kind, .streams = {}}, .readings = {}};
  std::vector<std::vector<std::size_t>> flows;
  const Traffic& traffic = traffic_of(m.point);
  for (std::size_t f = 0; f < traffic.flows.size(); ++f) {
    const Flow& flow = traffic.flows[f];
    auto& streams = out.trial.streams;
    const auto it = std::find_if(streams.begin(), streams.end(),
                                 [&](const Stream& s) { return s.destination == flow.destination; });
    const auto index = static_cast<std::size_t>(it - streams.begin());
    if (it == streams.end()) {
      streams.push_back({.sources = {}, .destination = flow.destination});
      flows.emplace_back();
    }
    streams[index].sources.push_back(flow.source);
    flows[index].push_back(f);
  }
  for (const auto& stream : flows) out.readings.push_back(read_stream(m, stream, good));
  return out;
}

}  // namespace

Case case_of(const Trial& trial, int ranks, int samples) {
  Traffic traffic{.ranks = ranks, .flows = {}};
  std::vector<std::string> plan;
  for (const Stream& stream : trial.streams) {
    const bool fills = has_probes(trial.kind) && plan.empty();
    const auto sources = static_cast<std::int64_t>(stream.sources.size());
    for (const int source : stream.sources)
      traffic.flows.push_back({.source = source,
                               .destination = stream.destination,
                               .op = Op::put,
                               .bytes = fills ? kFillBytes / sources / kKiB * kKiB : kProbeBytes});
    plan.push_back(fmt::format("{}>{}", fmt::join(stream.sources, "+"), stream.destination));
  }
  return {.experiment = std::string(kName),
          .axes = {{"kind", std::string(kKinds.at(static_cast<std::size_t>(trial.kind)))},
                   {"plan", fmt::format("{}", fmt::join(plan, " "))}},
          .work = std::move(traffic),
          .samples = samples};
}

std::vector<Outcome> read_outcomes(std::span<const Measurement> measurements) {
  const Places places = usual_places(measurements);
  std::vector<Outcome> out;
  for (const Measurement& m : measurements)
    if (auto outcome = read_outcome(m, places)) out.push_back(std::move(*outcome));
  return out;
}

}  // namespace plumb::dsm::tomo
