// SPDX-License-Identifier: Apache-2.0
// Dependent steps: what one load, one hand-off, one barrier takes, and where on the chip.
#include <array>

#include "dsm/experiments.h"
#include "dsm/latency_findings.h"

namespace plumb::dsm {
namespace {

// A sample is itself the mean of many steps, and a matrix has 240 pairs: few samples of each are enough.
constexpr int kSamples = 9;
constexpr int kCardSamples = 6;
constexpr int kQuickSamples = 3;

constexpr std::array kHandoffs{ProbeOp::store,      ProbeOp::store_release, ProbeOp::red,
                               ProbeOp::st_async,   ProbeOp::put,           ProbeOp::st_async_wait,
                               ProbeOp::put_wait,   ProbeOp::arrive,        ProbeOp::l2_store,
                               ProbeOp::l2_release, ProbeOp::l2_atom};

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  const auto add = [&](const Probe& probe, Axes axes, int samples, const Site& site = {}) {
    axes.emplace("op", std::string(name_of(probe.op)));
    out.push_back({.experiment = "dsm/latency",
                   .axes = std::move(axes),
                   .work = probe,
                   .samples = request.quick ? kQuickSamples : samples,
                   .site = site});
  };
  // The network of every GPC is measured with loads, the other operations wherever a cluster comes to lie.
  add({.op = ProbeOp::load, .links = 128}, {}, kCardSamples, {.clusters = 0});
  add({.op = ProbeOp::atom, .links = 64}, {}, kSamples);
  for (const ProbeOp op : kHandoffs) add({.op = op, .links = 64}, {}, kSamples);
  for (const ProbeOp op : {ProbeOp::sync, ProbeOp::sync_relaxed}) {
    for (const int threads : {32, 256, 1024}) {
      for (int ranks = 1; ranks <= kMaxRanks; ++ranks) {
        const bool power = (ranks & (ranks - 1)) == 0;
        if (!power && (request.quick || op == ProbeOp::sync_relaxed)) continue;
        add({.op = op, .ranks = ranks, .links = 256, .threads = threads},
            {{"ranks", std::int64_t{ranks}}, {"threads", std::int64_t{threads}}}, kSamples);
      }
    }
  }
  for (const ProbeOp op : {ProbeOp::poll, ProbeOp::poll_lane, ProbeOp::look, ProbeOp::look_lane})
    add({.op = op, .ranks = 1, .links = kMostLinks}, {}, kSamples);
  return out;
}

}  // namespace

Experiment latency() {
  return {.name = "dsm/latency",
          .question =
              "How long does one load, one hand-off, one barrier between SMs take, and is it the SMs or the "
              "network between them that decides?",
          .seconds_a_case = 0.02,
          .cases = cases,
          .analyze = latency_findings};
}

}  // namespace plumb::dsm
