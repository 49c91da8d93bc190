// SPDX-License-Identifier: Apache-2.0
#include "topology/kinship.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "stats/hierarchy.h"

namespace plumb::topology {
namespace {

using Shape = std::vector<double>;

constexpr double kUnlike = 3.0;

double dot(const Shape& a, const Shape& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Shape minus(const Shape& a, const Shape& b) {
  Shape out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] - b[i]);
  return out;
}

double rms(const Shape& a) { return std::sqrt(dot(a, a) / static_cast<double>(a.size())); }

/// TPCs of one class that are known to be of one group.
struct Class {
  int group = -1;
  std::vector<std::size_t> tpcs;
  Shape mean;
};

class Judge {
 public:
  Judge(const std::vector<Shape>& shapes, const std::vector<int>& group, const std::vector<int>& label)
      : shapes_(shapes) {
    std::map<int, Class> by_label;
    for (std::size_t t = 0; t < shapes.size(); ++t) {
      if (group[t] < 0) continue;
      by_label[label[t]].group = group[t];
      by_label[label[t]].tpcs.push_back(t);
    }
    for (auto& [l, c] : by_label) {
      c.mean = Shape(shapes.front().size(), 0.0);
      for (const std::size_t t : c.tpcs)
        for (std::size_t a = 0; a < c.mean.size(); ++a)
          c.mean[a] += shapes[t][a] / static_cast<double>(c.tpcs.size());
      for (const std::size_t t : c.tpcs) {
        if (c.tpcs.size() < 2) break;
        // A mean of n values hides 1/n of what each strays.
        const auto n = static_cast<double>(c.tpcs.size());
        Shape stray = minus(shapes[t], c.mean);
        for (double& v : stray) v *= std::sqrt(n / (n - 1));
        farthest_ = std::max(farthest_, rms(stray));
        strays_.push_back(std::move(stray));
      }
      freedom_ += static_cast<double>(c.tpcs.size() - 1);
      classes_.push_back(std::move(c));
    }
  }

  [[nodiscard]] Kinship of(std::size_t tpc, std::size_t groups) const {
    Kinship out{
        .tpc = {}, .probability = std::vector<double>(groups, 0.0), .most_likely = -1, .evidence = {}};
    std::map<int, std::pair<double, const Class*>> nearest;  // of each group
    for (const Class& c : classes_) {
      const double d = rms(minus(shapes_[tpc], c.mean));
      const auto [it, is_new] = nearest.emplace(c.group, std::pair(d, &c));
      if (!is_new && d < it->second.first) it->second = {d, &c};
    }
    if (nearest.size() < 2 || strays_.empty()) {
      out.evidence = "too few TPCs of known GPC see L2 alike to compare it with";
      return out;
    }
    const auto best = std::min_element(nearest.begin(), nearest.end(), [](const auto& a, const auto& b) {
      return a.second.first < b.second.first;
    });
    double sum = 0.0;
    double second = std::numeric_limits<double>::infinity();
    for (const auto& [group, found] : nearest) {
      const double likelihood =
          group == best->first ? 1.0 : std::exp(-advantage(tpc, *best->second.second, *found.second));
      out.probability[static_cast<std::size_t>(group)] = likelihood;
      sum += likelihood;
      if (group != best->first) second = std::min(second, found.first);
    }
    for (double& p : out.probability) p /= sum;
    const double distance = best->second.first;
    out.evidence = fmt::format(
        "{:.2f} cycles from the nearest class of its most likely group, {:.2f} from that "
        "of any other; TPCs of known class stray by {:.2f} at most",
        distance, second, farthest_);
    if (distance <= kUnlike * farthest_) out.most_likely = best->first;
    return out;
  }

