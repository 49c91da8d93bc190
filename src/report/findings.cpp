// SPDX-License-Identifier: Apache-2.0
#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "report/terminal.h"

namespace plumb::report {
namespace {

/// The findings of one subject by "rate/steady" and so on.
using Subject = std::map<std::string, const Finding*, std::less<>>;

struct Subjects {
  std::vector<std::string> order;
  std::map<std::string, Subject> by_name;
};

Subjects group(std::string_view experiment, std::span<const Finding> findings) {
  Subjects out;
  for (const Finding& f : findings) {
    const std::size_t slash = f.name.rfind('/');
    if (f.name.size() <= experiment.size() + 1 || slash <= experiment.size()) continue;
    const std::string name = f.name.substr(experiment.size() + 1, slash - experiment.size() - 1);
    if (!out.by_name.contains(name)) out.order.push_back(name);
    out.by_name[name][f.name.substr(slash + 1) + "/" + f.estimator] = &f;
  }
  std::sort(out.order.begin(), out.order.end());
  return out;
}

std::string cell(const Subject& s, std::string_view key, const char* format) {
  const auto it = s.find(key);
  return it == s.end() ? std::string("-") : fmt::format(fmt::runtime(format), it->second->value);
}

std::string interval(const Subject& s, std::string_view key) {
  const auto it = s.find(key);
  if (it == s.end()) return "-";
  return fmt::format("{:.2f}..{:.2f}", it->second->low, it->second->high);
}

/// "0-load-1to0" under "put/opposite/8x2": a flow of its own, not a subject.
bool is_flow(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('/') + 1);
  return !last.empty() && last.front() >= '0' && last.front() <= '9' &&
         last.find("to") != std::string_view::npos;
}

/// Whether the flows of a subject differ in their operation; flows that do not are told by the subject's row.
bool flows_differ(const Subjects& subjects, const std::string& name) {
  std::set<std::string> ops;
  for (const std::string& other : subjects.order)
    if (other.starts_with(name + "/") && is_flow(other))
      ops.insert(other.substr(name.size() + 3, other.rfind('-') - name.size() - 3));
  return ops.size() > 1;
}

std::vector<std::string> table_row(const std::string& label, const Subject& s) {
  return {label,
          cell(s, "rate/steady", "{:.2f}"),
          interval(s, "rate/steady"),
          cell(s, "rate/published", "{:.2f}"),
          cell(s, "rate-ns/steady", "{:.2f}"),
          cell(s, "intercept/steady", "{:.0f}"),
          cell(s, "rmse/steady", "{:.2f}"),
          cell(s, "clock/median", "{:.3f}")};
}

/// One row a finding, for experiments that fit no line.
std::string plain_table(std::string_view experiment, std::span<const Finding> findings, bool colours) {
  Table table({"", "median", "95 % interval", "unit", "notes"});
  for (const Finding& f : findings)
    table.add({f.name.substr(std::min(f.name.size(), experiment.size() + 1)), fmt::format("{:.2f}", f.value),
               fmt::format("{:.2f}..{:.2f}", f.low, f.high), f.unit,
               fmt::format("{}", fmt::join(f.notes, "; "))});
  constexpr std::size_t kFirstLeft = 3;
  return table.text(colours, kFirstLeft);
}

}  // namespace

std::string provenance_line(const Provenance& p) {
  if (p.backend == "sim") {
    const auto clock = p.clocks_mhz.find("sm");
    return fmt::format("{}, simulated: compute {}, one GPC of {} SMs, SM clock {:.0f} MHz, {}", p.gpu_name,
                       p.compute_capability, p.sm_count, clock == p.clocks_mhz.end() ? 0.0 : clock->second,
                       p.date);
  }
  std::string line = fmt::format("{}, compute {}, {} SMs, driver {}, CUDA {}", p.gpu_name,
                                 p.compute_capability, p.sm_count, p.driver_version, p.cuda_version);
  if (const auto it = p.clocks_mhz.find("sm_max"); it != p.clocks_mhz.end())
    line += fmt::format(", SM clock up to {:.0f} MHz", it->second);
  return line + ", " + p.date;
}

std::string findings_table(std::string_view experiment, std::string_view question,
                           std::span<const Finding> findings, bool colours) {
  const auto is_plain = [](const Finding& f) { return f.estimator == "median"; };
  if (!findings.empty() && std::ranges::all_of(findings, is_plain))
    return paint(experiment, Tone::bold, colours) + "  " + printable(question) + "\n" +
           plain_table(experiment, findings, colours);
  const Subjects subjects = group(experiment, findings);
  std::string out = paint(experiment, Tone::bold, colours) + "  " + printable(question) + "\n";
  Table table({"", "steady B/cycle", "95 % interval", "published fit", "steady GB/s", "intercept cycles",
               "RMSE %", "cycle/ns"});
  std::vector<std::string> notes;
  const auto add = [&](const std::string& name, std::string label) {
    const Subject& s = subjects.by_name.at(name);
    const auto steady = s.find("rate/steady");
    const auto published = s.find("rate/published");
    std::vector<std::string> here;
    if (steady != s.end()) here = steady->second->notes;
    if (steady == s.end() && published != s.end())
      here = {"not on a line from any size up, so it has no steady rate"};
    if (!here.empty()) {
      notes.push_back(fmt::format("{}: {}", name, fmt::join(here, "; ")));
      label += " *";
    }
    table.add(table_row(label, s));
  };
  for (const std::string& name : subjects.order) {
    if (is_flow(name)) continue;
    if (!flows_differ(subjects, name)) {
      add(name, name);
      continue;
    }
    const Subject& s = subjects.by_name.at(name);
    for (const std::string& flow : subjects.order)
      if (flow.starts_with(name + "/") && is_flow(flow))
        add(flow, name + "  " + flow.substr(name.size() + 3));
    table.add({name + "  sum", cell(s, "total/steady", "{:.2f}"), interval(s, "total/steady"),
               cell(s, "total/published", "{:.2f}"), "", "", "", cell(s, "clock/median", "{:.3f}")});
  }
  out += table.empty() ? "  no usable case\n" : table.text(colours);
  for (const std::string& note : notes) out += paint("  * " + note, Tone::warn, colours) + "\n";
  return out;
}

}  // namespace plumb::report
