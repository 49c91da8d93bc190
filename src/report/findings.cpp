// SPDX-License-Identifier: Apache-2.0
#include "report/findings.h"

#include <fmt/format.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): strverscmp is not in <cstring>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "report/fit.h"
#include "report/forms.h"
#include "report/latency.h"
#include "report/terminal.h"

namespace plumb::report {
namespace {

constexpr std::ptrdiff_t kMostRows = 64;  // more are summed up

/// The findings of one subject by "rate/steady" and so on.
using Subject = std::map<std::string, const Finding*, std::less<>>;

struct Subjects {
  std::vector<std::string> order;
  std::map<std::string, Subject> by_name;
};

/// By name, with runs of digits as numbers: "put/2" before "put/16".
bool comes_before(const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) < 0; }

Subjects group(std::string_view experiment, std::span<const Finding> findings) {
  Subjects out;
  for (const Finding& f : findings) {
    const std::size_t slash = f.name.rfind('/');
    if (f.name.size() <= experiment.size() + 1 || slash <= experiment.size()) continue;
    const std::string name = f.name.substr(experiment.size() + 1, slash - experiment.size() - 1);
    if (!out.by_name.contains(name)) out.order.push_back(name);
    out.by_name[name][f.name.substr(slash + 1) + "/" + f.estimator] = &f;
  }
  std::stable_sort(out.order.begin(), out.order.end(), comes_before);
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

/// The flows of a subject, in their order: "0-load-1to0", "1-put-0to1".
std::vector<std::string> flows_of(const Subjects& subjects, const std::string& name) {
  std::vector<std::string> flows;
  for (const std::string& other : subjects.order)
    if (other.size() > name.size() && other.starts_with(name + "/") && is_flow(other)) flows.push_back(other);
  std::sort(flows.begin(), flows.end(), [&](const std::string& a, const std::string& b) {
    return std::stoi(a.substr(name.size() + 1)) < std::stoi(b.substr(name.size() + 1));
  });
  return flows;
}

/// "load" of ".../0-load-1to0".
std::string op_of(const std::string& flow) {
  const std::size_t last = flow.rfind('-');
  const std::size_t before = flow.rfind('-', last - 1);
  return flow.substr(before + 1, last - before - 1);
}

bool all_alike(const std::vector<std::string>& flows) {
  return std::all_of(flows.begin(), flows.end(),
                     [&](const std::string& f) { return op_of(f) == op_of(flows.front()); });
}

/// One rate for each flow, by the steady estimator where it has one.
std::string rates_of(const Subjects& subjects, const std::vector<std::string>& flows) {
  std::string out;
  for (const std::string& flow : flows) {
    const Subject& s = subjects.by_name.at(flow);
    out +=
        fmt::format(" {}", cell(s, s.contains("rate/steady") ? "rate/steady" : "rate/published", "{:.1f}"));
  }
  return out;
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

/// The part of a name after the experiment.
std::string label_of(std::string_view experiment, const std::string& name) {
  return name.substr(std::min(name.size(), experiment.size() + 1));
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('/') + 1); }
std::string all_but_last(const std::string& name) { return name.substr(0, name.rfind('/')); }

/// Findings by the table that shows them.
struct Parts {
  std::vector<Finding> lines;     ///< of fits over sizes
  std::vector<Finding> clusters;  ///< of clusters side by side; those of single clusters are for machines
  std::vector<Finding> others;
};

Parts parts_of(std::span<const Finding> findings) {
  static const std::set<std::string> kOfLines{"rate", "rate-ns", "intercept", "intercept-ns",
                                              "rmse", "rmse-ns", "clock",     "total"};
  std::set<std::string> fitted;
  std::set<std::string> side_by_side;
  for (const Finding& f : findings) {
    if (last_part(f.name) == "rmse") fitted.insert(all_but_last(f.name));
    if (last_part(f.name) == "slowest-flow") side_by_side.insert(all_but_last(f.name));
  }
  Parts parts;
  for (const Finding& f : findings) {
    const std::string subject = all_but_last(f.name);
    if (fitted.contains(subject) && kOfLines.contains(last_part(f.name)))
      parts.lines.push_back(f);
    else if (side_by_side.contains(subject) && last_part(f.name) != "background")
      parts.clusters.push_back(f);
    else if (side_by_side.empty() || f.name.find("/sm-") == std::string::npos)
      parts.others.push_back(f);
  }
  return parts;
}

std::string clusters_table(const Subjects& subjects, bool colours) {
  Table table(
      {"clusters side by side", "middle flow B/cycle", "slowest", "fastest", "all flows B/cycle", "SMs"});
  for (const std::string& name : subjects.order) {
    const Subject& s = subjects.by_name.at(name);
    table.add({name, cell(s, "rate/published", "{:.2f}"), cell(s, "slowest-flow/published", "{:.2f}"),
               cell(s, "fastest-flow/published", "{:.2f}"), cell(s, "total/published", "{:.1f}"),
               cell(s, "active-sms/published", "{:.0f}")});
  }
  return table.text(colours) + "  cluster by cluster: `plumb analyze --json`\n";
}

/// Least, median and greatest of many findings of one kind, in place of their rows.
std::string summary(std::string_view experiment, const std::string& kind, std::vector<Finding> findings) {
  std::sort(findings.begin(), findings.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  const Finding& least = findings.front();
  const Finding& most = findings.back();
  return fmt::format("  {}: {} values, {:.2f} ({}) to {:.2f} ({}), median {:.2f} {}; --json lists them\n",
                     kind, findings.size(), least.value, all_but_last(label_of(experiment, least.name)),
                     most.value, all_but_last(label_of(experiment, most.name)),
                     findings[findings.size() / 2].value, least.unit);
}

/// Notes that would fill lines are for machines.
std::string shortened(const std::string& note) {
  constexpr std::size_t kMost = 120;
  return note.size() <= kMost ? note : fmt::format("{}... (--json has all)", note.substr(0, kMost));
}

/// One row a finding; kinds of which there are too many are summed up.
std::string plain_table(std::string_view experiment, std::span<const Finding> findings, bool colours) {
  std::map<std::string, std::vector<Finding>> kinds;
  for (const Finding& f : findings) kinds[last_part(f.name)].push_back(f);
  std::vector<Finding> rows;
  std::string sums;
  for (auto& [kind, some] : kinds) {
    if (std::ssize(some) > kMostRows)
      sums += summary(experiment, kind, std::move(some));
    else
      rows.insert(rows.end(), some.begin(), some.end());
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Finding& a, const Finding& b) { return comes_before(a.name, b.name); });
  Table table({"", "value", "95 % interval", "unit", "notes"});
  for (const Finding& f : rows)
    table.add({label_of(experiment, f.name), fmt::format("{:.2f}", f.value),
               fmt::format("{:.2f}..{:.2f}", f.low, f.high), f.unit,
               shortened(fmt::format("{}", fmt::join(f.notes, "; ")))});
  constexpr std::size_t kFirstLeft = 3;
  return (table.empty() ? std::string() : table.text(colours, kFirstLeft)) + sums;
}

/// One row a series: its steady and published rates, intercept and residual; below them the rates flow by
/// flow and the notes.
std::string lines_table(std::string_view experiment, const std::vector<Finding>& findings, bool colours) {
  const Subjects subjects = group(experiment, findings);
  if (std::count_if(subjects.order.begin(), subjects.order.end(),
                    [](const auto& name) { return !is_flow(name); }) > kMostRows) {
    std::string out;
    for (const std::string_view kind : {"rate", "intercept"}) {
      std::vector<Finding> some;
      std::copy_if(findings.begin(), findings.end(), std::back_inserter(some), [&](const Finding& f) {
        return last_part(f.name) == kind && f.estimator == "steady" &&
               !is_flow(label_of(experiment, all_but_last(f.name)));
      });
      if (!some.empty()) out += summary(experiment, fmt::format("steady {}", kind), std::move(some));
    }
    return out;
  }
  Table table({"", "steady B/cycle", "95 % interval", "published fit", "steady GB/s", "intercept cycles",
               "RMSE %", "cycle/ns"});
  std::vector<std::string> notes;
  std::vector<std::string> per_flow;
  const auto add = [&](const std::string& name, std::string label) {
    const Subject& s = subjects.by_name.at(name);
    const auto steady = s.find("rate/steady");
    std::vector<std::string> here;
    if (steady != s.end()) here = steady->second->notes;
    if (steady == s.end() && s.contains("rate/published"))
      here = {"not on a line from any size up, so it has no steady rate"};
    if (!here.empty()) {
      notes.push_back(fmt::format("{}: {}", name, fmt::join(here, "; ")));
      label += " *";
    }
    table.add(table_row(label, s));
  };
  for (const std::string& name : subjects.order) {
    if (is_flow(name)) continue;
    const auto flows = flows_of(subjects, name);
    if (all_alike(flows)) {
      add(name, name);
      if (flows.size() > 2) per_flow.push_back(fmt::format("{}:{}", name, rates_of(subjects, flows)));
      continue;
    }
    const Subject& s = subjects.by_name.at(name);
    for (const std::string& flow : flows) add(flow, name + "  " + flow.substr(name.size() + 3));
    table.add({name + "  sum", cell(s, "total/steady", "{:.2f}"), interval(s, "total/steady"),
               cell(s, "total/published", "{:.2f}"), "", "", "", cell(s, "clock/median", "{:.3f}")});
  }
  std::string out = table.text(colours);
  if (!per_flow.empty()) out += "  flow by flow, B/cycle:\n";
  for (const std::string& line : per_flow) out += fmt::format("  {}\n", line);
  for (const std::string& note : notes) out += paint("  * " + note, Tone::warn, colours) + "\n";
  return out;
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
  const std::string head = paint(experiment, Tone::bold, colours) + "  " + printable(question) + "\n";
  if (experiment == "dsm/latency") return head + latency_table(findings, colours);
  if (experiment == "topology/fit") return head + fit_table(findings, colours);
  if (experiment == "dsm/forms") return head + forms_table(findings, colours);
  const Parts parts = parts_of(findings);
  std::string out = head;
  if (!parts.lines.empty()) out += lines_table(experiment, parts.lines, colours);
  if (!parts.clusters.empty()) out += clusters_table(group(experiment, parts.clusters), colours);
  if (!parts.others.empty()) out += plain_table(experiment, parts.others, colours);
  if (findings.empty()) out += "  no usable case\n";
  return out;
}

}  // namespace plumb::report
