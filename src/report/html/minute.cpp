// SPDX-License-Identifier: Apache-2.0
// What a kernel engineer should know in one minute: a dozen numbers with what to do about each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/cluster_fit.h"
#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

class Minute {
 public:
  /// `share`: of `of`, in %; below 0: of nothing.
  void add(const char* label, const Finding* f, std::string advice, double share = -1, const char* of = "") {
    if (f == nullptr) return;
    Json item{{"label", label},
              {"value", digits(f->value)},
              {"unit", f->unit},
              {"advice", std::move(advice)},
              {"from", f->name}};
    if (f->low != f->value || f->high != f->value) {
      // As many decimals as say something beside the width of the interval.
      const double width = std::max(f->high - f->low, 1e-9);
      const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(width))), 0, 3);
      item["low"] = fmt::format("{:.{}f}", f->low, decimals);
      item["high"] = fmt::format("{:.{}f}", f->high, decimals);
      if (decimals == 0) item["value"] = digits(std::round(f->value));
    }
    if (share >= 0) item["share"] = fmt::format("{:.1f} % of {}", share, of);
    items_.push_back(std::move(item));
  }
  void add(const char* label, std::string value, const char* unit, std::string advice, const char* from) {
    items_.push_back({{"label", label},
                      {"value", std::move(value)},
                      {"unit", unit},
                      {"advice", std::move(advice)},
                      {"from", from}});
  }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] Json take() { return {{"kind", "minute"}, {"items", std::move(items_)}}; }

 private:
  Json items_ = Json::array();
};

void add_dsm(const Lookup& found, Minute& minute) {
  const Finding* one = found.find("dsm/pair/put/one-way/rate");
  const Finding* intercept = found.find("dsm/pair/put/one-way/intercept");
  if (one != nullptr && intercept != nullptr)
    minute.add("DSM, one SM to another", one,
               fmt::format("Budget this for everything an SM sends: a tile of 16 KiB takes {} cycles, {:.0f} "
                           "of them before the first byte.",
                           digits(std::round(intercept->value + 16384 / one->value)), intercept->value),
               100 * one->value / kLane, "a 32-byte lane");
  const Finding* load = found.find("dsm/pair/load/two-way/16x1/rate");
  const Finding* put = found.find("dsm/pair/put/two-way/rate");
  if (load != nullptr && put != nullptr) {
    minute.add("DSM reads, both sides at once", load,
               "Reads lose more than writes: the command for every 128 bytes takes one flit in five of what "
               "the other side may send.",
               100 * load->value / kSending, "the one-way rate");
    minute.add("DSM writes, both sides at once", put,
               "Exchange by pushing (store, bulk copy), not by pulling: acknowledgments are one flit in 23.",
               100 * put->value / kSending, "the one-way rate");
  }
  double enough = 0;
  for (const Finding* f : found.under("dsm/in-flight/")) {
    const auto parts = split(f->name);
    const double bytes = parts.size() == 5 ? 512 * number_in(parts[2]) * number_in(parts[3]) : 0;
    if (bytes > 0 && parts.back() == "rate" && f->value >= 0.97 * kSending && (enough == 0 || bytes < enough))
      enough = bytes;
  }
  if (enough > 0)
    minute.add("DSM reads: bytes in flight", digits(enough / 1024), "KiB",
               "Keep this much in flight per SM, for instance 4 warps with 4 loads of 16 bytes a thread.",
               "dsm/in-flight");
  minute.add("DSM latency, one load", found.find("dsm/latency/load/median"),
             found.find("dsm/latency/l2-over-dsm") != nullptr
                 ? fmt::format("A hand-off through L2 takes {:.1f} times as long as through DSM.",
                               found.find("dsm/latency/l2-over-dsm")->value)
                 : "The median of all pairs of a GPC.");
  if (const Finding* f = found.find("dsm/incast/put/2/rate")) {
    Finding both = *f;
    both.value *= 2, both.low *= 2, both.high *= 2;
    minute.add("DSM, many SMs into one", &both,
               "A reduction onto one SM takes in one and a half times what one sender gives, and no more.",
               100 * both.value / kLane, "a 32-byte lane");
  }
  double slowest = 1e9;
  for (const Finding* f : found.under("dsm/scaling/put/16/"))
    if (split(f->name).size() == 6 && f->name.ends_with("/rate")) slowest = std::min(slowest, f->value);
  const Finding* eight = found.find("dsm/scaling/put/8/rate");
  if (eight != nullptr && slowest < 1e9)
    minute.add(
        "Ring of 16, slowest rank", digits(slowest), "B/cycle",
        fmt::format(
            "A ring of 8 gives every rank {:.1f}. At 16, give less to ranks whose CPC has six SMs at work.",
            eight->value),
        "dsm/scaling");
  if (const Finding* sync = found.find("dsm/latency/sync/256/8"))
    minute.add("Cluster barrier, 8 SMs of 256 threads", sync,
               "Most of it orders memory; where nothing is handed over, use the relaxed form.");
}

