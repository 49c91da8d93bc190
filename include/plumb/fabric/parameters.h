// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "plumb/fabric/variants.h"

namespace plumb::fabric {

inline constexpr int kMaxSms = 18;  ///< of one GPC: 3 CPCs x 3 TPCs x 2 SMs

/// An exact rate: the engine decides with integers alone, so that every compiler gives the same run.
struct Ratio {
  int numerator = 1;
  int denominator = 1;

  bool operator==(const Ratio&) const = default;
};

/// Every number of the model. The defaults describe one GPC of an H200 (SM clock 1.98 GHz, driver 580).
///
/// Evidence of a default: [measured] on H200 cards, [patent] or public documentation, [inferred] from
/// measurements through this model, [unresolved] a plausible value that no measurement has decided.
/// One cycle is one SM clock unless said otherwise.
struct Parameters {  // NOLINT(clang-analyzer-optin.performance.Padding): ordered for the reader
  // Clocks
  int clock_mhz = 1980;    ///< SM clock, MHz [measured]; turns cycles into nanoseconds
  int timer_tick_ns = 32;  ///< step of %globaltimer, ns [measured]
  Ratio clock_ratio = {1,
                       1};  ///< fabric clocks per SM clock [measured: rates per SM cycle do not move with it]

  // Lanes and flits
  int lane_bytes = 32;  ///< width of every lane, bytes per fabric clock [measured: incast 32.0 to 32.6]
  int flit_bytes = 32;  ///< payload of one flit, bytes: 32 or 64 [inferred: one full lane width]

  // SM endpoint
  Shaper shaper = Shaper::hard;  ///< form of the injection limit [unresolved between hard, tdm, small bucket]
  Ratio shaper_rate = {2, 3};  ///< flits per cycle of an SM, both channels together [measured: 21.4 B/cycle]
  int shaper_burst = 0;        ///< flits that a bucket saves up while idle [unresolved]
  Port port = Port::full_duplex;  ///< [measured: two-way puts 20.6 each]
  int injection_depth = 208;      ///< flits waiting at an SM per channel, its outward leg included [inferred:
                                  ///< reads beside puts of their own SM get 15.3 B/cycle, dsm/mixed]
  int delivery_depth =
      256;  ///< flits of whole packets that an SM has not taken yet, per channel [unresolved]
  int outward_leg =
      34;  ///< cycles from the SM's memory pipe to its injection queue [inferred: see inward_leg]
  int inward_leg = 34;  ///< cycles from the egress block to the SM's memory pipe [inferred: with the legs and
                        ///< stages the nearest pair takes 180 cycles for a load, dsm/latency]
  std::array<int, kMaxSms> sm_leg = {};  ///< extra cycles on both legs, per SM in slot order [measured, and
                                         ///< different in each GPC: dsm/latency, five cycles a TPC]

  // TPCARB and GPCMMU
  int tpcarb_cycles = 2;    ///< pipe length of TPCARB, cycles [unresolved]
  bool tpc_bypass = false;  ///< SMs of one TPC short-circuit the planes [measured: no pair is faster]
  int gpcmmu_cycles = 6;  ///< pipe length of GPCMMU, cycles, requests and folded responses alike [unresolved]
  RouteHash route_hash = RouteHash::split;  ///< [inferred: three flows of a CPC fill a block to 99.9 %, which
                                            ///< takes neighbouring grains on different planes; six that begin
                                            ///< together lose some 300 cycles until they are apart]
  int hash_bytes = 64;    ///< grain of the hash, bytes [inferred: as above, with port_bytes]
  int port_bytes = 1024;  ///< grain by which the split hash picks the input of a plane, bytes [inferred]
  bool hash_destination = false;  ///< destination bits enter the hash [inferred: as the start of six flows]
  int hash_salt = 0;              ///< picks one of the many hashes of a kind [unresolved]
  int fixed_route = 0;            ///< 0 to 3, for the fixed hash
  ResponseRoute response_route = ResponseRoute::hash;  ///< [unresolved]
  Planes planes = Planes::both;                        ///< [patent]

