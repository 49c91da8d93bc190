// SPDX-License-Identifier: Apache-2.0
#include "report/simulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/terminal.h"

namespace plumb::report {
namespace {

constexpr std::size_t kMostFlows = 32;  // a table of more is no longer read

std::string one(double value) { return fmt::format("{:.1f}", value); }
std::string two(double value) { return fmt::format("{:.2f}", value); }

/// The sum of both channels.
double total(const std::array<std::uint64_t, fabric::kChannels>& flits) {
  return static_cast<double>(flits[0] + flits[1]);
}

class Text {
 public:
  Text(const SimulationView& view, bool colours)
      : v_(view),
        s_(view.result.statistics),
        colours_(colours),
        cycles_(static_cast<double>(std::max<fabric::Cycle>(1, moving_cycles(view)))) {}

  std::string text() const {
    return fmt::format("{}{}\n{}\n{}\n{}", head(), flows(), sms(), lanes(), planes());
  }

 private:
  std::string title(std::string_view what) const { return paint(what, Tone::bold, colours_) + "\n"; }
  /// Percent of the cycles in which payload moved.
  std::string share(std::uint64_t count) const { return one(100.0 * static_cast<double>(count) / cycles_); }
  /// Percent of what a lane carries in these cycles; the fabric takes it over the whole run.
  std::string busy(const fabric::LaneStatistics& lane) const {
    return one(100.0 * lane.utilisation * static_cast<double>(s_.cycles) / cycles_);
  }
  /// A queue's mean over the cycles in which payload moved, and its peak.
  std::string filling(const fabric::QueueStatistics& q) const {
    return fmt::format("{:.1f}/{}", q.mean * static_cast<double>(s_.cycles) / cycles_, q.peak);
  }

  std::string head() const {
    std::int64_t bytes = 0;
    for (const Flow& f : v_.traffic.flows) bytes += f.bytes;
    fabric::Cycle stop = 0;
    for (const auto& f : v_.result.flows) stop = std::max(stop, f.stop);
    return fmt::format(
        "{}on {}\n{} bytes in {} cycles ({:.2f} us at {} MHz); payload moves for {:.0f} of them, at {:.1f} "
        "B/cycle together.\n\n",
        title(printable(v_.title)), printable(v_.machine), bytes, stop,
        static_cast<double>(stop) / v_.parameters.clock_mhz, v_.parameters.clock_mhz, cycles_,
        static_cast<double>(bytes) / cycles_);
  }

  std::string flows() const {
    Table table({"flow", "bytes", "cycles", "B/cycle", "steady B/cycle"});
    std::vector<double> steady;
    for (std::size_t i = 0; i < v_.traffic.flows.size(); ++i) {
      const Flow& f = v_.traffic.flows[i];
      const auto& r = v_.result.flows[i];
      steady.push_back(v_.motion[i].steady);
      if (i >= kMostFlows) continue;
      const auto time = static_cast<double>(std::max<fabric::Cycle>(1, r.stop - r.start));
      table.add({fmt::format("{} {} {} > {}", i, name_of(f.op), f.source, f.destination),
                 std::to_string(f.bytes), std::to_string(r.stop - r.start),
                 two(static_cast<double>(f.bytes) / time), two(steady.back())});
    }
    std::string out = title("Flows") + table.text(colours_);
    if (steady.size() > kMostFlows) out += fmt::format("... {} more\n", steady.size() - kMostFlows);
    std::ranges::sort(steady);
    return out +
           fmt::format("steady, the middle half of the payload: {:.2f} to {:.2f} B/cycle, median {:.2f}\n",
                       steady.front(), steady.back(), steady[steady.size() / 2]);
  }

  std::string sms() const {
    Table table({"SM", "place", "sends B/cycle", "receives", "shaper %", "ingress full %", "port %",
                 "injection mean/peak", "latency p50", "p99", "max"});
    for (std::size_t i = 0; i < s_.sms.size(); ++i) {
      const fabric::SmStatistics& sm = s_.sms[i];
      const fabric::Slot& at = v_.topology.slot(static_cast<int>(i));
      const fabric::Histogram& latency = v_.latency[i];
      const double scale = v_.parameters.flit_bytes / cycles_;
      table.add({std::to_string(i), fmt::format("{}.{}.{}", at.cpc, at.tpc, at.sm),
                 two(total(sm.sent) * scale), two(total(sm.received) * scale), share(sm.shaper_stalls),
                 share(sm.ingress_stalls), share(sm.port_stalls),
                 filling(sm.injection[0]) + " " + filling(sm.injection[1]),
                 std::to_string(latency.quantile(0.5)), std::to_string(latency.quantile(0.99)),
                 std::to_string(latency.largest())});
    }
    return title("SMs") + table.text(colours_) +
           "place: CPC.TPC.SM. sends and receives count all flits. shaper, ingress full, port: cycles in "
           "which "
           "a flit waited for that. injection: flits, requests and responses. latency: cycles from offer to "
           "delivery of the packets it sends.\n";
  }

  std::string lanes() const {
    Table table({"ingress", "plane", "busy %", "blocked %", "queue mean/peak"});
    for (std::size_t i = 0; i < s_.ingress_lanes.size(); ++i) {
      const auto& lane = s_.ingress_lanes[i];
      if (lane.flits == 0) continue;
      table.add({fmt::format("CPC {} lane {}", i / fabric::kLanesPerCpc, i % fabric::kLanesPerCpc),
                 fmt::format("GX{}", i % fabric::kLanesPerCpc / 2), busy(lane), share(lane.blocked),
                 filling(s_.plane_inputs[2 * i]) + " " + filling(s_.plane_inputs[2 * i + 1])});
    }
    return title("Ingress lanes and the queues at their planes") + table.text(colours_);
  }

  std::string planes() const {
    Table table({"plane", "to", "busy %", "blocked %", "queue mean/peak"});
    for (std::size_t plane = 0; plane < fabric::kPlanes; ++plane) {
      for (std::size_t block = 0; block < fabric::kBlocks; ++block) {
        const std::size_t i = block * fabric::kPlanes + plane;
        const auto& lane = s_.egress_lanes[i];
        if (lane.flits == 0) continue;
        table.add({fmt::format("GX{}", plane), fmt::format("block {}", block), busy(lane),
                   share(lane.blocked),
                   filling(s_.egress_pools[2 * i]) + " " + filling(s_.egress_pools[2 * i + 1])});
      }
    }
    return title("Planes and the queues of their egress blocks") + table.text(colours_);
  }

  const SimulationView& v_;
  const fabric::Statistics& s_;
  bool colours_;
  double cycles_;
};

}  // namespace

fabric::Cycle moving_cycles(const SimulationView& view) {
  fabric::Cycle first = fabric::kNever;
  fabric::Cycle last = 0;
  for (const trace::FlowMotion& m : view.motion) {
    first = std::min(first, m.first);
    last = std::max(last, m.last);
  }
  return last > first ? last - first : 0;
}

std::string simulation_text(const SimulationView& view, bool colours) { return Text(view, colours).text(); }

}  // namespace plumb::report
