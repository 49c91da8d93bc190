// SPDX-License-Identifier: Apache-2.0
#include "report/html/copy_envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "stats/describe.h"

namespace plumb::report::html {

Envelope envelope_of(const Lookup& found, std::string_view what, std::string_view from, std::string_view path, std::string_view finding,
                     bool highest) {
  std::map<std::pair<double, std::string>, std::vector<const Finding*>> occasions;
  for (const Finding* f : found.under(fmt::format("copy/compare/{}/{}/{}/", what, from, path))) {
    const auto parts = split(f->name);
    if (parts.size() != 9 || parts.back() != finding) continue;
    occasions[{number_in(parts[5]), parts[6]}].push_back(f);
  }
  Envelope out;
  std::map<double, CopyPoint> best;
  for (const auto& [key, all] : occasions) {
    std::vector<double> values;
    CopyPoint p{.kib = key.first, .value = 0, .low = all.front()->low, .high = all.front()->high, .config = key.second};
    for (const Finding* f : all) {
      values.push_back(f->value);
      p.low = std::min(p.low, f->low);
      p.high = std::max(p.high, f->high);
    }
    p.value = stats::median(values);
    out.points.push_back(p);
    const auto [it, is_new] = best.try_emplace(p.kib, p);
    if (!is_new && (highest ? p.value > it->second.value : p.value < it->second.value)) it->second = p;
  }
  for (const auto& [kib, p] : best) {
    out.best.push_back(p);
    out.most = std::max(out.most, p.value);
  }
  return out;
}

std::optional<CopyPoint> knee_of(const Envelope& e, double share) {
  const double wanted = share * e.most;
  for (std::size_t i = 0; i < e.best.size(); ++i) {
    if (e.best[i].value < wanted) continue;
    CopyPoint knee = e.best[i];
    if (i > 0) {
      const CopyPoint& before = e.best[i - 1];
      knee.kib = before.kib + (wanted - before.value) / (knee.value - before.value) * (knee.kib - before.kib);
      knee.value = wanted;
    }
    return knee;
  }
  return std::nullopt;
}

std::vector<Crossover> crossovers(const Envelope& first, const Envelope& second) {
  std::vector<Crossover> out;
  std::optional<bool> led;
  double last = 0.0;
  for (const CopyPoint& a : first.best) {
    const auto b = std::find_if(second.best.begin(), second.best.end(), [&](const CopyPoint& p) { return p.kib == a.kib; });
    if (b == second.best.end() || (a.low <= b->high && b->low <= a.high)) continue;
    const bool leads = a.value > b->value;
    if (led && *led != leads) out.push_back({.low = last, .high = a.kib, .first_leads = leads});
    led = leads;
    last = a.kib;
  }
  return out;
}

}  // namespace plumb::report::html