  // GPCARB ingress: six inputs onto four lanes per CPC
  Queueing ingress_queueing = Queueing::shared;  ///< [inferred: any flit may leave]
  int ingress_depth = 10;  ///< flits per SM and channel, per route too where separate [inferred: six flows of
                           ///< a CPC to four blocks 20.8 B/cycle]
  bool ingress_multi_read = false;  ///< one input may feed several lanes in one clock [unresolved]
  Ratio ingress_speedup = {1, 1};   ///< [inferred: 5/4 removes the measured loss of the ring of 16]

  // GX0 and GX1: 6 x 6 switches
  Queueing plane_queueing = Queueing::shared;  ///< [inferred: a flow to an idle block is held up by others of
                                               ///< its CPC that wait]
  int plane_depth = 96;  ///< flits per input for requests, per output too where separate [inferred: 10 to 17
                         ///< KiB of a CPC's flits fit in before those that wait hold up the others]
  int plane_response_depth = 32;  ///< the same for responses [inferred: load rings]
  bool plane_multi_read = false;  ///< one input may feed several outputs in one clock [inferred: six flows to
                                  ///< three blocks, one of them full, lose 12 % and to two blocks 3 %]
  Allocator plane_allocator = Allocator::matched;  ///< which input feeds which output [inferred: as above]
  int plane_passes = 2;          ///< of the matched allocator [inferred: as above; one and three miss more]
  Ratio plane_speedup = {1, 1};  ///< [inferred]

  // GPCARB egress: two blocks per CPC, one lane from each plane, three SMs each
  Queueing egress_queueing =
      Queueing::shared;   ///< [inferred: FIFO and separate queues miss the pairs of one block]
  int egress_depth = 16;  ///< flits per block, plane and channel (per SM too where separate) [unresolved]
  bool egress_multi_read = true;  ///< one pool may feed several SMs in one clock [unresolved]
  Ratio egress_speedup = {1, 1};  ///< [inferred]

  // Packets
  int read_command_flits = 1;        ///< [inferred: two-way loads 17.4 = 21.3 x 4/5]
  int response_quantum = 128;        ///< bytes of one read response: 64, 128 or 256 [inferred: as above]
  int response_header_flits = 0;     ///< per read response [inferred: one-way loads 22.0]
  int write_quantum = 128;           ///< bytes of one write packet, short or long [inferred]
  int short_write_header_flits = 0;  ///< per short write [inferred: one-way stores 21.4]
  int long_write_command_flits = 1;  ///< once per bulk-copy command [inferred: at most a few per 16 KiB]
  int unaligned_write_flits = 1;     ///< more per bulk-copy write that begins off a pair of flits
                                     ///< [measured: dsm/offset, 17.1 B/cycle off 64 bytes, else 21.3]
  int ack_flits = 1;                 ///< [inferred]
  Acks acks = Acks::coalesced;       ///< [inferred: two-way stores 20.4]
  int ack_bytes = 688;  ///< written bytes that one acknowledgment covers [inferred: two-way puts 20.38,
                        ///< and 20.84 where half as much comes in]
  int ack_idle = 32;    ///< cycles without a write after which the rest is acknowledged [unresolved]

  // Shared memory of the destination
  int smem_bytes_per_cycle = 128;  ///< service rate of arriving reads and writes [patent: 32 banks x 4 bytes]
  int smem_cycles = 20;            ///< latency of a read in the destination [inferred: see inward_leg]
  int atomic_cycles = 11;  ///< more of it for an atomic [measured: dsm/latency, 208 against 197 cycles]

