// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// One quantity of a case, as measured: `rows[participant][sample]`. The participant is a flow for the
/// clock columns and a rank for the placement and checksum columns.
using Column = std::vector<std::vector<std::int64_t>>;

/// Raw columns by name. Nothing in here is averaged or derived.
using Samples = std::map<std::string, Column, std::less<>>;

/// Names of the columns that a case returns on every backend. Where several clusters work side by side, the
/// rows of the first come first, then those of the second, and so on.
namespace column {
inline constexpr std::string_view start_cycles = "start_cycles";  ///< per flow, observer's clock64
inline constexpr std::string_view stop_cycles = "stop_cycles";    ///< per flow, observer's clock64
inline constexpr std::string_view start_ns = "start_ns";          ///< per flow, observer's %globaltimer
inline constexpr std::string_view stop_ns = "stop_ns";            ///< per flow, observer's %globaltimer
inline constexpr std::string_view smid = "smid";                  ///< per rank, %smid
inline constexpr std::string_view bad_bytes = "bad_bytes";        ///< per flow, payload bytes that were wrong
inline constexpr std::string_view read_bytes = "read_bytes";      ///< per background, bytes read in between
inline constexpr std::string_view sms = "sms";            ///< of a grid: SMs that had the CTAs they should
inline constexpr std::string_view event_ns = "event_ns";  ///< per launch, between CUDA events around it
inline constexpr std::string_view round_ns =
    "round_ns";  ///< per launch, of all its rounds by the grid's clocks
inline constexpr std::string_view sectors = "sectors";      ///< per launch, what hardware counters counted
inline constexpr std::string_view given_bps = "given_Bps";  ///< of others: a rate of the whole chip, bytes/s
inline constexpr std::string_view given_ps =
    "given_ps";  ///< of others: a latency, and where known least and most
inline constexpr std::string_view wave_cycles =
    "wave_cycles";                                            ///< per CTA, clock64 from its start to its stop
inline constexpr std::string_view cycles = "cycles";          ///< a duration on the clock of one SM
inline constexpr std::string_view arrived_ns = "arrived_ns";  ///< per CTA, since the first one arrived
inline constexpr std::string_view fitting = "fitting";        ///< clusters that the driver says fit at once
}  // namespace column

}  // namespace plumb
