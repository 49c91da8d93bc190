// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace plumb::config {

/// What a TOML file says of a published sheet: of which card it is, and what its columns mean.
///
///   path = "ldgsts"            # or bulk, tma
///   from = "dram"              # or l2
///   gpu = "NVIDIA B200"
///   sms = 148
///   clock_MHz = 1965           # where latencies are in cycles
///   source = "who, where"
///   [columns]
///   threads = "ThreadsPerBlock"
///   rate_Bps = "DRAMBandwidthBps"
struct SheetFile {
  std::string path = "ldgsts";
  std::string from = "dram";
  std::string gpu;
  std::string source;
  int sms = 0;
  int clock_mhz = 0;
  std::map<std::string, std::string, std::less<>> columns;  ///< by meaning
};

/// Throws Error (caller) with the place of whatever is wrong.
[[nodiscard]] SheetFile read_sheet_file(const std::filesystem::path& path);

}  // namespace plumb::config
