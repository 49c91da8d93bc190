// SPDX-License-Identifier: Apache-2.0
#include "topology/groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/validity.h"

namespace plumb::topology {
namespace {

/// Sets of SMs that grow together.
class Sets {
 public:
  int root(int sm) {
    const auto [it, is_new] = parent_.emplace(sm, sm);
    if (is_new || it->second == sm) return sm;
    return it->second = root(it->second);
  }
  void join(int a, int b) { parent_[root(a)] = root(b); }

  std::vector<std::vector<int>> all() {
    std::map<int, std::vector<int>> by_root;
    for (const auto& [sm, parent] : parent_) by_root[root(sm)].push_back(sm);
    std::vector<std::vector<int>> out;
    out.reserve(by_root.size());
    for (auto& [root, sms] : by_root) out.push_back(std::move(sms));
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::map<int, int> parent_;
};

}  // namespace

int Groups::group_of(int sm) const {
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (std::binary_search(groups[g].begin(), groups[g].end(), sm)) return static_cast<int>(g);
  return -1;
}

Groups groups_of(std::span<const Measurement> measurements) {
  Sets together;
  Sets pairs;
  std::map<int, std::set<int>> partners;
  Groups out;
  for (const Measurement& m : measurements) {
    const auto* census = std::get_if<Census>(&m.point.work);
    if (census == nullptr || census->per_sm != 1 || census->preferred != 0) continue;
    const auto smid = m.samples.find(column::smid);
    if (smid == m.samples.end() || smid->second.empty()) continue;
    const Column& rows = smid->second;
    const auto ranks = static_cast<std::size_t>(census->ranks);
    const std::size_t samples = rows.front().size();
    out.launches += static_cast<int>(samples);
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t c = 0; c < rows.size(); ++c) {
        if (s >= rows[c].size()) continue;
        const int sm = static_cast<int>(rows[c][s]);
        const int first = static_cast<int>(rows[c - c % ranks][s]);
        together.join(sm, first);
        if (ranks != 2 || sm == first) continue;
        pairs.join(sm, first);
        partners[sm].insert(first);
        partners[first].insert(sm);
      }
    }
  }
  out.groups = together.all();
  out.tpcs = pairs.all();
  for (const auto& [sm, others] : partners) out.tpcs_are_pairs = out.tpcs_are_pairs && others.size() == 1;
  return out;
}

std::vector<std::vector<int>> lone_tpcs(const Groups& groups) {
  std::vector<std::vector<int>> out;
  for (const auto& group : groups.groups)
    if (std::find(groups.tpcs.begin(), groups.tpcs.end(), group) != groups.tpcs.end()) out.push_back(group);
  return out.size() < groups.groups.size() ? out : std::vector<std::vector<int>>{};
}

}  // namespace plumb::topology
