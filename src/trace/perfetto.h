// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "plumb/fabric/observer.h"
#include "plumb/fabric/topology.h"

namespace plumb::trace {

/// Turns what the fabric does into a trace that ui.perfetto.dev and chrome://tracing open (Trace Event
/// Format, JSON). One microsecond of the trace is one SM cycle.
///
/// Tracks: of each SM what it sends as requests, what it sends as responses and what it receives; each
/// ingress lane of each CPC; each output of each plane. A slice is a packet, or the flits of it that passed
/// without a break. An arrow goes from a request to its response: from a read command to its data, from
/// the last write that an acknowledgment covers to the acknowledgment.
class Perfetto final : public fabric::Observer {
 public:
  explicit Perfetto(fabric::Topology topology);

  void on(std::span<const fabric::Event> events) override;

  /// The whole trace. Call it when the run is over.
  [[nodiscard]] std::string json() const;

 private:
  struct Slice {
    fabric::Cycle begin = 0;
    fabric::Cycle end = 0;
    std::uint64_t packet = 0;
    int track = 0;
    int flits = 0;
    fabric::PacketKind kind{};
    std::uint8_t source = 0;
    std::uint8_t destination = 0;
  };
  struct Arrow {
    std::uint64_t from = 0;  ///< packet
    std::uint64_t to = 0;
  };
  /// A write that was delivered and waits for its acknowledgment.
  struct Delivered {
    std::uint64_t packet = 0;
    std::int64_t bytes = 0;
  };

  void extend(const fabric::Event& e, int track, bool whole_packet);
  void pair(const fabric::Event& e);

  fabric::Topology topology_;
  std::vector<Slice> slices_;
  std::vector<std::size_t> last_on_;  ///< by track: the slice that may still grow; kNone: none yet
  std::unordered_map<std::uint64_t, std::size_t> sent_;  ///< by packet: its slice on the track of its sender
  std::unordered_map<std::uint64_t, std::deque<std::uint64_t>> reads_;  ///< by tag: commands, oldest first
  std::map<std::uint32_t, std::deque<Delivered>> writes_;               ///< by flow
  std::vector<Arrow> arrows_;
};

}  // namespace plumb::trace
