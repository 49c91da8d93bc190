// SPDX-License-Identifier: Apache-2.0
#include "copy/ways.h"

#include <fmt/format.h>

namespace plumb::copy {
namespace {

constexpr std::int64_t kManyStages = std::int64_t{96} * 1024;  // what fewer cannot have on their way

}  // namespace

std::vector<std::pair<std::string, Copy>> ways(CopyPath path, Memory from, std::int64_t bytes) {
  std::vector<std::pair<std::string, Copy>> out;
  if (path == CopyPath::ldgsts) {
    for (const int ctas : {1, 2, 4})
      for (const int stages : {1, 2, 4, 8, 12}) {
        if (stages > 4 && (ctas > 1 || bytes < kManyStages)) continue;
        const std::int64_t threads = bytes / 16 / ctas / stages;
        if (threads * 16 * ctas * stages != bytes || threads % 32 != 0 || (stages == 4 && ctas == 2))
          continue;
        if (threads < 32 || threads > 1024 || ctas * threads > 1024) continue;
        out.emplace_back(
            fmt::format("{}x{}x{}", ctas, threads, stages),
            Copy{.from = from, .threads = static_cast<int>(threads), .stages = stages, .ctas = ctas});
      }
    return out;
  }
  for (const auto& [warps, stages] : {std::pair{1, 1}, {1, 4}, {2, 1}, {4, 1}, {4, 2}, {8, 1}, {16, 1}}) {
    const std::int64_t tile = bytes / warps / stages;
    if (tile * warps * stages != bytes || tile % 512 != 0) continue;
    const std::int64_t rows = tile / 512;  // 128 elements of 4 bytes
    if (rows > kMostBox) continue;
    out.emplace_back(fmt::format("{}x{}", warps, stages), Copy{.path = CopyPath::tma,
                                                               .from = from,
                                                               .threads = 32 * warps,
                                                               .stages = stages,
                                                               .box = {128, static_cast<int>(rows)}});
  }
  return out;
}

}  // namespace plumb::copy
