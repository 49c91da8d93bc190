// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace plumb::fabric {

using Cycle = std::int64_t;  ///< SM clocks since the network was built
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// The two virtual channels. They share every lane and no buffer: a blocked request never holds up a
/// response, which is what keeps request-reply traffic free of deadlock.
enum class Channel : std::uint8_t { request, response };
inline constexpr int kChannels = 2;

enum class PacketKind : std::uint8_t {
  read_command,   ///< request, asks for one quantum
  read_response,  ///< response, carries it
  short_write,    ///< request of a store, payload inside
  long_write,     ///< request of a bulk copy; the first of a command also carries the command
  ack,            ///< response, covers writes of one source
};

inline constexpr int kMaxPacketFlits = 32;  ///< the routes of all its flits fit one word

/// What an endpoint hands to the network and what the network hands out at the other end.
struct Packet {
  int source = 0;       ///< rank
  int destination = 1;  ///< rank; must differ from the source
  Channel channel = Channel::request;
  PacketKind kind = PacketKind::short_write;
  int flits = 1;              ///< 1 to kMaxPacketFlits, the command and header flits included
  int leading_flits = 0;      ///< how many of them are command or header and carry no payload
  std::uint64_t address = 0;  ///< bytes, of the first payload; picks the route of each flit
  std::uint64_t tag = 0;      ///< the caller's own; the network carries it and never looks at it
  int route = -1;  ///< on delivery the route of the first flit; on offer -1, or the route for all flits

  bool operator==(const Packet&) const = default;
};

}  // namespace plumb::fabric