 private:
  /// By how much the logarithm of the likelihood of class `a` is above that of `b`.
  [[nodiscard]] double advantage(std::size_t tpc, const Class& a, const Class& b) const {
    const Shape way = minus(b.mean, a.mean);
    const double length = dot(way, way);
    double scatter = 0.0;  // along the way, as a part of it
    for (const Shape& stray : strays_) scatter += std::pow(dot(stray, way) / length, 2);
    scatter /= static_cast<double>(strays_.size());
    // The class itself is known from few TPCs.
    scatter *= 1.0 + 1.0 / static_cast<double>(a.tpcs.size());
    const double z = dot(minus(shapes_[tpc], a.mean), way) / length;
    const auto far = [&](double from) { return std::log1p((z - from) * (z - from) / (freedom_ * scatter)); };
    return (freedom_ + 1) / 2 * (far(1.0) - far(0.0));
  }

  const std::vector<Shape>& shapes_;
  std::vector<Class> classes_;
  std::vector<Shape> strays_;
  double farthest_ = 0.0;
  double freedom_ = 0.0;
};

/// The labels of the highest cut at which no class holds TPCs of two groups.
std::vector<int> purest(const std::vector<stats::Merge>& merges, const std::vector<int>& group,
                        double& highest) {
  const std::size_t n = group.size();
  std::vector<int> labels = stats::cut(merges, n, -1.0);
  for (const stats::Merge& merge : merges) {
    std::vector<int> next = stats::cut(merges, n, merge.height);
    std::map<int, std::set<int>> held;
    for (std::size_t t = 0; t < n; ++t)
      if (group[t] >= 0) held[next[t]].insert(group[t]);
    if (std::any_of(held.begin(), held.end(), [](const auto& h) { return h.second.size() > 1; })) break;
    labels = std::move(next);
    highest = merge.height;
  }
  return labels;
}

}  // namespace

Shapes shapes_of(const Reach& reach, const Groups& groups) {
  Shapes out;
  const Reach tpcs = by_tpc(reach, groups.tpcs);
  const std::size_t n = tpcs.sms.size();
  if (n < 2) return out;
  const auto lone = lone_tpcs(groups);
  std::vector<int> group;  // -1: lone
  std::vector<Shape> shapes;
  for (std::size_t t = 0; t < n; ++t) {
    const auto tpc = std::find_if(groups.tpcs.begin(), groups.tpcs.end(),
                                  [&](const auto& sms) { return sms.front() == tpcs.sms[t]; });
    out.tpcs.push_back(*tpc);
    const bool alone = std::find(lone.begin(), lone.end(), *tpc) != lone.end();
    group.push_back(alone ? -1 : groups.group_of(tpcs.sms[t]));
    shapes.push_back(shape_of(tpcs, t));
  }
  const auto distances = distances_of(tpcs);
  const auto merges = stats::cluster(distances, n);
  out.classes = purest(merges, group, out.largest_within);
  out.least_between = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < n; ++t) {
    if (group[t] < 0) continue;
    std::size_t nearest = n;
    for (std::size_t u = 0; u < n; ++u) {
      if (u == t || group[u] < 0) continue;
      if (nearest == n || distances[t * n + u] < distances[t * n + nearest]) nearest = u;
      if (group[u] != group[t]) out.least_between = std::min(out.least_between, distances[t * n + u]);
    }
    if (nearest == n) continue;
    // The only one of its CPC whose GPC is known has nobody to be near to.
    const bool has_sibling = std::any_of(group.begin(), group.end(), [&, u = std::size_t{0}](int) mutable {
      const std::size_t other = u++;
      return other != t && group[other] == group[t] && out.classes[other] == out.classes[t];
    });
    if (!has_sibling) continue;
    ++out.judged;
    out.nearest_in_own_group += group[nearest] == group[t] ? 1 : 0;
  }
  const Judge judge(shapes, group, out.classes);
  for (std::size_t t = 0; t < n; ++t) {
    if (group[t] >= 0) continue;
    out.lone.push_back(judge.of(t, groups.groups.size()));
    out.lone.back().tpc = out.tpcs[t];
  }
  return out;
}

}  // namespace plumb::topology
