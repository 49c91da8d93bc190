// SPDX-License-Identifier: Apache-2.0
#include "topology/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topology/contention.h"
#include "topology/inside.h"
#include "topology/kinship.h"
#include "topology/reach.h"

namespace plumb::topology {
namespace {

/// The look-up at random addresses with one SM at a time, as topology/l2 has it; the one with most addresses.
std::optional<Reach> quiet_reach(std::span<const Measurement> measurements) {
  std::optional<Reach> best;
  for (const Measurement& m : measurements) {
    const auto* lookup = std::get_if<Lookup>(&m.point.work);
    if (lookup == nullptr || lookup->together || lookup->stride != 0) continue;
    auto reach = reach_of(m);
    if (reach && (!best || reach->addresses > best->addresses)) best = std::move(reach);
  }
  return best;
}

std::string text_of_sms(const std::vector<int>& sms) { return fmt::format("SMs {}", fmt::join(sms, ", ")); }

/// Index of the set that holds the TPC whose lowest SM is given; -1: none does.
int set_of(const std::vector<std::vector<int>>& sets, int sm) {
  for (std::size_t s = 0; s < sets.size(); ++s)
    if (std::find(sets[s].begin(), sets[s].end(), sm) != sets[s].end()) return static_cast<int>(s);
  return -1;
}

class Cartographer {
 public:
  explicit Cartographer(std::span<const Measurement> measurements)
      : groups_(groups_of(measurements)),
        lone_(lone_tpcs(groups_)),
        reach_(quiet_reach(measurements)),
        contention_(contention_of(measurements)) {
    if (reach_) shapes_ = shapes_of(*reach_, groups_);
    map_.methods.push_back(fmt::format("{} launches of clusters", groups_.launches));
    if (reach_) map_.methods.push_back(fmt::format("latencies of {} addresses in L2", reach_->addresses));
    if (!contention_.contend.empty())
      map_.methods.push_back(fmt::format("contention of {} pairs of TPCs", contention_.contend.size()));
    name_gpcs();
    seat();
    number_cpcs();
    number_partitions();
    compare(measurements);
  }

  [[nodiscard]] Map take() { return std::move(map_); }
  [[nodiscard]] bool empty() const { return groups_.tpcs.empty(); }

 private:
  [[nodiscard]] bool is_lone(const std::vector<int>& tpc) const {
    return std::find(lone_.begin(), lone_.end(), tpc) != lone_.end();
  }

  /// GPCs are the groups that are no lone TPC, in their order.
  void name_gpcs() {
    for (const auto& group : groups_.groups) gpc_of_group_.push_back(is_lone(group) ? -1 : map_.gpcs++);
  }

  /// The group into whose way a lone TPC gets; -1: none's, or that of several.
  [[nodiscard]] int group_by_contention(const std::vector<int>& tpc) const {
    const int set = set_of(contention_.sets, tpc.front());
    if (set < 0) return -1;
    std::set<int> found;
    for (const int other : contention_.sets[static_cast<std::size_t>(set)]) {
      const int group = groups_.group_of(other);
      if (group >= 0 && gpc_of_group_[static_cast<std::size_t>(group)] >= 0) found.insert(group);
    }
    return found.size() == 1 ? *found.begin() : -1;
  }

  [[nodiscard]] const Kinship* kinship_of(const std::vector<int>& tpc) const {
    const auto it = std::find_if(shapes_.lone.begin(), shapes_.lone.end(),
                                 [&](const Kinship& k) { return k.tpc == tpc; });
    return it == shapes_.lone.end() ? nullptr : &*it;
  }

  void seat() {
    for (const auto& tpc : groups_.tpcs) {
      Seat s{.sms = tpc,
             .gpc = -1,
             .cpc = -1,
             .partition = -1,
             .lone = is_lone(tpc),
             .probability = std::nullopt,
             .evidence = {}};
      map_.sms += static_cast<int>(tpc.size());
      const int group = groups_.group_of(tpc.front());
      if (s.lone)
        seat_lone(s);
      else
        s.gpc = gpc_of_group_[static_cast<std::size_t>(group)];
      map_.tpcs.push_back(std::move(s));
    }
  }

  void seat_lone(Seat& s) {
    const int by_contention = group_by_contention(s.sms);
    const Kinship* kin = kinship_of(s.sms);
    const int by_latency = kin != nullptr ? kin->most_likely : -1;
    const auto name = [&](int group) {
      return group < 0 ? std::string("no GPC") : fmt::format("GPC {}", gpc_of_group_[std::size_t(group)]);
    };
    if (!contention_.contend.empty()) {
      const int set = set_of(contention_.sets, s.sms.front());
      std::vector<int> others;
      if (set >= 0)
        for (const int other : contention_.sets[static_cast<std::size_t>(set)])
          if (other != s.sms.front()) others.push_back(other);
      s.evidence.push_back(
          others.empty() ? fmt::format("contention: {}, it slows no other TPC", name(by_contention))
                         : fmt::format("contention: {}, its writes slow those of the TPCs at SM {} from "
                                       "{:.1f} to {:.1f} B/cycle",
                                       name(by_contention), fmt::join(others, ", "), contention_.free,
                                       contention_.slowed));
    }
    if (kin != nullptr) {
      s.evidence.push_back(fmt::format("latency: {}, {}", name(by_latency), kin->evidence));
      if (by_latency >= 0) s.probability = kin->probability[static_cast<std::size_t>(by_latency)];
    }
    const bool differ = by_contention >= 0 && by_latency >= 0 && by_contention != by_latency;
    const int group = differ ? -1 : std::max(by_contention, by_latency);
    s.gpc = group < 0 ? -1 : gpc_of_group_[static_cast<std::size_t>(group)];
    if (s.gpc < 0) s.probability.reset();
    if (by_contention < 0 || by_latency < 0) return;
    Agreement& a = agreement("lone TPCs by contention and by latency");
    ++a.judged;
    a.agree += differ ? 0 : 1;
    if (differ)
      a.differences.push_back(fmt::format("{}: {} by contention, {} by latency", text_of_sms(s.sms),
                                          name(by_contention), name(by_latency)));
  }

