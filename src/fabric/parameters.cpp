// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "plumb/core/error.h"
#include "plumb/fabric/packet.h"

namespace plumb::fabric {
namespace {

using P = Parameters;

template <auto Pointer, const auto& Names, const auto& Texts>
constexpr Choice choice() {
  return {.names = Names,
          .texts = Texts,
          .get = [](const P& p) { return static_cast<std::size_t>(p.*Pointer); },
          .set =
              [](P& p, std::size_t i) {
                p.*Pointer = static_cast<std::remove_reference_t<decltype(p.*Pointer)>>(i);
              }};
}

constexpr int kMany = 1 << 20;

// One line per parameter: name, group, unit, member, least, greatest, meaning.
// clang-format off
constexpr auto kParameters = std::to_array<Parameter>({
    {"clock_mhz", "clock", "MHz", &P::clock_mhz, 1, 100'000, "SM clock; turns cycles into nanoseconds"},
    {"timer_tick_ns", "clock", "ns", &P::timer_tick_ns, 1, 1'000'000, "step of %globaltimer"},
    {"clock_ratio", "clock", "", &P::clock_ratio, 1, 64, "fabric clocks per SM clock"},

    {"lane_bytes", "lanes", "bytes", &P::lane_bytes, 32, 64, "width of every lane"},
    {"flit_bytes", "lanes", "bytes", &P::flit_bytes, 32, 64, "payload of one flit: 32 or 64"},

    {"shaper", "sm", "", choice<&P::shaper, kShaperNames, kShaperTexts>(), 0, 0, "form of the injection limit"},
    {"shaper_rate", "sm", "flits/cycle", &P::shaper_rate, 1, 64, "flits per cycle that an SM may send"},
    {"shaper_burst", "sm", "flits", &P::shaper_burst, 0, 64, "flits that a bucket saves up while idle"},
    {"port", "sm", "", choice<&P::port, kPortNames, kPortTexts>(), 0, 0, "whether an SM sends and receives at once"},
    {"injection_depth", "sm", "flits", &P::injection_depth, kMaxPacketFlits, 256, "waiting at an SM per channel, outward leg included"},
    {"delivery_depth", "sm", "flits", &P::delivery_depth, kMaxPacketFlits, 512, "whole packets not yet taken, per channel"},
    {"outward_leg", "sm", "cycles", &P::outward_leg, 0, 255, "from the memory pipe to the injection queue"},
    {"inward_leg", "sm", "cycles", &P::inward_leg, 0, 255, "from the egress block to the memory pipe"},
    {"sm_leg", "sm", "cycles", &P::sm_leg, 0, 255, "extra cycles on both legs of each SM, in slot order"},

    {"tpcarb_cycles", "route", "cycles", &P::tpcarb_cycles, 0, 64, "pipe length of TPCARB"},
    {"tpc_bypass", "route", "", &P::tpc_bypass, 0, 0, "SMs of one TPC short-circuit the planes"},
    {"gpcmmu_cycles", "route", "cycles", &P::gpcmmu_cycles, 0, 64, "pipe length of GPCMMU"},
    {"route_hash", "route", "", choice<&P::route_hash, kRouteHashNames, kRouteHashTexts>(), 0, 0, "how an address picks one of four routes"},
    {"hash_bytes", "route", "bytes", &P::hash_bytes, 32, 65536, "grain of the hash, a power of two"},
    {"port_bytes", "route", "bytes", &P::port_bytes, 32, 65536, "grain by which the split hash picks the input of a plane, a power of two"},
    {"hash_destination", "route", "", &P::hash_destination, 0, 0, "destination bits enter the hash"},
    {"hash_salt", "route", "", &P::hash_salt, 0, kMany, "picks one of the many hashes of a kind"},
    {"fixed_route", "route", "", &P::fixed_route, 0, 3, "the one route of the fixed hash"},
    {"response_route", "route", "", choice<&P::response_route, kResponseRouteNames, kResponseRouteTexts>(), 0, 0, "how responses are routed"},
    {"planes", "route", "", choice<&P::planes, kPlanesNames, kPlanesTexts>(), 0, 0, "which planes are on"},

    {"ingress_queueing", "ingress", "", choice<&P::ingress_queueing, kQueueingNames, kQueueingTexts>(), 0, 0, "order of leaving"},
    {"ingress_depth", "ingress", "flits", &P::ingress_depth, 1, 16, "buffer per SM and channel; per route too where separate"},
    {"ingress_multi_read", "ingress", "", &P::ingress_multi_read, 0, 0, "one input may feed several lanes in one clock"},
    {"ingress_speedup", "ingress", "", &P::ingress_speedup, 1, 16, "internal speed-up"},

    {"plane_queueing", "plane", "", choice<&P::plane_queueing, kQueueingNames, kQueueingTexts>(), 0, 0, "order of leaving"},
    {"plane_depth", "plane", "flits", &P::plane_depth, 1, 128, "buffer per input for requests; per output too where separate"},
    {"plane_response_depth", "plane", "flits", &P::plane_response_depth, 1, 128, "the same for responses"},
    {"plane_multi_read", "plane", "", &P::plane_multi_read, 0, 0, "one input may feed several outputs in one clock"},
    {"plane_allocator", "plane", "", choice<&P::plane_allocator, kAllocatorNames, kAllocatorTexts>(), 0, 0, "which input feeds which output, where an input feeds one"},
    {"plane_passes", "plane", "", &P::plane_passes, 1, 6, "passes of the matched allocator"},
    {"plane_speedup", "plane", "", &P::plane_speedup, 1, 16, "internal speed-up"},

    {"egress_queueing", "egress", "", choice<&P::egress_queueing, kQueueingNames, kQueueingTexts>(), 0, 0, "how a block buffers flits for its SMs"},
    {"egress_depth", "egress", "flits", &P::egress_depth, 1, 32, "buffer per block, plane and channel; per SM where separate"},
    {"egress_multi_read", "egress", "", &P::egress_multi_read, 0, 0, "one pool may feed several SMs in one clock"},
    {"egress_speedup", "egress", "", &P::egress_speedup, 1, 16, "internal speed-up"},

    {"read_command_flits", "packets", "flits", &P::read_command_flits, 1, 4, "size of a read command"},
    {"response_quantum", "packets", "bytes", &P::response_quantum, 64, 256, "payload of one read response: 64, 128 or 256"},
    {"response_header_flits", "packets", "flits", &P::response_header_flits, 0, 4, "per read response"},
    {"write_quantum", "packets", "bytes", &P::write_quantum, 64, 512, "payload of one write packet: 64, 128, 256 or 512"},
    {"short_write_header_flits", "packets", "flits", &P::short_write_header_flits, 0, 4, "per short write"},
    {"long_write_command_flits", "packets", "flits", &P::long_write_command_flits, 0, 4, "per bulk-copy command"},
    {"unaligned_write_flits", "packets", "flits", &P::unaligned_write_flits, 0, 4, "more per bulk-copy write that begins off a pair of flits"},
    {"ack_flits", "packets", "flits", &P::ack_flits, 1, 4, "size of an acknowledgment"},
    {"acks", "packets", "", choice<&P::acks, kAcksNames, kAcksTexts>(), 0, 0, "when writes are acknowledged"},
    {"ack_bytes", "packets", "bytes", &P::ack_bytes, 16, kMany, "written bytes that one acknowledgment covers"},
    {"ack_idle", "packets", "cycles", &P::ack_idle, 1, 1000, "without a write after which the rest is acknowledged"},

    {"smem_bytes_per_cycle", "smem", "bytes/cycle", &P::smem_bytes_per_cycle, 1, 1024, "service rate of arriving reads and writes"},
    {"smem_cycles", "smem", "cycles", &P::smem_cycles, 0, 255, "latency of a read in the destination"},

    {"atomic_cycles", "smem", "cycles", &P::atomic_cycles, 0, 255, "more of it for an atomic"},

    {"load_issue", "front", "bytes/cycle", &P::load_issue, 1, 4096, "that an SM asks for at most"},
    {"load_latency", "front", "cycles", &P::load_latency, 0, 100'000, "from the first load instruction to its command"},
    {"load_turnaround", "front", "cycles", &P::load_turnaround, 0, kMany, "from the last data of a batch to the next access of its warp"},
    {"load_window", "front", "bytes", &P::load_window, 512, kMany, "loads in flight per SM"},
    {"store_issue", "front", "bytes/cycle", &P::store_issue, 1, 4096, "that an SM's store path takes at most"},
    {"store_latency", "front", "cycles", &P::store_latency, 0, 100'000, "from the first store instruction to its write"},
    {"store_window", "front", "bytes", &P::store_window, 512, kMany, "stores not acknowledged per SM"},
    {"put_setup", "front", "cycles", &P::put_setup, 0, 100'000, "between two bulk-copy commands of one SM"},
    {"put_latency", "front", "cycles", &P::put_latency, 0, 100'000, "from a bulk-copy instruction to its first flit"},
    {"mixed_puts", "front", "cycles", &P::mixed_puts, 0, 100'000, "that puts begin later where there are other operations too"},
    {"put_issue", "front", "cycles", &P::put_issue, 0, 100'000, "from a bulk-copy instruction to the next of its thread that waits for it, such as a pause"},
    {"put_window", "front", "bytes", &P::put_window, 512, kMany, "puts not acknowledged per SM"},

    {"start_cycles", "costs", "cycles", &P::start_cycles, 0, kMany, "from the start stamp to the first instruction, two SMs"},
    {"start_cycles_per_sm", "costs", "cycles", &P::start_cycles_per_sm, 0, kMany, "more of it for each further SM"},
    {"start_jitter", "costs", "cycles", &P::start_jitter, 0, kMany, "SMs start up to so far apart, by the seed"},
    {"mbarrier_cycles", "costs", "cycles", &P::mbarrier_cycles, 0, kMany, "from the last byte's arrival to the waiting thread"},
    {"fence_cycles", "costs", "cycles", &P::fence_cycles, 0, kMany, "from the last acknowledgment to the thread behind the fence"},
});
// clang-format on

template <class... Lambdas>
struct Overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
Overloaded(Lambdas...) -> Overloaded<Lambdas...>;

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view rule) {
  throw Error(Fault::caller, fmt::format("{} = {}: {}.", name, value, rule));
}

void check_range(const P& values, const Parameter& p) {
  const auto number = [&](int v) {
    if (v < p.low || v > p.high)
      refuse(p.name, text_of(values, p), fmt::format("allowed is {} to {}", p.low, p.high));
  };
  std::visit(Overloaded{[&](int P::*m) { number(values.*m); }, [](bool P::*) {},
                        [&](Ratio P::*m) {
                          number((values.*m).numerator);
                          number((values.*m).denominator);
                        },
                        [&](std::array<int, kMaxSms> P::*m) { std::ranges::for_each(values.*m, number); },
                        [&](const Choice& c) {
                          if (c.get(values) >= c.names.size()) refuse(p.name, "?", "no such variant");
                        }},
             p.member);
}

int number(const Parameter& p, std::string_view whole, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    refuse(p.name, whole, "it must be a whole number");
  return value;
}

bool one_of(int value, std::initializer_list<int> allowed) { return std::ranges::count(allowed, value) != 0; }

void check_packets(const P& p) {
  const auto flits = [&](std::string_view name, int bytes, int header) {
    if (bytes % p.flit_bytes != 0) refuse(name, std::to_string(bytes), "it must be whole flits");
    if (bytes / p.flit_bytes + header > kMaxPacketFlits)
      refuse(name, std::to_string(bytes), fmt::format("a packet has at most {} flits", kMaxPacketFlits));
  };
  if (!one_of(p.response_quantum, {64, 128, 256}))
    refuse("response_quantum", std::to_string(p.response_quantum), "allowed are 64, 128 and 256");
  if (!one_of(p.write_quantum, {64, 128, 256, 512}))
    refuse("write_quantum", std::to_string(p.write_quantum), "allowed are 64, 128, 256 and 512");
  flits("response_quantum", p.response_quantum, p.response_header_flits);
  flits("write_quantum", p.write_quantum,
        std::max(p.short_write_header_flits, p.long_write_command_flits + p.unaligned_write_flits));
}

}  // namespace

std::span<const Parameter> parameters() { return kParameters; }

const Parameter* find_parameter(std::string_view name) {
  const auto* const it = std::ranges::find(kParameters, name, &Parameter::name);
  return it == kParameters.end() ? nullptr : it;
}

std::string text_of(const P& values, const Parameter& parameter) {
  return std::visit(
      Overloaded{
          [&](int P::*m) { return std::to_string(values.*m); },
          [&](bool P::*m) { return std::string(values.*m ? "true" : "false"); },
          [&](Ratio P::*m) { return fmt::format("{}/{}", (values.*m).numerator, (values.*m).denominator); },
          [&](std::array<int, kMaxSms> P::*m) { return fmt::format("{}", fmt::join(values.*m, " ")); },
          [&](const Choice& c) { return std::string(c.names[c.get(values)]); }},
      parameter.member);
}

void set(P& values, const Parameter& parameter, std::string_view text) {
  std::visit(Overloaded{[&](int P::*m) { values.*m = number(parameter, text, text); },
                        [&](bool P::*m) {
                          if (text != "true" && text != "false")
                            refuse(parameter.name, text, "allowed are true and false");
                          values.*m = text == "true";
                        },
                        [&](Ratio P::*m) {
                          const std::size_t slash = text.find('/');
                          const bool whole = slash == std::string_view::npos;
                          values.*m = {number(parameter, text, text.substr(0, slash)),
                                       whole ? 1 : number(parameter, text, text.substr(slash + 1))};
                        },
                        [&](std::array<int, kMaxSms> P::*m) {
                          std::string_view rest = text;
                          for (int& value : values.*m) {
                            const std::size_t space = std::min(rest.find(' '), rest.size());
                            value = number(parameter, text, rest.substr(0, space));
                            rest.remove_prefix(std::min(space + 1, rest.size()));
                          }
                          if (!rest.empty())
                            refuse(parameter.name, text, fmt::format("it has {} values", kMaxSms));
                        },
                        [&](const Choice& c) {
                          const auto it = std::ranges::find(c.names, text);
                          if (it == c.names.end())
                            refuse(parameter.name, text,
                                   fmt::format("allowed are {}", fmt::join(c.names, ", ")));
                          c.set(values, static_cast<std::size_t>(it - c.names.begin()));
                        }},
             parameter.member);
}

void validate(const P& p) {
  for (const Parameter& parameter : kParameters) check_range(p, parameter);
  if (!one_of(p.lane_bytes, {32, 64}))
    refuse("lane_bytes", std::to_string(p.lane_bytes), "allowed are 32 and 64");
  if (!one_of(p.flit_bytes, {32, 64}))
    refuse("flit_bytes", std::to_string(p.flit_bytes), "allowed are 32 and 64");
  if ((p.hash_bytes & (p.hash_bytes - 1)) != 0)
    refuse("hash_bytes", std::to_string(p.hash_bytes), "it must be a power of two");
  if ((p.port_bytes & (p.port_bytes - 1)) != 0 || p.port_bytes < p.hash_bytes)
    refuse("port_bytes", std::to_string(p.port_bytes), "it must be a power of two, and hash_bytes or more");
  if (p.shaper_rate.numerator > p.shaper_rate.denominator)
    refuse("shaper_rate", fmt::format("{}/{}", p.shaper_rate.numerator, p.shaper_rate.denominator),
           "an SM cannot send more than one flit per cycle");
  check_packets(p);
}

}  // namespace plumb::fabric
