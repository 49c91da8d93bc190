// SPDX-License-Identifier: Apache-2.0
#include "dsm/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "dsm/access_model.h"
#include "plumb/fabric/topology.h"

namespace plumb::dsm {
namespace {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

/// The flow of ".../0-load-1to0/rate".
std::optional<std::size_t> flow_of(std::string_view name) {
  const std::string_view subject = name.substr(0, name.rfind('/'));
  const std::string_view part = last_part(subject);
  if (part.find("to") == std::string_view::npos) return std::nullopt;
  std::size_t flow = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), flow);
  if (error != std::errc{} || end == part.data() + part.size() || *end != '-') return std::nullopt;
  return flow;
}

/// Ranks of "dsm/tomography/cpc/0-1-6-7-12-13/confidence"; none for other names.
std::vector<int> group_of(std::string_view name, std::string_view kind) {
  const std::string head = fmt::format("dsm/tomography/{}/", kind);
  if (!name.starts_with(head) || !name.ends_with("/confidence") ||
      name.size() <= head.size() + sizeof("confidence"))
    return {};
  std::vector<int> ranks;
  const char* at = name.data() + head.size();
  const char* const end = name.data() + name.rfind('/');
  while (at < end) {
    int rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error != std::errc{} || rank < 0 || rank >= kMaxRanks) return {};
    ranks.push_back(rank);
    at = next + 1;
  }
  return ranks;
}

/// Numbers the groups that were found; false where they do not cover all ranks.
bool number(std::span<const Finding> findings, std::string_view kind, std::vector<int>& of_rank) {
  std::vector<int> found(of_rank.size(), -1);
  int group = 0;
  for (const Finding& f : findings) {
    const std::vector<int> ranks = group_of(f.name, kind);
    for (const int rank : ranks) found[static_cast<std::size_t>(rank)] = group;
    if (!ranks.empty()) ++group;
  }
  if (std::ranges::find(found, -1) != found.end()) return false;
  of_rank = found;
  return true;
}

std::string limit_text(const model::FlowRate& f) {
  switch (f.limit) {
    case model::Limit::ingress:
      return "ingress of a CPC";
    case model::Limit::egress:
      return "egress block";
    default:
      return std::string(name_of(f.limit));
  }
}

/// What the model says of one case, worked out once.
class Model {
 public:
  Model(std::span<const Measurement> measurements, const model::Places& places) : places_(places) {
    for (const Measurement& m : measurements) cases_[id_of(m.point)] = &m.point;
  }

  /// `of_clusters`: the finding is one of cluster_findings.
  void predict(Prediction& out, bool of_clusters) {
    const Case* point = case_of(out.measured);
    if (point != nullptr)
      if (const auto* access = std::get_if<Access>(&point->work)) {
        fill_access(out, *access);
        return;
      }
    const auto* traffic = point == nullptr ? nullptr : std::get_if<Traffic>(&point->work);
    if (traffic == nullptr) {
      out.text = "the work is no plan of flows";
      return;
    }
    if (point->site.clusters != 1) {
      out.text = "which ranks of the other clusters share a CPC is not known";
      return;
    }
    const model::Shares& shares = of(*point, *traffic);
    if (!shares.apply()) {
      out.text = shares.reason;
      return;
    }
    if (of_clusters)
      fill_cluster(out, shares);
    else
      fill(out, *traffic, shares);
  }

 private:
  [[nodiscard]] const Case* case_of(const Finding& f) const {
    if (f.cases.empty()) return nullptr;
    const auto it = cases_.find(f.cases.back());
    return it == cases_.end() ? nullptr : it->second;
  }

  const model::Shares& of(const Case& point, const Traffic& traffic) {
    const auto [it, is_new] = shares_.try_emplace(&point);
    if (is_new) it->second = model::share(traffic, places_);
    return it->second;
  }

  static void fill_access(Prediction& out, const Access& access) {
    const AccessModel model = access_model(access);
    out.text = model.text;
    if (!model.cycles) return;
    out.expected = model.cycles;
    const double bytes = static_cast<double>(lanes_of(access.form)) * access.width;
    const model::Expected& c = *model.cycles;
    if (last_part(out.measured.name) == "rate")
      out.expected = {bytes / c.value, bytes / c.high, bytes / c.low};
  }

