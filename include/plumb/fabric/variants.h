// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// The stages that can be swapped, as lists: one line here and one small file in src/fabric register a
/// variant. Each list becomes an enum, the names that a machine file uses, and the engine's table.

// X(name, what it claims about the hardware)
#define PLUMB_FABRIC_SHAPERS(X)                                              \
  X(hard, "the rate exactly, nothing saved up beyond the current slot")      \
  X(tdm, "fixed slots: an SM may send in n of every d cycles, by its phase") \
  X(bucket, "the rate, with shaper_burst flits saved up while idle")         \
  X(share, "the two SMs of a TPC share twice the rate, work conserving")     \
  X(none, "no shaper: a full lane for each SM")

#define PLUMB_FABRIC_ROUTE_HASHES(X)                                                                   \
  X(interleave, "consecutive grains take consecutive routes")                                          \
  X(xor_fold, "all address bits above the grain folded onto two, by exclusive or")                     \
  X(random, "two bits of a strong hash of the grain: the same address, same route")                    \
  X(split, "the plane by the parity of the bits above the grain, its input by those above port_bytes") \
  X(fixed, "every flit on route fixed_route")

#define PLUMB_FABRIC_PORTS(X)                             \
  X(full_duplex, "an SM sends and receives in one cycle") \
  X(half_duplex, "an SM sends or receives in one cycle; a contended cycle alternates")

#define PLUMB_FABRIC_QUEUEINGS(X)                                                           \
  X(fifo, "one queue per input: its head blocks the rest")                                  \
  X(shared, "one pool per input, in which a flit for a free output may pass a blocked one") \
  X(separate, "a queue of its own for each output at each input")

#define PLUMB_FABRIC_ALLOCATORS(X)                                                                  \
  X(greedy, "outputs choose one after the other among the inputs that are left; the first rotates") \
  X(matched, "outputs choose at once, inputs take one of those that chose them, in plane_passes passes")

#define PLUMB_FABRIC_RESPONSE_ROUTES(X)                                    \
  X(hash, "response data takes the routes that its own addresses hash to") \
  X(fold, "a response takes the route that its request arrived on")

#define PLUMB_FABRIC_PLANES(X)          \
  X(both, "GX0 and GX1 share the load") \
  X(first, "GX0 carries everything")    \
  X(second, "GX1 carries everything")

#define PLUMB_FABRIC_ACKS(X)                                                       \
  X(coalesced, "one for ack_bytes of a source's writes, or after ack_idle cycles") \
  X(each, "one for each write packet")

namespace plumb::fabric {

#define PLUMB_FABRIC_ENUMERATOR(name, text) name,
#define PLUMB_FABRIC_NAME(name, text) std::string_view(#name),
#define PLUMB_FABRIC_TEXT(name, text) std::string_view(text),
#define PLUMB_FABRIC_CHOICE(Enum, LIST)                                            \
  enum class Enum : std::uint8_t { LIST(PLUMB_FABRIC_ENUMERATOR) };                \
  inline constexpr auto k##Enum##Names = std::to_array({LIST(PLUMB_FABRIC_NAME)}); \
  inline constexpr auto k##Enum##Texts = std::to_array({LIST(PLUMB_FABRIC_TEXT)});

PLUMB_FABRIC_CHOICE(Shaper, PLUMB_FABRIC_SHAPERS)
PLUMB_FABRIC_CHOICE(RouteHash, PLUMB_FABRIC_ROUTE_HASHES)
PLUMB_FABRIC_CHOICE(Port, PLUMB_FABRIC_PORTS)
PLUMB_FABRIC_CHOICE(Queueing, PLUMB_FABRIC_QUEUEINGS)
PLUMB_FABRIC_CHOICE(Allocator, PLUMB_FABRIC_ALLOCATORS)
PLUMB_FABRIC_CHOICE(ResponseRoute, PLUMB_FABRIC_RESPONSE_ROUTES)
PLUMB_FABRIC_CHOICE(Planes, PLUMB_FABRIC_PLANES)
PLUMB_FABRIC_CHOICE(Acks, PLUMB_FABRIC_ACKS)

#undef PLUMB_FABRIC_CHOICE
#undef PLUMB_FABRIC_TEXT
#undef PLUMB_FABRIC_NAME
#undef PLUMB_FABRIC_ENUMERATOR

}  // namespace plumb::fabric
