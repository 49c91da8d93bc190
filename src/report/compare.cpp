// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "plumb/core/error.h"
#include "report/terminal.h"

namespace plumb::report {
namespace {

using Index = std::map<std::string, const Finding*, std::less<>>;

/// The finding to judge by each name: `steady` where there are two estimators.
Index index_of(std::span<const Finding> findings) {
  Index out;
  for (const Finding& f : findings) {
    const auto [it, is_new] = out.try_emplace(f.name, &f);
    if (!is_new && f.estimator == "steady") it->second = &f;
  }
  return out;
}

bool is_time_clock(const Finding& f) { return f.unit == "GB/s" || f.unit == "ns"; }

/// The same quantity on the nanosecond clock; null where there is none.
const Finding* partner(const Index& index, const Finding& f) {
  if (f.unit != "B/cycle" && f.unit != "cycles") return nullptr;
  std::string name = f.name.ends_with("-sm") ? f.name.substr(0, f.name.size() - 3) : f.name + "-ns";
  const auto it = index.find(name);
  return it != index.end() && is_time_clock(*it->second) ? it->second : nullptr;
}

/// How much better b is than a, as a part of a.
double gain_of(const Finding& a, const Finding& b) {
  if (a.value == 0.0 || b.value == 0.0)
    return a.value == b.value ? 0.0 : (b.value > a.value) == (better_of(a) == Better::more) ? 1.0 : -1.0;
  return better_of(a) == Better::more ? b.value / a.value - 1 : a.value / b.value - 1;
}

bool apart(const Finding& a, const Finding& b) { return a.high < b.low || b.high < a.low; }

double width(const Finding& f) { return f.value == 0.0 ? 0.0 : (f.high - f.low) / std::abs(f.value); }

/// The verdict of one clock alone.
Verdict judge(const Finding& a, const Finding& b, double tolerance) {
  const double gain = gain_of(a, b);
  if (std::abs(gain) <= tolerance) return Verdict::same;
  if (apart(a, b)) return gain > 0 ? Verdict::faster : Verdict::slower;
  return std::max(width(a), width(b)) > tolerance ? Verdict::ambiguous : Verdict::same;
}

Compared judged(const Finding& a, const Finding& b, const Finding* time_a, const Finding* time_b,
                double tolerance) {
  Compared row{
      .name = a.name, .unit = a.unit, .first = a, .second = b, .verdict = judge(a, b, tolerance), .why = {}};
  if (row.verdict == Verdict::ambiguous) row.why = "the intervals overlap and are wider than the tolerance";
  if (time_a == nullptr || time_b == nullptr) {
    if (row.verdict == Verdict::faster || row.verdict == Verdict::slower)
      row.why = is_time_clock(a)                            ? "in time alone"
                : a.unit == "B/cycle" || a.unit == "cycles" ? "in cycles alone"
                                                            : "";
    return row;
  }
  const Verdict time = judge(*time_a, *time_b, tolerance);
  const double time_gain = gain_of(*time_a, *time_b);
  if (row.verdict == Verdict::faster || row.verdict == Verdict::slower) {
    if (time == row.verdict || (time == Verdict::ambiguous && (time_gain > 0) == (gain_of(a, b) > 0))) {
      row.why = "in cycles and in time";
    } else {
      row.why = fmt::format("{} in cycles, {:+.1f} % in time", name_of(row.verdict), 100 * time_gain);
      row.verdict = Verdict::ambiguous;
    }
  } else if (time == Verdict::faster || time == Verdict::slower) {
    row.why = fmt::format("the same in cycles, {:+.1f} % in time: the clock differs", 100 * time_gain);
    row.verdict = Verdict::ambiguous;
  }
  return row;
}

std::vector<std::string> notes_on(const Provenance& a, const Provenance& b) {
  std::vector<std::string> out;
  const auto differ = [&](const char* what, const std::string& x, const std::string& y) {
    if (x != y)
      out.push_back(fmt::format("{}: {} and {}", what, x.empty() ? "unknown" : x, y.empty() ? "unknown" : y));
  };
  differ("GPU", a.gpu_name, b.gpu_name);
  differ("compute capability", a.compute_capability, b.compute_capability);
  differ("SMs", fmt::format("{}", a.sm_count), fmt::format("{}", b.sm_count));
  differ("driver", a.driver_version, b.driver_version);
  differ("CUDA", a.cuda_version, b.cuda_version);
  differ("ECC", a.ecc, b.ecc);
  differ("tool", a.tool_version + " " + a.tool_commit, b.tool_version + " " + b.tool_commit);
  for (const char* clock : {"sm", "sm_max", "memory"}) {
    const auto x = a.clocks_mhz.find(clock);
    const auto y = b.clocks_mhz.find(clock);
    if (x != a.clocks_mhz.end() && y != b.clocks_mhz.end() && x->second != y->second)
      out.push_back(fmt::format("{} clock at the start: {:.0f} and {:.0f} MHz", clock, x->second, y->second));
  }
  if (!a.gpu_uuid_hash.empty() && a.gpu_uuid_hash == b.gpu_uuid_hash)
    out.emplace_back("both are of the same card");
  return out;
}

int rank_of(Verdict v) {
  return v == Verdict::slower ? 0 : v == Verdict::faster ? 1 : v == Verdict::ambiguous ? 2 : 3;
}

}  // namespace

std::string_view name_of(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"same", "faster", "slower", "ambiguous"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Better better_of(const Finding& f) {
  // What one SM adds to a port that is full is a sign of where it sits, and may be below zero.
  if (f.name.ends_with("/own-port") || f.value < 0) return Better::neither;
  if (f.name.ends_with("/idle") && f.unit == "SMs") return Better::less;
  if (f.unit == "B/cycle" || f.unit == "GB/s" || f.unit.starts_with("FLOP") || f.unit == "TFLOP/s" ||
      f.unit == "clusters")
    return Better::more;
  // What one step adds, a fit leaves, or two directions differ by is no speed.
  for (const char* what :
       {"/intercept", "/asymmetry", "/residual-rms", "/residual-worst", "/difference", "/overhead"})
    if (f.name.ends_with(what) || f.name.ends_with(what + std::string("-ns"))) return Better::neither;
  if (f.name.find("/leg/") != std::string::npos || f.name.find("/load/tpc/") != std::string::npos ||
      f.name.find("/load/cpc/") != std::string::npos)
    return Better::neither;
  if (f.unit == "cycles" || f.unit == "ns") return Better::less;
  return Better::neither;
}

double Compared::gain() const { return gain_of(first, second); }

Comparison compare(std::span<const Finding> first, const Provenance& of_first,
                   std::span<const Finding> second, const Provenance& of_second, double tolerance) {
  if (of_first.backend != of_second.backend)
    throw Error(
        Fault::caller,
        fmt::format("one recording is of the backend '{}' and the other of '{}': a model is not a card. "
                    "`plumb analyze FILE --beside OTHER` sets one beside the other.",
                    of_first.backend, of_second.backend));
  const Index a = index_of(first);
  const Index b = index_of(second);
  Comparison out;
  out.notes = notes_on(of_first, of_second);
  for (const auto& [name, f] : a) {
    if (better_of(*f) == Better::neither) continue;
    const auto it = b.find(name);
    if (it == b.end()) {
      ++out.only_first;
      continue;
    }
    const Finding* time_a = partner(a, *f);
    const Finding* time_b = partner(b, *it->second);
    // The nanosecond clock confirms its partner and gets no row of its own.
    if (is_time_clock(*f) &&
        ((f->name.ends_with("-ns") && a.contains(f->name.substr(0, f->name.size() - 3))) ||
         a.contains(f->name + "-sm")))
      continue;
    if (f->cases != it->second->cases || f->unit != it->second->unit ||
        f->estimator != it->second->estimator) {
      ++out.other_cases;
      continue;
    }
    out.rows.push_back(judged(*f, *it->second, time_a, time_b, tolerance));
  }
  for (const auto& [name, f] : b)
    if (better_of(*f) != Better::neither && !a.contains(name)) ++out.only_second;
  if (out.rows.empty())
    throw Error(Fault::caller,
                out.other_cases > 0
                    ? fmt::format("{} findings are in both recordings, but none was measured by the same "
                                  "cases: was one a --quick run? "
                                  "Measure both alike.",
                                  out.other_cases)
                    : std::string("the two recordings have no finding in common that is better when larger "
                                  "or smaller; run the same experiments on both."));
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const Compared& x, const Compared& y) {
    return std::tuple(rank_of(x.verdict), -std::abs(x.gain())) <
           std::tuple(rank_of(y.verdict), -std::abs(y.gain()));
  });
  return out;
}

