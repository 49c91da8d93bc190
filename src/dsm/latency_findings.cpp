// SPDX-License-Identifier: Apache-2.0
#include "dsm/latency_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "core/validity.h"
#include "dsm/legs.h"
#include "stats/describe.h"

namespace plumb::dsm {
namespace {

constexpr std::uint64_t kBootstrapSeed = 20260103;
constexpr int kCpcs = 3;
constexpr int kDealtRanks = 16;  // the size of cluster whose ranks tell the CPC

const Probe* probe_of(const Measurement& m) { return std::get_if<Probe>(&m.point.work); }

/// What one case says about its SMs and the pairs of them.
struct Matrix {
  std::vector<int> sms;              ///< all, rising
  std::map<int, int> rank;           ///< of an SM, as last seen
  std::map<int, std::size_t> group;  ///< the GPC of an SM, counted from 0
  std::size_t groups = 0;
  std::map<std::pair<int, int>, std::vector<double>> pairs;  ///< cycles of a step, i to j and i to i
};

/// Cycles of one step of a row in a sample; none where the row was not measured.
std::optional<double> step_of(const Measurement& m, std::size_t row_index, std::size_t sample, int links) {
  const auto start = row(m.samples, column::start_cycles, row_index);
  const auto stop = row(m.samples, column::stop_cycles, row_index);
  if (stop[sample] == start[sample]) return std::nullopt;
  return static_cast<double>(stop[sample] - start[sample]) / links;
}

/// SMs that were ever in one cluster share a GPC.
void find_groups(Matrix& matrix) {
  std::map<int, int> parent;
  const auto root = [&](int sm) {
    while (parent.at(sm) != sm) sm = parent.at(sm);
    return sm;
  };
  for (const auto& [sm, rank] : matrix.rank) {
    parent[sm] = sm;
    matrix.sms.push_back(sm);
  }
  for (const auto& [pair, cycles] : matrix.pairs) {
    const int a = root(pair.first);
    const int b = root(pair.second);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::map<int, std::size_t> number;
  for (const int sm : matrix.sms) {
    const auto it = number.emplace(root(sm), number.size()).first;
    matrix.group[sm] = it->second;
  }
  matrix.groups = number.size();
}

Matrix matrix_of(const Measurement& m) {
  const Probe& probe = *probe_of(m);
  const auto ranks = static_cast<std::size_t>(probe.ranks);
  const auto smid = m.samples.find(column::smid);
  Matrix out;
  if (smid == m.samples.end()) return out;
  const std::vector<bool> good = usable(m.samples);
  for (std::size_t s = 0; s < good.size(); ++s) {
    if (!good[s]) continue;
    for (std::size_t cluster = 0; (cluster + 1) * ranks <= smid->second.size(); ++cluster) {
      const auto sm = [&](std::size_t rank) {
        return static_cast<int>(smid->second[cluster * ranks + rank][s]);
      };
      for (std::size_t i = 0; i < ranks; ++i) {
        out.rank[sm(i)] = static_cast<int>(i);
        for (std::size_t j = 0; j < ranks; ++j) {
          const auto step = step_of(m, cluster * ranks * ranks + i * ranks + j, s, probe.links);
          if (step) out.pairs[{sm(i), sm(j)}].push_back(*step);
        }
      }
    }
  }
  find_groups(out);
  return out;
}

double clock_of(const Measurement& m) {
  const auto ghz = m.conditions.readings.find("sm_clock_GHz");
  if (ghz != m.conditions.readings.end()) return ghz->second;
  const auto mhz = m.conditions.readings.find("sm_clock_MHz");
  return mhz != m.conditions.readings.end() ? mhz->second / 1000 : 0.0;
}

/// Makes the findings of one case.
class CaseFindings {
 public:
  CaseFindings(const Measurement& m, std::string name, std::vector<Finding>& out)
      : m_(m), name_(std::move(name)), out_(out) {
    const auto good = usable(m.samples);
    const auto lost = std::count(good.begin(), good.end(), false);
    notes_ = m.conditions.flags;
    if (lost > 0) notes_.push_back(fmt::format("{} samples could not be used", lost));
  }

  void add(std::string_view what, const stats::Estimate& e, std::string_view unit,
           std::vector<std::string> notes = {}) {
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    out_.push_back({.name = what.empty() ? name_ : fmt::format("{}/{}", name_, what),
                    .value = e.value,
                    .low = e.low,
                    .high = e.high,
                    .unit = std::string(unit),
                    .estimator = "median",
                    .cases = {id_of(m_.point)},
                    .notes = std::move(notes)});
  }
  void add_exact(std::string_view what, double value, std::vector<std::string> notes = {}) {
    add(what, {value, value, value}, "cycles", std::move(notes));
  }
  void add_ns(std::string_view what, const stats::Estimate& cycles) {
    if (const double ghz = clock_of(m_); ghz > 0)
      add(what, {cycles.value / ghz, cycles.low / ghz, cycles.high / ghz}, "ns");
  }

 private:
  const Measurement& m_;
  std::string name_;
  std::vector<Finding>& out_;
  std::vector<std::string> notes_;
};

std::vector<std::string> place_notes(const Matrix& matrix, int sm) {
  return {fmt::format("GPC {}", matrix.group.at(sm)), fmt::format("rank {}", matrix.rank.at(sm))};
}

using LegMap = std::map<int, stats::Estimate>;

/// Fits GPC by GPC; SMs in the order of their ranks.
LegMap add_legs(CaseFindings& findings, const Matrix& matrix) {
  LegMap all;
  double squares = 0.0;
  double count = 0.0;
  double worst = 0.0;
  std::vector<std::string> worst_pair;
  for (std::size_t g = 0; g < matrix.groups; ++g) {
    std::vector<int> sms;
    std::copy_if(matrix.sms.begin(), matrix.sms.end(), std::back_inserter(sms),
                 [&](int sm) { return matrix.group.at(sm) == g; });
    std::stable_sort(sms.begin(), sms.end(),
                     [&](int a, int b) { return matrix.rank.at(a) < matrix.rank.at(b); });
    std::vector<PairTimes> pairs;
    for (std::size_t i = 0; i < sms.size(); ++i) {
      for (std::size_t j = 0; j < sms.size(); ++j) {
        const auto it = matrix.pairs.find({sms[i], sms[j]});
        if (i != j && it != matrix.pairs.end()) pairs.push_back({.from = i, .to = j, .cycles = it->second});
      }
    }
    const Legs legs = fit_legs(pairs, sms.size(), kBootstrapSeed);
    if (legs.legs.empty()) {
      findings.add_exact(fmt::format("no-legs/{}", g), static_cast<double>(sms.size()), {legs.why_none});
      continue;
    }
    for (std::size_t i = 0; i < sms.size(); ++i) {
      findings.add(fmt::format("leg/{}", sms[i]), legs.legs[i], "cycles", place_notes(matrix, sms[i]));
      all[sms[i]] = legs.legs[i];
    }
    squares += legs.rms * legs.rms * static_cast<double>(pairs.size());
    count += static_cast<double>(pairs.size());
    if (legs.worst < worst) continue;
    worst = legs.worst;
    worst_pair = {fmt::format("from SM {} to SM {}", sms[legs.worst_from], sms[legs.worst_to])};
  }
  if (count == 0.0) return all;
  findings.add_exact("residual-rms", std::sqrt(squares / count));
  findings.add_exact("residual-worst", worst, worst_pair);
  return all;
}

/// Two SMs that share a TPC.
struct Tpc {
  int first_sm = 0;
  std::size_t gpc = 0;
  int turn = 0;  ///< in which the card dealt it to the cluster, from 0
  double mean = 0.0;
  double difference = 0.0;
  int cpc = 0;
};

std::vector<Tpc> tpcs_of(const Matrix& matrix, const LegMap& legs) {
  std::vector<Tpc> out;
  for (const auto& [sm, first] : legs) {
    const auto second = legs.find(sm + 1);
    if (sm % 2 != 0 || second == legs.end()) continue;
    out.push_back({.first_sm = sm,
                   .gpc = matrix.group.at(sm),
                   .turn = matrix.rank.at(sm) / 2,
                   .mean = (first.value + second->second.value) / 2,
                   .difference = second->second.value - first.value});
  }
  return out;
}

/// TPCs come from the CPCs in turn, as long as each has one left: the first six do. A later one is of the CPC
/// whose TPCs have a difference like its own.
void find_cpcs(std::vector<Tpc>& tpcs) {
  constexpr int kCertain = 2 * kCpcs;
  for (Tpc& t : tpcs) t.cpc = t.turn % kCpcs;
  for (Tpc& t : tpcs) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Tpc& other : tpcs) {
      const double distance = std::abs(other.difference - t.difference);
      if (t.turn < kCertain || other.turn >= kCertain || other.gpc != t.gpc || distance >= nearest) continue;
      nearest = distance;
      t.cpc = other.turn % kCpcs;
    }
  }
}

/// What the legs say about position: within TPCs, and from TPC to TPC of a CPC.
void add_positions(CaseFindings& findings, const Matrix& matrix, const LegMap& legs, int ranks) {
  std::vector<Tpc> tpcs = tpcs_of(matrix, legs);
  find_cpcs(tpcs);
  std::map<std::pair<std::size_t, int>, std::vector<double>> means;
  for (const Tpc& t : tpcs) {
    const stats::Estimate& first = legs.at(t.first_sm);
    const stats::Estimate& second = legs.at(t.first_sm + 1);
    std::vector<std::string> notes{fmt::format("GPC {}", t.gpc)};
    if (ranks == kDealtRanks) notes.push_back(fmt::format("CPC {}", t.cpc));
    findings.add(fmt::format("tpc/{}", t.first_sm / 2),
                 {t.difference, second.low - first.high, second.high - first.low}, "cycles", notes);
    if (ranks == kDealtRanks) means[{t.gpc, t.cpc}].push_back(t.mean);
  }
  for (auto& [place, legs_of] : means) {
    if (legs_of.size() < 2) continue;
    std::sort(legs_of.begin(), legs_of.end());
    const double step = (legs_of.back() - legs_of.front()) / static_cast<double>(legs_of.size() - 1);
    findings.add_exact(fmt::format("cpc/{}.{}", place.first, place.second), step,
                       {fmt::format("means of its TPCs' legs: {:.1f}", fmt::join(legs_of, ", "))});
  }
}

/// The largest difference between the two directions of a pair; none where no pair has both.
std::optional<double> asymmetry_of(const std::map<std::pair<int, int>, double>& medians,
                                   std::vector<std::string>& notes) {
  std::optional<double> most;
  for (const auto& [pair, there] : medians) {
    const auto back = medians.find({pair.second, pair.first});
    if (pair.first >= pair.second || back == medians.end()) continue;
    const double difference = std::abs(there - back->second);
    if (most && difference <= *most) continue;
    most = difference;
    notes = {fmt::format("SMs {} and {}", pair.first, pair.second)};
  }
  return most;
}

void add_pairwise(const Measurement& m, std::vector<Finding>& out) {
  const Probe& probe = *probe_of(m);
  const Matrix matrix = matrix_of(m);
  CaseFindings findings(m, fmt::format("{}/{}", m.point.experiment, name_of(probe.op)), out);
  std::map<std::pair<int, int>, double> medians;
  std::vector<double> far;
  std::vector<double> own;
  for (const auto& [pair, cycles] : matrix.pairs) {
    const double median = stats::median(cycles);
    (pair.first == pair.second ? own : far).push_back(median);
    if (pair.first != pair.second) medians[pair] = median;
  }
  if (far.empty()) return;
  const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(medians.begin(), medians.end(), by_time);
  const auto extreme = [&](std::string_view what, const std::pair<int, int>& pair) {
    findings.add(what, stats::estimate_median(matrix.pairs.at(pair), kBootstrapSeed), "cycles",
                 {fmt::format("from SM {} to SM {}", pair.first, pair.second)});
  };
  const stats::Estimate middle = stats::estimate_median(far, kBootstrapSeed);
  extreme("min", least->first);
  findings.add("median", middle, "cycles");
  extreme("max", most->first);
  findings.add_ns("median-ns", middle);
  if (!own.empty()) findings.add("own", stats::estimate_median(own, kBootstrapSeed), "cycles");
  std::vector<std::string> notes;
  if (const auto difference = asymmetry_of(medians, notes))
    findings.add_exact("asymmetry", *difference, notes);
  // Through L2 an SM's distance is not that to the network between SMs.
  if (probe.op >= ProbeOp::l2_store) return;
  const LegMap legs = add_legs(findings, matrix);
  if (probe.op == ProbeOp::load) add_positions(findings, matrix, legs, probe.ranks);
}

void add_rankwise(const Measurement& m, std::vector<Finding>& out) {
  const Probe& probe = *probe_of(m);
  const std::vector<bool> good = usable(m.samples);
  const auto rows = m.samples.find(column::start_cycles);
  std::vector<double> steps;
  for (std::size_t s = 0; s < good.size(); ++s)
    for (std::size_t r = 0; good[s] && r < rows->second.size(); ++r)
      if (const auto step = step_of(m, r, s, probe.links)) steps.push_back(*step);
  if (steps.empty()) return;
  std::string name = fmt::format("{}/{}", m.point.experiment, name_of(probe.op));
  const bool meets = probe.op == ProbeOp::sync || probe.op == ProbeOp::sync_relaxed;
  if (meets) name += fmt::format("/{}/{}", probe.threads, probe.ranks);
  CaseFindings(m, std::move(name), out).add("", stats::estimate_median(steps, kBootstrapSeed), "cycles");
}

/// `what`: one median over another.
void add_ratio(std::string_view what, std::string_view over, std::string_view under,
               std::vector<Finding>& out) {
  const auto find = [&](std::string_view op) {
    return std::find_if(out.begin(), out.end(),
                        [&](const Finding& f) { return f.name == fmt::format("dsm/latency/{}/median", op); });
  };
  const auto a = find(over);
  const auto b = find(under);
  if (a == out.end() || b == out.end()) return;
  Finding ratio{.name = fmt::format("dsm/latency/{}", what),
                .value = a->value / b->value,
                .low = a->low / b->high,
                .high = a->high / b->low,
                .unit = "x",
                .estimator = "median",
                .cases = a->cases,
                .notes = {}};
  ratio.cases.insert(ratio.cases.end(), b->cases.begin(), b->cases.end());
  out.push_back(std::move(ratio));
}

}  // namespace

