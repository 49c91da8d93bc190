// SPDX-License-Identifier: Apache-2.0
#include "trace/flow_meter.h"

#include <algorithm>

#include "fabric/endpoint/tag.h"

namespace plumb::trace {

using fabric::Event;
using fabric::EventKind;
using fabric::PacketKind;

FlowMeter::FlowMeter(const Traffic& traffic) : latency_(static_cast<std::size_t>(traffic.ranks)) {
  for (const Flow& f : traffic.flows) flows_.push_back({.bytes = f.bytes});
}

void FlowMeter::on(std::span<const Event> events) {
  for (const Event& e : events) {
    if (e.what != EventKind::offer && e.what != EventKind::deliver) continue;
    const auto tag = fabric::Tag::unpack(e.tag);
    Progress& flow = flows_.at(tag.flow);
    if (e.what == EventKind::offer) {
      if (e.packet >= offered_.size()) offered_.resize(e.packet + 1, 0);
      offered_[e.packet] = e.cycle;
      flow.first = std::min(flow.first, e.cycle);
      continue;
    }
    latency_.at(e.source).add(e.cycle - offered_.at(e.packet));
    if (e.kind == PacketKind::read_command || e.kind == PacketKind::ack) continue;
    flow.arrived += tag.bytes;
    flow.last = e.cycle;
    for (std::size_t q = 0; q < flow.marks.size(); ++q) {
      const std::int64_t quarter = flow.bytes * (q == 0 ? 1 : 3) / 4;
      if (flow.bytes_there[q] != 0 || flow.arrived < quarter) continue;
      flow.marks[q] = e.cycle;
      flow.bytes_there[q] = flow.arrived;
    }
  }
}

std::vector<FlowMotion> FlowMeter::flows() const {
  std::vector<FlowMotion> out;
  for (const Progress& f : flows_) {
    const auto cycles = static_cast<double>(f.marks[1] - f.marks[0]);
    const auto bytes = static_cast<double>(f.bytes_there[1] - f.bytes_there[0]);
    out.push_back({.first = f.first, .last = f.last, .steady = cycles > 0 ? bytes / cycles : 0.0});
  }
  return out;
}

}  // namespace plumb::trace
