// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "claims/claims.h"
#include "report/html/block.h"

namespace plumb::report::html {

/// The parts of a page on one card, in their order. Each tells what the recording has and names the command
/// that measures what it has not.
[[nodiscard]] Section minute_section(const Card& card, const Lookup& found);
[[nodiscard]] Section floor_section(const Card& card, const Lookup& found);
[[nodiscard]] Section dsm_section(const Card& card, const Lookup& found);
[[nodiscard]] Section copy_section(const Card& card, const Lookup& found);
[[nodiscard]] Section mma_section(const Card& card, const Lookup& found);
/// What models say of the same cases: closed forms, and the simulated runs among `others`.
[[nodiscard]] Section model_section(const Card& card, const Lookup& found, std::span<const Card> others);
/// Every claim of the board, judged by the findings of the cards.
[[nodiscard]] Section claims_section(std::span<const Card> cards, const claims::Board& board);
/// What `plumb explain --json` printed; none where it is something else.
[[nodiscard]] Section hypotheses_section(const Json& explained);
/// Findings of experiments that no chart shows, as tables.
[[nodiscard]] Section rest_section(const Card& card, const Lookup& found);

/// Block of copy_section: fill rates and L2 traffic where a cluster wants the same tile.
void add_multicast(const Card& card, const Lookup& found, Json& blocks);

/// Blocks of dsm_section.
void add_dsm_rates(const Card& card, const Lookup& found, Json& blocks);
void add_dsm_clusters(const Card& card, const Lookup& found, Json& blocks);
void add_dsm_latency(const Card& card, const Lookup& found, Json& blocks);
/// SM to SM, part by part, with the measured rate of each.
void add_path(const Lookup& found, Json& blocks);

/// An SM's lane to the others carries 32 bytes a cycle, and an SM may send in two cycles of three.
inline constexpr double kLane = 32.0;
inline constexpr double kSending = kLane * 2 / 3;

}  // namespace plumb::report::html
