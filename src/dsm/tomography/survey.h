// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsm/tomography/levels.h"
#include "dsm/tomography/partition.h"
#include "dsm/tomography/trial.h"

namespace plumb::dsm::tomo {

/// The answer is given where its probability is at least this.
inline constexpr double kSure = 0.999;
/// A survey that has not found its answer after so many tests gives up.
inline constexpr std::size_t kMostTests = 400;

/// A doubt about CPCs that had been guessed otherwise.
inline constexpr std::string_view kOtherCpcs =
    "it differs from the CPCs by which the tests on blocks were chosen";

/// What the tests say of one way to group ranks.
struct Grouping {
  std::optional<Levels> levels;    ///< none: the tests do not show two levels
  PartitionPosterior posterior;    ///< of ranks (blocks), of blocks (CPCs)
  std::vector<Mask> groups;        ///< of ranks, those of the likeliest partition
  std::size_t probes = 0;          ///< readings that count
  std::size_t contradictions = 0;  ///< of those, the ones that the likeliest partition does not explain
  std::string doubt;               ///< why the groups are not the answer; empty: they are
  bool sound = false;              ///< a group whose own probability suffices may be believed despite a doubt
};

struct Answer {
  Grouping blocks;
  Grouping cpcs;  ///< says nothing while the blocks are in doubt
};

/// Finds out which ranks share an egress block and which a CPC, from tests alone; rank numbers mean nothing.
///
///  1. Screens and pairs find a few pairs of destinations that certainly collide. They only decide what is
///     asked next, never the answer.
///  2. A probe beside two sources that go to the other destination of such a pair is slow where all three
///     sources share a CPC.
///  3. With one source from each CPC filling a destination, a probe is slow where its own destination is
///     behind the same block, whatever CPC it comes from.
///
/// Blocks follow from 3 by the exact posterior over all partitions into groups of three at most, CPCs from 2
/// by that over all ways to pair the blocks up into three CPCs at most.
class Survey {
 public:
  Survey(int ranks, std::vector<Outcome> outcomes);

  /// The tests to run next; none when the answer is there or cannot be had.
  [[nodiscard]] std::vector<Trial> next() const;
  [[nodiscard]] Answer answer() const;

 private:
  struct Pair {
    int a, b;
  };
  struct Tried {
    std::size_t times = 0;
    double log_odds = 0.0;  ///< that both share a CPC
  };
  [[nodiscard]] std::vector<const Outcome*> of_kind(Kind kind) const;
  [[nodiscard]] double free_rate() const;
  [[nodiscard]] std::vector<Pair> colliding_pairs() const;
  [[nodiscard]] std::vector<Trial> next_pairs() const;
  [[nodiscard]] std::vector<Trial> next_sources(const std::vector<Pair>& pairs) const;
  [[nodiscard]] std::map<std::pair<int, int>, Tried> tried() const;
  [[nodiscard]] std::vector<Mask> cpc_guess(const std::vector<Pair>& pairs) const;
  [[nodiscard]] Grouping blocks(const std::vector<Mask>& cpcs) const;
  [[nodiscard]] Grouping cpcs(const std::vector<Mask>& blocks, const std::vector<Mask>& guess) const;
  [[nodiscard]] std::vector<Trial> next_blocks(const Grouping& so_far, const std::vector<Mask>& cpcs) const;
  [[nodiscard]] std::vector<Trial> next_cpcs(const Grouping& so_far, const std::vector<Mask>& blocks) const;

  int ranks_;
  std::vector<Outcome> outcomes_;
};

}  // namespace plumb::dsm::tomo
