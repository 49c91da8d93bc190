// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/simulation.h"

namespace plumb::report {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const fabric::QueueStatistics& q) { return {{"mean_flits", q.mean}, {"peak_flits", q.peak}}; }

Json json_of(const fabric::LaneStatistics& lane) {
  return {{"flits", lane.flits}, {"blocked_cycles", lane.blocked}, {"utilisation", lane.utilisation}};
}

Json json_of(const fabric::Histogram& h) {
  return {{"packets", h.count()},      {"mean", h.mean()},       {"p10", h.quantile(0.1)},
          {"p50", h.quantile(0.5)},    {"p90", h.quantile(0.9)}, {"p99", h.quantile(0.99)},
          {"p999", h.quantile(0.999)}, {"max", h.largest()}};
}

/// A value for each channel.
template <class Values, class Call>
Json channels(const Values& values, Call&& call) {
  return {{"request", call(values[0])}, {"response", call(values[1])}};
}

constexpr auto kSelf = [](const auto& value) { return value; };
constexpr auto kAsJson = [](const auto& value) { return json_of(value); };

Json flows(const SimulationView& v) {
  Json out = Json::array();
  for (std::size_t i = 0; i < v.traffic.flows.size(); ++i) {
    const Flow& f = v.traffic.flows[i];
    const fabric::FlowResult& r = v.result.flows[i];
    const auto cycles = static_cast<double>(r.stop - r.start);
    out.push_back({{"source", f.source},
                   {"destination", f.destination},
                   {"op", name_of(f.op)},
                   {"bytes", f.bytes},
                   {"start_cycle", r.start},
                   {"stop_cycle", r.stop},
                   {"first_offer_cycle", v.motion[i].first},
                   {"last_delivery_cycle", v.motion[i].last},
                   {"bytes_per_cycle", cycles > 0 ? static_cast<double>(f.bytes) / cycles : 0.0},
                   {"steady_bytes_per_cycle", v.motion[i].steady},
                   {"bad_bytes", r.bad_bytes}});
  }
  return out;
}

Json sms(const SimulationView& v) {
  Json out = Json::array();
  for (std::size_t i = 0; i < v.result.statistics.sms.size(); ++i) {
    const fabric::SmStatistics& sm = v.result.statistics.sms[i];
    const fabric::Slot& at = v.topology.slot(static_cast<int>(i));
    out.push_back({{"rank", i},
                   {"cpc", at.cpc},
                   {"tpc", at.tpc},
                   {"sm", at.sm},
                   {"egress_block", v.topology.block(static_cast<int>(i))},
                   {"sent_flits", channels(sm.sent, kSelf)},
                   {"received_flits", channels(sm.received, kSelf)},
                   {"sent_packets", sm.packets_sent},
                   {"received_packets", sm.packets_received},
                   {"shaper_stall_cycles", sm.shaper_stalls},
                   {"ingress_stall_cycles", sm.ingress_stalls},
                   {"port_stall_cycles", sm.port_stalls},
                   {"refused_offers", sm.offer_stalls},
                   {"injection_queue", channels(sm.injection, kAsJson)},
                   {"ingress_queue", channels(sm.ingress, kAsJson)},
                   {"receive_lane", json_of(v.result.statistics.sm_lanes[i])},
                   {"latency_cycles", json_of(v.latency[i])}});
  }
  return out;
}

Json lanes(const fabric::Statistics& s) {
  Json ingress = Json::array();
  for (std::size_t i = 0; i < s.ingress_lanes.size(); ++i) {
    Json lane = json_of(s.ingress_lanes[i]);
    lane["cpc"] = i / fabric::kLanesPerCpc;
    lane["lane"] = i % fabric::kLanesPerCpc;
    lane["plane_queue"] = channels(&s.plane_inputs[2 * i], kAsJson);
    ingress.push_back(std::move(lane));
  }
  Json egress = Json::array();
  for (std::size_t i = 0; i < s.egress_lanes.size(); ++i) {
    Json lane = json_of(s.egress_lanes[i]);
    lane["plane"] = i % fabric::kPlanes;
    lane["egress_block"] = i / fabric::kPlanes;
    lane["egress_queue"] = channels(&s.egress_pools[2 * i], kAsJson);
    egress.push_back(std::move(lane));
  }
  return {{"ingress", std::move(ingress)}, {"plane_outputs", std::move(egress)}};
}

}  // namespace

nlohmann::ordered_json simulation_json(const SimulationView& v) {
  Json parameters = Json::object();
  for (const fabric::Parameter& p : fabric::parameters())
    parameters[std::string(p.name)] = text_of(v.parameters, p);
  const fabric::Statistics& s = v.result.statistics;
  return {{"title", v.title},
          {"machine", v.machine},
          {"ranks", v.traffic.ranks},
          {"cycles", s.cycles},
          {"idle_cycles_skipped", s.skipped},
          {"moving_cycles", moving_cycles(v)},
          {"packets", v.result.packets},
          {"flows", flows(v)},
          {"sms", sms(v)},
          {"lanes", lanes(s)},
          {"latency_cycles", channels(s.latency, kAsJson)},
          {"parameters", std::move(parameters)}};
}

}  // namespace plumb::report