std::vector<Finding> latency_findings(std::span<const Measurement> measurements) {
  std::vector<const Measurement*> ordered;
  for (const Measurement& m : measurements)
    if (probe_of(m) != nullptr) ordered.push_back(&m);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Measurement* a, const Measurement* b) {
    const Probe& p = *probe_of(*a);
    const Probe& q = *probe_of(*b);
    return std::tuple(p.op, p.threads, p.ranks) < std::tuple(q.op, q.threads, q.ranks);
  });
  std::vector<Finding> out;
  for (const Measurement* m : ordered)
    is_pairwise(probe_of(*m)->op) ? add_pairwise(*m, out) : add_rankwise(*m, out);
  add_ratio("l2-over-dsm", "l2-store", "store", out);
  add_ratio("l2-over-dsm-release", "l2-release", "store-release", out);
  return out;
}

std::vector<PairLatency> pair_latencies(const Measurement& m) {
  const Probe* probe = probe_of(m);
  if (m.point.experiment != "dsm/latency" || probe == nullptr || !is_pairwise(probe->op)) return {};
  std::vector<PairLatency> out;
  for (const auto& [pair, cycles] : matrix_of(m).pairs)
    out.push_back({.from = pair.first, .to = pair.second, .cycles = stats::median(cycles)});
  return out;
}

}  // namespace plumb::dsm
