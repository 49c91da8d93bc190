// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace plumb {

/// Where the samples of a recording come from: enough to judge them years later on another machine.
struct Provenance {
  std::string backend;       ///< "cuda" or "sim"
  std::string tool_version;  ///< "0.1.0"
  std::string tool_commit;   ///< abbreviated commit; empty where the build did not know it
  std::string command_line;
  std::string date;           ///< ISO 8601, UTC
  std::uint64_t seed = 0;     ///< of the order of the cases and of the payload
  std::string gpu_name;       ///< "NVIDIA H200", or the name of the machine file
  std::string gpu_uuid_hash;  ///< tells two cards apart without naming either
  std::string compute_capability;
  int sm_count = 0;
  std::string driver_version;
  std::string cuda_version;
  std::map<std::string, double, std::less<>> clocks_mhz;  ///< at the start: "sm", "memory", "sm_max"
  std::string ecc;                                        ///< "on", "off", "unknown"

  bool operator==(const Provenance&) const = default;
};

}  // namespace plumb
