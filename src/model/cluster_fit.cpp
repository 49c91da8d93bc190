// SPDX-License-Identifier: Apache-2.0
#include "model/cluster_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "plumb/core/error.h"

namespace plumb::model {
namespace {

void check(int per_sm, int ranks, int preferred) {
  if (per_sm < 1) throw Error(Fault::caller, fmt::format("{} CTAs an SM: give 1 or more.", per_sm));
  if (ranks < 1) throw Error(Fault::caller, fmt::format("a cluster of {} CTAs: give 1 or more.", ranks));
  if (preferred != 0 && (preferred < ranks || preferred % ranks != 0))
    throw Error(Fault::caller,
                fmt::format("a preferred size of {}: it must be a multiple of the fallback size, {}.",
                            preferred, ranks));
}

}  // namespace

ClusterFit fit_clusters(std::span<const int> groups, int per_sm, int ranks, int preferred) {
  check(per_sm, ranks, preferred);
  ClusterFit out;
  for (const int sms : groups) {
    const int first = preferred != 0 && preferred <= sms ? sms * per_sm / preferred : 0;
    const int left = sms * per_sm - first * preferred;
    const int then = ranks <= sms ? left / ranks : 0;
    const int ctas = first * preferred + then * ranks;
    out.preferred += first;
    out.clusters += then;
    out.ctas += ctas;
    out.idle_sms += std::max(0, sms - ctas);
  }
  return out;
}

ClusterPlan plan_clusters(std::span<const int> groups, int per_sm, int ranks, int preferred, int ctas) {
  if (ctas < 1) throw Error(Fault::caller, fmt::format("a grid of {} CTAs: give 1 or more.", ctas));
  ClusterPlan out{.wave = fit_clusters(groups, per_sm, ranks, preferred),
                  .ctas = 0,
                  .waves = 0,
                  .last_ctas = 0,
                  .busy = 0.0};
  const int unit = std::max(ranks, preferred);
  out.ctas = (ctas + unit - 1) / unit * unit;
  if (out.wave.ctas == 0) return out;
  out.waves = (out.ctas + out.wave.ctas - 1) / out.wave.ctas;
  out.last_ctas = out.ctas - (out.waves - 1) * out.wave.ctas;
  const int places = per_sm * std::accumulate(groups.begin(), groups.end(), 0);
  out.busy = static_cast<double>(out.ctas) / (static_cast<double>(out.waves) * places);
  return out;
}

}  // namespace plumb::model
