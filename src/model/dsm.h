// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/core/traffic.h"

namespace plumb::model {

/// A predicted number and the interval in which a measurement is expected.
struct Expected {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;

  bool operator==(const Expected&) const = default;
};

/// What the closed forms take from a card. docs/models.md says where each is from and how well it is known.
struct DsmParameters {
  double lanes = 4;                     ///< that leave a CPC
  double lane_bytes = 32;               ///< per SM cycle; also what a flit carries
  double clients = 6;                   ///< SMs that a CPC is built for
  double block_lanes = 2;               ///< into an egress block
  double response_bytes = 128;          ///< of reads: what one command asks for
  Expected ack_bytes{704, 640, 768};    ///< of writes: what one acknowledgment stands for
  Expected command_cycles{93, 90, 97};  ///< from one bulk copy of a thread to the next
  Expected round_trip{242, 236, 248};   ///< cycles of a batch of loads beside its bytes
  double repeat = 0.005;                ///< part of a rate: two runs, or two cards, differ by that much
};

/// B/cycle that an SM may send: an equal share of the lanes of its CPC, whether its neighbours use theirs or
/// not. 4 lanes x 32 B / 6 SMs = 21.333.
[[nodiscard]] double lane_share(const DsmParameters& p = {});

/// SM cycles that `bytes` of read data cost the SM which serves them. `both_ways`: it reads as much itself,
/// and sends a command flit for each response. 128 bytes: 6 and 7.5.
[[nodiscard]] double read_cycles(double bytes, bool both_ways, const DsmParameters& p = {});

/// B/cycle and direction of two SMs that read each other, in responses of so many bytes: one command flit
/// goes with each response the other way. 64 bytes 14.22, 128 bytes 17.07, 256 bytes 18.96.
[[nodiscard]] double duplex_read_rate(double response_bytes, const DsmParameters& p = {});

/// B/cycle and direction of two SMs that write to each other: of what an SM sends, one flit for so many bytes
/// received acknowledges them.
[[nodiscard]] Expected duplex_write_rate(const DsmParameters& p = {});

/// B/cycle into one SM from `sources` others that send only there: their shares, or one lane.
[[nodiscard]] double incast_rate(int sources, const DsmParameters& p = {});

/// B/cycle into `destinations` (1 to 3) of one egress block that are all sent more than they can take. Plain
/// queues in front of the block are the least, its lanes the most; in between nothing is more likely.
[[nodiscard]] Expected egress_rate(int destinations, const DsmParameters& p = {});

/// B/cycle and SM that `active` SMs of one CPC send to as many others: the least is plain queues in front of
/// the lanes, the most each SM's share. `flits` of wire for 32 bytes of payload: 1 + 32/ack_bytes for puts
/// and stores in a ring, 1.25 for loads.
[[nodiscard]] Expected ring_rate(int active, double flits, const DsmParameters& p = {});

/// B/cycle of loads with `warps` x `in_flight` accesses of 512 bytes: a batch goes round in the round trip
/// and the time of its bytes. At most the lane share.
[[nodiscard]] Expected in_flight_rate(int warps, int in_flight, const DsmParameters& p = {});

/// B/cycle of bulk copies of `command` bytes, all from one thread. At most the lane share.
[[nodiscard]] Expected command_rate(double command, const DsmParameters& p = {});

/// SM cycles of a flow beside its payload's: start, way, completion. `ranks` of the cluster; `both_ways`: the
/// SM that waits for a load serves one as well, and what it serves first counts as payload.
[[nodiscard]] Expected start_cycles(Op op, int ranks, bool both_ways);

/// What one GPC reaches through L2, B per SM cycle, and what a flag in L2 costs.
struct L2Parameters {
  double write = 31.2;     ///< of one SM alone
  double write_gpc = 426;  ///< of 16 SMs of a GPC together
  double read = 101;
  double read_gpc = 592;
  Expected flag{1043, 929, 1192};  ///< release, and an acquire that sees it, cycles
  double latency = 295;            ///< of a read
  double spread = 0.1;             ///< part of the rates: nobody measured these steps in a row
};

/// The same exchange through L2: write, flag, read; SM cycles of each, one after the other.
struct L2Exchange {
  double write = 0.0;
  double read = 0.0;
  Expected total;
};
[[nodiscard]] L2Exchange through_l2(const Traffic& traffic, const L2Parameters& p = {});

}  // namespace plumb::model