std::vector<std::string> differences(const topology::Map& a, const topology::Map& b) {
  std::vector<std::string> out;
  const auto sizes = [](const topology::Map& m) {
    std::vector<int> sms(static_cast<std::size_t>(m.gpcs), 0);
    for (const topology::Seat& s : m.tpcs)
      if (s.gpc >= 0) sms[static_cast<std::size_t>(s.gpc)] += static_cast<int>(s.sms.size());
    std::sort(sms.rbegin(), sms.rend());
    return fmt::format("{}", fmt::join(sms, " "));
  };
  const auto lone = [](const topology::Map& m) {
    return std::count_if(m.tpcs.begin(), m.tpcs.end(), [](const auto& s) { return s.lone; });
  };
  if (a.sms != b.sms) out.push_back(fmt::format("{} SMs and {}", a.sms, b.sms));
  if (sizes(a) != sizes(b))
    out.push_back(fmt::format("SMs of the GPCs, largest first: {} and {}", sizes(a), sizes(b)));
  if (lone(a) != lone(b)) out.push_back(fmt::format("{} lone TPCs and {}", lone(a), lone(b)));
  std::map<int, std::pair<int, int>> seat;  // GPC and partition of an SM in the first
  for (const auto& s : a.tpcs)
    for (const int sm : s.sms) seat[sm] = {s.gpc, s.partition};
  int gpc = 0;
  int partition = 0;
  for (const auto& s : b.tpcs)
    for (const int sm : s.sms)
      if (const auto it = seat.find(sm); it != seat.end()) {
        gpc += it->second.first != s.gpc ? 1 : 0;
        partition += it->second.second != s.partition ? 1 : 0;
      }
  if (gpc > 0) out.push_back(fmt::format("{} SMs are in another GPC", gpc));
  if (partition > 0) out.push_back(fmt::format("{} SMs are on another L2 partition", partition));
  return out;
}