  Agreement& agreement(const std::string& what) {
    const auto it = std::find_if(map_.agreements.begin(), map_.agreements.end(),
                                 [&](const Agreement& a) { return a.what == what; });
    if (it != map_.agreements.end()) return *it;
    map_.agreements.push_back({.what = what, .agree = 0, .judged = 0, .differences = {}});
    return map_.agreements.back();
  }

  /// Sets of TPCs that latency says are CPCs.
  [[nodiscard]] std::vector<std::vector<int>> classes() const {
    std::map<int, std::vector<int>> by_class;
    for (std::size_t t = 0; t < shapes_.tpcs.size(); ++t)
      by_class[shapes_.classes[t]].push_back(shapes_.tpcs[t].front());
    std::vector<std::vector<int>> out;
    out.reserve(by_class.size());
    for (auto& [c, tpcs] : by_class) out.push_back(std::move(tpcs));
    return out;
  }

  /// By contention, or else by latency; a CPC with one TPC is one that shares with none of its GPC.
  void number_cpcs() {
    const auto sets = !contention_.contend.empty() ? contention_.sets : classes();
    if (sets.empty()) return;
    std::map<int, std::map<int, int>> numbers;  // of the sets of each GPC
    for (Seat& s : map_.tpcs) {
      const int set = set_of(sets, s.sms.front());
      if (s.gpc < 0 || set < 0) continue;
      auto& of_gpc = numbers[s.gpc];
      s.cpc = of_gpc.emplace(set, static_cast<int>(of_gpc.size())).first->second;
    }
  }

  void number_partitions() {
    if (!reach_) return;
    const auto split = split_of(*reach_);
    if (!split) return;
    map_.partition_difference = split->difference.value;
    for (Seat& s : map_.tpcs) {
      const auto it = std::find(reach_->sms.begin(), reach_->sms.end(), s.sms.front());
      if (it != reach_->sms.end())
        s.partition = split->part[static_cast<std::size_t>(it - reach_->sms.begin())];
    }
  }

  /// Pairs of TPCs of one GPC: together or apart by the one and by the other.
  void compare_sets(const std::string& what, const std::vector<std::vector<int>>& a,
                    const std::string& name_a, const std::vector<std::vector<int>>& b,
                    const std::string& name_b) {
    Agreement& out = agreement(what);
    for (std::size_t t = 0; t < map_.tpcs.size(); ++t) {
      for (std::size_t u = 0; u < t; ++u) {
        const Seat& first = map_.tpcs[u];
        const Seat& second = map_.tpcs[t];
        if (first.gpc < 0 || first.gpc != second.gpc) continue;
        const int at_a = set_of(a, first.sms.front());
        const int at_b = set_of(b, first.sms.front());
        const int to_a = set_of(a, second.sms.front());
        const int to_b = set_of(b, second.sms.front());
        if (at_a < 0 || at_b < 0 || to_a < 0 || to_b < 0) continue;
        ++out.judged;
        if ((at_a == to_a) == (at_b == to_b)) {
          ++out.agree;
          continue;
        }
        const auto says = [](bool same) { return same ? "one CPC" : "two CPCs"; };
        out.differences.push_back(fmt::format("TPCs at SM {} and {}: {} by {}, {} by {}", first.sms.front(),
                                              second.sms.front(), says(at_a == to_a), name_a,
                                              says(at_b == to_b), name_b));
      }
    }
  }

  void compare(std::span<const Measurement> measurements) {
    if (shapes_.judged > 0) {
      Agreement& a = agreement("GPCs by clusters and by latency: TPCs whose nearest is of their own");
      a.agree = shapes_.nearest_in_own_group;
      a.judged = shapes_.judged;
    }
    const auto by_latency = classes();
    const bool contended = !contention_.contend.empty();
    if (contended && !by_latency.empty())
      compare_sets("CPCs by contention and by latency: pairs of TPCs", contention_.sets, "contention",
                   by_latency, "latency");
    const auto& ours = contended ? contention_.sets : by_latency;
    if (ours.empty()) return;
    for (const CpcSets& other : cpcs_from_dsm(measurements)) {
      map_.methods.push_back(other.method);
      compare_sets(fmt::format("CPCs by {} and by {}: pairs of TPCs", contended ? "contention" : "latency",
                               other.method),
                   ours, contended ? "contention" : "latency", other.sets, other.method);
    }
  }

  Groups groups_;
  std::vector<std::vector<int>> lone_;
  std::optional<Reach> reach_;
  Contention contention_;
  Shapes shapes_;
  std::vector<int> gpc_of_group_;  // -1: a lone TPC
  Map map_;
};

}  // namespace

bool is_of_a_map(std::string_view experiment) {
  return experiment.starts_with("topology/") || experiment == "dsm/latency" || experiment == "dsm/tomography";
}

std::optional<Map> map_of(std::span<const Measurement> measurements) {
  Cartographer cartographer(measurements);
  if (cartographer.empty()) return std::nullopt;
  return cartographer.take();
}

}  // namespace plumb::topology
