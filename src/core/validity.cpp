// SPDX-License-Identifier: Apache-2.0
#include "core/validity.h"

#include <algorithm>
#include <set>

namespace plumb {
namespace {

const Column& column_of(const Samples& samples, std::string_view name) {
  static const Column kNone;
  const auto it = samples.find(name);
  return it == samples.end() ? kNone : it->second;
}

std::size_t sample_count(const Samples& samples) {
  std::size_t count = 0;
  for (const auto& values : column_of(samples, column::start_cycles)) count = std::max(count, values.size());
  return count;
}

bool shares_an_sm(const Samples& samples, std::size_t sample) {
  std::set<std::int64_t> seen;
  for (const auto& values : column_of(samples, column::smid))
    if (sample < values.size() && !seen.insert(values[sample]).second) return true;
  return false;
}

bool has_wrong_payload(const Samples& samples, std::size_t sample) {
  const Column& bad = column_of(samples, column::bad_bytes);
  return std::any_of(bad.begin(), bad.end(),
                     [&](const auto& values) { return sample < values.size() && values[sample] != 0; });
}

template <class Test>
std::size_t count_samples(const Samples& samples, Test test) {
  std::size_t count = 0;
  for (std::size_t s = 0; s < sample_count(samples); ++s) count += test(samples, s) ? 1U : 0U;
  return count;
}

bool runs_forward(const Samples& samples, std::string_view from, std::string_view to, std::size_t sample) {
  const Column& start = column_of(samples, from);
  const Column& stop = column_of(samples, to);
  if (start.empty() || start.size() != stop.size()) return false;
  for (std::size_t f = 0; f < start.size(); ++f) {
    if (sample >= start[f].size() || sample >= stop[f].size() || stop[f][sample] < start[f][sample])
      return false;
  }
  return true;
}

}  // namespace

std::span<const std::int64_t> row(const Samples& samples, std::string_view column, std::size_t participant) {
  const Column& rows = column_of(samples, column);
  if (participant >= rows.size()) return {};
  return rows[participant];
}

std::vector<bool> usable(const Samples& samples) {
  std::vector<bool> out;
  for (std::size_t s = 0; s < sample_count(samples); ++s) {
    out.push_back(!shares_an_sm(samples, s) && !has_wrong_payload(samples, s) &&
                  runs_forward(samples, column::start_cycles, column::stop_cycles, s) &&
                  runs_forward(samples, column::start_ns, column::stop_ns, s));
  }
  return out;
}

std::size_t count_shared_sms(const Samples& samples) { return count_samples(samples, shares_an_sm); }
std::size_t count_wrong_payload(const Samples& samples) { return count_samples(samples, has_wrong_payload); }

double clock_ghz(const Samples& samples) {
  const auto first = row(samples, column::start_cycles, 0);
  const auto last = row(samples, column::stop_cycles, 0);
  const auto first_ns = row(samples, column::start_ns, 0);
  const auto last_ns = row(samples, column::stop_ns, 0);
  if (first.empty() || last.empty() || first_ns.empty() || last_ns.empty()) return 0.0;
  const auto ns = static_cast<double>(last_ns.back() - first_ns.front());
  return ns > 0.0 ? static_cast<double>(last.back() - first.front()) / ns : 0.0;
}

void rebase_clocks(Samples& samples) {
  const auto rebase = [&](std::string_view from, std::string_view to) {
    const auto start = samples.find(from);
    const auto stop = samples.find(to);
    if (start == samples.end() || stop == samples.end()) return;
    for (std::size_t f = 0; f < start->second.size(); ++f) {
      if (start->second[f].empty()) continue;
      const std::int64_t origin = start->second[f].front();
      for (std::int64_t& v : start->second[f]) v -= origin;
      for (std::int64_t& v : stop->second[f]) v -= origin;
    }
  };
  rebase(column::start_cycles, column::stop_cycles);
  rebase(column::start_ns, column::stop_ns);
}

}  // namespace plumb