  /// "rate" is the median over the flows here, of one cluster ("sm-0/rate") their mean.
  static void fill_cluster(Prediction& out, const model::Shares& shares) {
    const std::string_view kind = last_part(out.measured.name);
    std::vector<const model::FlowRate*> flows;
    for (const model::FlowRate& f : shares.flows) flows.push_back(&f);
    std::ranges::sort(flows, {}, [](const model::FlowRate* f) { return f->rate.value; });
    const std::string_view subject =
        last_part(std::string_view(out.measured.name).substr(0, out.measured.name.rfind('/')));
    model::Expected sum;
    for (const model::FlowRate* f : flows)
      sum = {sum.value + f->rate.value, sum.low + f->rate.low, sum.high + f->rate.high};
    const auto n = static_cast<double>(flows.size());
    const model::FlowRate& one = kind == "slowest-flow"   ? *flows.front()
                                 : kind == "fastest-flow" ? *flows.back()
                                                          : *flows[flows.size() / 2];
    out.text = limit_text(one);
    out.expected = one.rate;
    if (kind == "total") out.expected = sum;
    if (subject.starts_with("sm-")) out.expected = {sum.value / n, sum.low / n, sum.high / n};
  }

  static void fill(Prediction& out, const Traffic& traffic, const model::Shares& shares) {
    const std::string_view kind = last_part(out.measured.name);
    const std::optional<std::size_t> flow = flow_of(out.measured.name);
    if ((kind == "total" || flow) && crowded(traffic)) {
      out.text = "flows on one way are served unequally; only the time of the last is predicted";
      return;
    }
    if (kind == "total") {
      model::Expected sum;
      for (const model::FlowRate& f : shares.flows)
        sum = {sum.value + f.rate.value, sum.low + f.rate.low, sum.high + f.rate.high};
      out.expected = sum;
      out.text = limit_text(shares.slowest());
      return;
    }
    if (flow && *flow >= shares.flows.size()) {
      out.text = "its flow is not in the plan";
      return;
    }
    const model::FlowRate& f = flow ? shares.flows[*flow] : shares.slowest();
    const auto index = static_cast<std::size_t>(&f - shares.flows.data());
    out.text = limit_text(f);
    if (kind == "time") {
      out.expected = model::completion(traffic, shares, index);
    } else if (kind == "command") {
      const auto bytes = static_cast<double>(traffic.flows[index].command);
      out.expected = {bytes / f.rate.value, bytes / f.rate.high, bytes / f.rate.low};
    } else {
      out.expected = f.rate;
    }
  }

  /// Whether an SM is the source or the destination of more than two flows.
  static bool crowded(const Traffic& traffic) {
    std::map<int, int> out;
    std::map<int, int> in;
    for (const Flow& f : traffic.flows)
      if (++out[f.source] > 2 || ++in[f.destination] > 2) return true;
    return false;
  }

  const model::Places& places_;
  std::map<std::string, const Case*> cases_;
  std::map<const Case*, model::Shares> shares_;
};

bool is_predicted(const Finding& f) {
  const std::string_view kind = last_part(f.name);
  if (f.unit == "B/cycle")
    return kind == "rate" || kind == "total" || kind == "slowest-flow" || kind == "fastest-flow";
  return f.unit == "cycles" && (kind == "time" || kind == "command" || kind == "instruction");
}

}  // namespace

std::optional<double> Prediction::deviation() const {
  if (!expected || measured.value == 0.0) return std::nullopt;
  return expected->value / measured.value - 1;
}

bool Prediction::agrees() const {
  return expected && measured.low <= expected->high && expected->low <= measured.high;
}

model::Places places_of(std::span<const Finding> tomography) {
  const fabric::Topology dealt = fabric::Topology::h200(kMaxRanks);
  model::Places places;
  for (int rank = 0; rank < kMaxRanks; ++rank) {
    places.cpc.push_back(dealt.cpc(rank));
    places.block.push_back(dealt.block(rank));
  }
  model::Places found = places;
  const bool all = number(tomography, "cpc", found.cpc) && number(tomography, "block", found.block);
  return all ? found : places;
}

std::vector<Prediction> predictions(std::span<const Finding> findings,
                                    std::span<const Measurement> measurements, const model::Places& places) {
  Model model(measurements, places);
  const bool of_clusters =
      std::ranges::any_of(findings, [](const Finding& f) { return last_part(f.name) == "slowest-flow"; });
  std::vector<Prediction> out;
  for (const Finding& f : findings) {
    if (!is_predicted(f)) continue;
    out.push_back({.measured = f, .expected = {}, .text = {}});
    model.predict(out.back(), of_clusters);
  }
  return out;
}

}  // namespace plumb::dsm