void add_topology(const Card& card, const Lookup& found, Minute& minute) {
  if (card.map) {
    std::vector<int> groups(static_cast<std::size_t>(card.map->gpcs), 0);
    for (const topology::Seat& s : card.map->tpcs) {
      const int sms = static_cast<int>(s.sms.size());
      if (s.lone || s.gpc < 0)
        groups.push_back(sms);
      else
        groups[static_cast<std::size_t>(s.gpc)] += sms;
    }
    const auto fit = [&](int ranks) { return model::fit_clusters(groups, 1, ranks); };
    minute.add("SMs idle with clusters of 8", digits(fit(8).idle_sms), "SMs",
               fmt::format("{} clusters fit of {} SMs. Clusters of 4 leave {} idle, of 16 leave {}.",
                           fit(8).clusters, card.map->sms, fit(4).idle_sms, fit(16).idle_sms),
               "topology/fit");
  }
  minute.add("L2, far partition less near", found.find("topology/l2/partition/difference"),
             "Half of all lines are on the other side of the chip, for every SM: no placement avoids it.");
}

void add_copy(const Lookup& found, Minute& minute) {
  minute.add("DRAM, read by the whole chip", found.find("copy/ceilings/dram/read/chip/rate"),
             "What a kernel that only reads can hope for.");
  minute.add(
      "DRAM: bytes in flight per SM for 95 %", found.find("copy/tma/model/dram/knee-95"),
      "By the copy engine. Below this a copy loop waits for latency: add stages or take larger tiles.");
}

void add_mma(const Lookup& found, Minute& minute) {
  const Finding* best = nullptr;
  for (const Finding* f : found.under("mma/throughput/wgmma/bf16.f32/"))
    if (f->name.ends_with("/peak") && f->name.find("/sparse/") == std::string::npos &&
        (best == nullptr || f->value > best->value))
      best = f;
  if (best != nullptr)
    minute.add("wgmma bf16, best shape", found.find(best->name.substr(0, best->name.size() - 4) + "rate"),
               "From the best shape; others are in the section on tensor cores.", best->value,
               "4,096 FLOP/cycle/SM");
  if (const Finding* ridge = found.find("mma/shape/wgmma/ss/m64/2g/ridge"))
    minute.add("wgmma SS: N from which shared memory no longer limits", ridge,
               "Below it take A from registers (RS), or a wider tile.");
}

}  // namespace

Section minute_section(const Card& card, const Lookup& found) {
  Section s{.id = "minute",
            .title = "What you should know in one minute",
            .takeaway = "Each number with its 95 % interval, and what to do about it."};
  Minute minute;
  add_dsm(found, minute);
  add_topology(card, found, minute);
  add_copy(found, minute);
  add_mma(found, minute);
  if (!minute.empty()) s.blocks.push_back(minute.take());
  return s;
}

}  // namespace plumb::report::html