  // Front ends
  Ratio load_issue = {128, 1};  ///< bytes per cycle that an SM asks for at most [unresolved: not reached; 15
                                ///< readers' worth of loads onto one SM fill its whole lane, dsm/incast]
  int load_latency = 40;     ///< cycles from the first load instruction to its command [measured: dsm/burst]
  int load_turnaround = 37;  ///< cycles from the last data of a warp's batch to its next access [measured: 2
                             ///< and 4 KiB in flight make a round trip of 267 cycles, dsm/pair 4x1 and 8x1]
  int load_window = 32768;   ///< bytes of loads in flight per SM [unresolved: not reached]
  Ratio store_issue = {
      128, 1};  ///< bytes per cycle that an SM's store path takes at most [unresolved: not reached]
  int store_latency = 25;    ///< cycles from the first store instruction to its write [measured: dsm/burst]
  int store_window = 16384;  ///< bytes of stores not acknowledged per SM [unresolved]
  int put_setup = 93;        ///< cycles between two bulk-copy commands of one SM [measured: dsm/burst trains]
  int put_latency = 5;   ///< cycles from a bulk-copy instruction to its first flit, less those by which one
                         ///< thread is ready sooner than eight warps [measured intercept of dsm/pair puts]
  int put_issue = 270;   ///< cycles from a bulk-copy instruction to the next of its thread that waits for it
                         ///< [measured: dsm/burst, pauses of 500 to 4000 cycles take 275 more]
  int mixed_puts = 150;  ///< cycles that puts begin later where the plan has other operations too [measured:
                         ///< dsm/mixed, puts beside loads of either SM]
  int put_window = 32768;  ///< bytes of puts not acknowledged per SM [unresolved]

  // Fixed costs around the payload
  int start_cycles = 150;  ///< from the start stamp to the first instruction, two SMs [measured intercepts
                           ///< of dsm/pair, 278 to 476 cycles with the rest]
  int start_cycles_per_sm = 0;  ///< more of it for each further SM [measured: dsm/all-pairs, one flow in a
                                ///< cluster of 16 begins as soon as in one of two]
  int start_jitter = 32;        ///< SMs start up to so many cycles apart, by the seed [unresolved]
  int mbarrier_cycles = 40;     ///< from the last byte's arrival to the waiting thread [unresolved]
  int fence_cycles = 134;       ///< from the last acknowledgment to the thread behind the fence [measured
                                ///< intercept of dsm/pair stores]

  bool operator==(const Parameters&) const = default;
};

/// A parameter with a fixed set of named values.
struct Choice {
  std::span<const std::string_view> names;
  std::span<const std::string_view> texts;  ///< what each value claims about the hardware
  std::size_t (*get)(const Parameters&);
  void (*set)(Parameters&, std::size_t);
};

/// Where a parameter lives; the type of the member is the type that a file has to give.
using Member = std::variant<int Parameters::*, bool Parameters::*, Ratio Parameters::*,
                            std::array<int, kMaxSms> Parameters::*, Choice>;

/// One entry of the list that the machine-file reader, the documentation and calibration walk.
struct Parameter {
  std::string_view name;   ///< the key in a machine file, also the name of the member
  std::string_view group;  ///< heading: "clock", "lanes", "sm", "route", "ingress", "plane", "egress",
                           ///< "packets", "smem", "front", "costs"
  std::string_view unit;   ///< "cycles", "flits", "bytes", "MHz", ...; empty where there is none
  Member member;
  int low = 0;   ///< least allowed value, of a ratio the least numerator and denominator
  int high = 0;  ///< greatest allowed value; both are 0 for switches and choices
  std::string_view text;
};

/// All parameters, in the order of the way of a flit.
[[nodiscard]] std::span<const Parameter> parameters();
/// The entry of that name; null where there is none.
[[nodiscard]] const Parameter* find_parameter(std::string_view name);

/// "2/3", "true", "hard", "128": the value as a person reads it.
[[nodiscard]] std::string text_of(const Parameters& values, const Parameter& parameter);

/// The way back: sets the member from such a text. Throws Error (caller) that names parameter, value and what
/// is allowed; ranges are left to validate().
void set(Parameters& values, const Parameter& parameter, std::string_view text);

/// Throws Error (caller) that begins with the name of the offending parameter, its value and what is
/// allowed. Covers the single ranges and the rules between parameters.
void validate(const Parameters& values);

}  // namespace plumb::fabric