std::string compare_table(const Comparison& c, bool all, bool colours) {
  Table table({"finding", "unit", "first", "second", "better by %", "verdict"});
  std::map<Verdict, std::size_t> count;
  for (const Compared& row : c.rows) {
    ++count[row.verdict];
    if (row.verdict == Verdict::same && !all) continue;
    const std::string verdict = row.why.empty() ? std::string(name_of(row.verdict))
                                                : fmt::format("{}: {}", name_of(row.verdict), row.why);
    table.add({printable(row.name), row.unit, fmt::format("{:.5g}", row.first.value),
               fmt::format("{:.5g}", row.second.value), fmt::format("{:+.2f}", 100 * row.gain()), verdict});
  }
  std::string out;
  for (const std::string& note : c.notes) out += fmt::format("  {}\n", printable(note));
  if (!table.empty()) out += table.text(colours, 5);
  out += fmt::format("{} findings: {} same, {} faster, {} slower, {} ambiguous\n", c.rows.size(),
                     count[Verdict::same], count[Verdict::faster], count[Verdict::slower],
                     count[Verdict::ambiguous]);
  if (c.only_first > 0) out += fmt::format("{} findings are in the first alone\n", c.only_first);
  if (c.only_second > 0) out += fmt::format("{} findings are in the second alone\n", c.only_second);
  if (c.other_cases > 0)
    out += fmt::format("{} findings come from other cases and are not compared\n", c.other_cases);
  return out;
}

}  // namespace plumb::report
