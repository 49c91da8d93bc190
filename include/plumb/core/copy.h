// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/core/swizzle.h"
#include "plumb/core/traffic.h"

namespace plumb {

/// The instruction that fills shared memory from global memory.
enum class CopyPath : std::uint8_t {
  ldgsts,  ///< `cp.async`, every thread its own 4, 8 or 16 bytes; waited for with `cp.async.wait_group`
  bulk,    ///< `cp.async.bulk` of one contiguous tile, one thread of each warp; waited for at an mbarrier
  tma,     ///< `cp.async.bulk.tensor` of a box of a 2D or 3D tensor map, likewise
};

/// How much more than it was asked for a tensor map lets the L2 fetch (CUtensorMapL2promotion).
enum class Promotion : std::uint8_t { none, b64, b128, b256 };

/// Who reads the same tile at the same time.
enum class Sharing : std::uint8_t {
  none,       ///< every CTA has tiles of its own
  implicit,   ///< all CTAs of a cluster read the same tiles, each on its own
  multicast,  ///< one CTA of the cluster, in turn, reads a tile for all (`.multicast::cluster`)
  across,     ///< as many CTAs as a cluster has read the same tiles, each in another cluster
};

/// Where the tiles lie that are read one after the other.
enum class Layout : std::uint8_t {
  dense,  ///< side by side, all CTAs together walking through memory
  paged,  ///< each far from the one before, as the pages of a key-value cache do
};

/// The rows of the column `sectors`, of 32 bytes each; -1 where the counter was refused or the chip has none.
enum class Sectors : std::uint8_t {
  filled,     ///< that came into shared memory: not counted, known
  l2,         ///< read from the L2 by SMs (lts__t_sectors_srcunit_tex)
  coalescer,  ///< from the L2 into the request coalescer (lrc__lts2lrc_sectors_op_read)
  gpc,        ///< from the crossbar into GPCs (lrc__xbar2gpc_sectors_op_read)
  multicast,  ///< into SMs by multicast
              ///< (l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld_dest_multicast)
  dram,       ///< read from DRAM (dram__sectors_read)
};
inline constexpr std::size_t kSectorRows = 6;

[[nodiscard]] std::string_view name_of(CopyPath path) noexcept;
[[nodiscard]] std::string_view name_of(Promotion promotion) noexcept;
[[nodiscard]] std::string_view name_of(Sharing sharing) noexcept;
[[nodiscard]] std::string_view name_of(Layout layout) noexcept;
/// Each throws Error (caller) that lists the allowed names.
[[nodiscard]] CopyPath copy_path_from(std::string_view name);
[[nodiscard]] Promotion promotion_from(std::string_view name);
[[nodiscard]] Sharing sharing_from(std::string_view name);
[[nodiscard]] Layout layout_from(std::string_view name);

/// What one sample does: every CTA fills tiles of shared memory from global memory, `stages` of them on their
/// way at once for each thread (ldgsts) or warp (bulk, tma), until `bytes` have come. A new fill starts as
/// soon as the oldest is complete. Where `bytes` are no more than what is on its way at once, the sample is
/// one wave, and its time a latency.
///
/// A backend returns: start_ns and stop_ns with two rows, those of the first CTA and those of the whole grid
/// (first start, last stop); start_cycles and stop_cycles of the first CTA; bad_bytes, one row; sms, how many
/// SMs had exactly `ctas` CTAs; and of a sample that is one wave, wave_cycles with a row for each CTA. With
/// one value for each launch: event_ns, by CUDA events, and round_ns, the sum of the grid's times of all
/// rounds of that launch, untimed ones too. Of a copy by clusters, also sectors: what hardware counters say
/// of one more launch, in the rows of `Sectors`.
struct Copy {
  CopyPath path = CopyPath::ldgsts;
  Memory from = Memory::dram;     ///< dram: each byte read for the first time in a long while; l2: resident
  Layout layout = Layout::dense;  ///< of the tiles
  int width = 16;                 ///< ldgsts: bytes of one thread's access; 16 otherwise
  int threads = 128;              ///< ldgsts: that copy; bulk, tma: 32 for each warp that issues
  int stages = 1;                 ///< fills on their way at once
  int ctas = 1;                   ///< on each SM
  bool in_step = false;           ///< ldgsts: all threads meet at a barrier after every fourth fill
  std::vector<int> box = {};      ///< bulk, tma: extent of a tile in elements of 4 bytes, innermost first
  Swizzle swizzle = Swizzle::none;
  Promotion promotion = Promotion::none;
  int cluster = 1;  ///< CTAs
  Sharing sharing = Sharing::none;
  std::int64_t bytes = 0;  ///< into the shared memory of one CTA; a multiple of what is on its way at once

  bool operator==(const Copy&) const = default;
};

inline constexpr int kMostCopyWarps = 16;  ///< that issue bulk copies or boxes
inline constexpr int kMostCopyStages = 16;
inline constexpr int kMostFills = 64;  ///< bulk copies or boxes of one CTA that are on their way at once
inline constexpr int kMostCopyThreads = 1024;
inline constexpr int kMostBox = 256;  ///< elements along one side of a box (CUDA driver API)
inline constexpr int kElementBytes = 4;
/// Shared memory for the tiles of one CTA on Hopper and on datacentre Blackwell: 227 KiB less what the
/// kernels keep beside them.
inline constexpr std::int64_t kMostCopyShared = std::int64_t{225} * 1024;

/// Bytes of one fill: of all threads of a CTA (ldgsts), or of one warp.
[[nodiscard]] std::int64_t tile_bytes(const Copy& c) noexcept;
/// Bytes on their way to one CTA at once: also the shared memory that it needs.
[[nodiscard]] std::int64_t flight_bytes(const Copy& c) noexcept;
/// Likewise to one SM.
[[nodiscard]] inline std::int64_t sm_flight_bytes(const Copy& c) noexcept { return c.ctas * flight_bytes(c); }
/// Whether a sample is one wave.
[[nodiscard]] inline bool is_wave(const Copy& c) noexcept { return c.bytes <= flight_bytes(c); }
/// Bytes for the tiles of each CTA where `ctas` are on an SM.
[[nodiscard]] std::int64_t shared_for(int ctas, std::int64_t most_shared = kMostCopyShared) noexcept;
/// "128x32": the box.
[[nodiscard]] std::string box_text(const Copy& c);

/// Throws Error (caller) that names the field, its value and what is allowed. `most_shared` is the dynamic
/// shared memory of one CTA on the machine, in bytes.
void validate(const Copy& c, std::int64_t most_shared);
void validate(const Copy& c);

}  // namespace plumb
