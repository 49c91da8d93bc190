// SPDX-License-Identifier: Apache-2.0
#include "dsm/tomography/planted.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "dsm/experiments.h"

namespace plumb::test {
namespace {

/// The generator's output is the same on every platform; the library's distributions are not.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2.0 * std::log(1.0 - uniform())) * std::cos(2.0 * std::numbers::pi * uniform());
  }
  std::uint64_t next() { return random_(); }

 private:
  std::mt19937_64 random_;
};

/// A few simulated samples stand for all of a case: the scatter on top is what differs.
Measurement measure(SimBackend& backend, const Case& c, const Planted& planted, Noise& noise) {
  constexpr int kSimulated = 2;
  Case few = c;
  few.samples = kSimulated;
  Measurement m = backend.run(few);
  m.point = c;
  const double slow = noise.uniform() < planted.outliers ? 1.0 + noise.uniform() : 1.0;
  for (auto& [name, rows] : m.samples) {
    for (auto& values : rows) {
      const std::vector<std::int64_t> simulated = values;
      values.resize(static_cast<std::size_t>(c.samples));
      for (std::size_t s = 0; s < values.size(); ++s) values[s] = simulated[s % kSimulated];
    }
  }
  for (const auto& [from, to] :
       {std::pair(column::start_cycles, column::stop_cycles), std::pair(column::start_ns, column::stop_ns)}) {
    const Column& start = m.samples.find(from)->second;
    Column& stop = m.samples.find(to)->second;
    for (std::size_t f = 0; f < stop.size(); ++f) {
      for (std::size_t s = 0; s < stop[f].size(); ++s) {
        const auto cycles = static_cast<double>(stop[f][s] - start[f][s]);
        stop[f][s] = start[f][s] + std::llround(cycles * slow * std::exp(planted.noise * noise.normal()));
      }
    }
  }
  return m;
}

template <class Key>
std::set<std::set<int>> groups_by(int ranks, Key key) {
  std::map<int, std::set<int>> groups;
  for (int r = 0; r < ranks; ++r) groups[key(r)].insert(r);
  std::set<std::set<int>> out;
  for (auto& [k, g] : groups) out.insert(g);
  return out;
}

/// "dsm/tomography/block/0-6-12/confidence" of the kind "block".
std::set<std::set<int>> settled(const std::vector<Finding>& findings, const std::string& kind) {
  std::set<std::set<int>> out;
  const std::string head = "dsm/tomography/" + kind + "/";
  const std::string tail = "/confidence";
  for (const Finding& f : findings) {
    if (!f.name.starts_with(head) || !f.name.ends_with(tail) || f.name.size() < head.size() + tail.size())
      continue;
    std::string list = f.name.substr(head.size(), f.name.size() - head.size() - tail.size());
    std::replace(list.begin(), list.end(), '-', ' ');
    std::set<int> group;
    for (std::size_t at = 0; at < list.size();) {
      std::size_t used = 0;
      group.insert(std::stoi(list.substr(at), &used));
      at += used;
    }
    out.insert(group);
  }
  return out;
}

Verdict judge(const std::set<std::set<int>>& found, const std::set<std::set<int>>& truth) {
  if (found == truth) return Verdict::right;
  const bool all_true = std::includes(truth.begin(), truth.end(), found.begin(), found.end());
  return all_true ? Verdict::undetermined : Verdict::wrong;
}

}  // namespace

std::vector<std::vector<fabric::Slot>> floorsweepings() {
  std::vector<std::vector<fabric::Slot>> out{{}};
  for (int cpc = 0; cpc < fabric::kCpcs; ++cpc)
    for (int tpc = 0; tpc < fabric::kTpcsPerCpc; ++tpc)
      out.push_back({{.cpc = cpc, .tpc = tpc, .sm = 0}, {.cpc = cpc, .tpc = tpc, .sm = 1}});
  return out;
}

SimMachine placed(const std::vector<fabric::Slot>& fused_off, std::uint64_t seed) {
  SimMachine machine;
  machine.fused_off = fused_off;
  if (seed == 0) return machine;
  const fabric::Topology dealt(fused_off);
  for (int r = 0; r < dealt.ranks(); ++r) machine.placement.push_back(dealt.slot(r));
  Noise random(seed);
  for (std::size_t i = machine.placement.size(); i > 1; --i)
    std::swap(machine.placement[i - 1], machine.placement[random.next() % i]);
  return machine;
}

Survey survey(const Planted& planted) {
  SimBackend backend(planted.machine, planted.seed);
  Noise noise(planted.seed);
  const Experiment experiment = dsm::tomography(planted.ranks);
  Survey out;
  for (auto cases = experiment.cases({}); !cases.empty(); cases = experiment.more({}, out.measurements))
    for (const Case& c : cases) out.measurements.push_back(measure(backend, c, planted, noise));
  out.findings = experiment.analyze(out.measurements);
  const fabric::Topology truth = topology_of(planted.machine, planted.ranks);
  out.blocks =
      judge(settled(out.findings, "block"), groups_by(planted.ranks, [&](int r) { return truth.block(r); }));
  out.cpcs =
      judge(settled(out.findings, "cpc"), groups_by(planted.ranks, [&](int r) { return truth.cpc(r); }));
  return out;
}

}  // namespace plumb::test
