// SPDX-License-Identifier: Apache-2.0
#include "plumb/fabric/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plumb/core/error.h"

namespace plumb::fabric {
namespace {

std::string text_of(const Slot& s) { return fmt::format("CPC {} TPC {} SM {}", s.cpc, s.tpc, s.sm); }

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(Fault::caller, "impossible GPC: " + reason);
}

void check_slot(const Slot& s) {
  const bool exists =
      s.cpc >= 0 && s.cpc < kCpcs && s.tpc >= 0 && s.tpc < kTpcsPerCpc && s.sm >= 0 && s.sm < kSmsPerTpc;
  if (!exists) {
    refuse(fmt::format("there is no {}; a GPC has {} CPCs of {} TPCs of {} SMs, counted from 0.", text_of(s),
                       kCpcs, kTpcsPerCpc, kSmsPerTpc));
  }
}

/// Slots that are not fused off, TPC by TPC across the CPCs: the first TPC that each CPC still has, then
/// the second, so that a small cluster spreads over all CPCs.
std::vector<Slot> deal(const std::vector<Slot>& fused_off) {
  std::array<std::vector<std::vector<Slot>>, kCpcs> tpcs;
  for (int cpc = 0; cpc < kCpcs; ++cpc) {
    for (int tpc = 0; tpc < kTpcsPerCpc; ++tpc) {
      std::vector<Slot> sms;
      for (int sm = 0; sm < kSmsPerTpc; ++sm) {
        const Slot s{.cpc = cpc, .tpc = tpc, .sm = sm};
        if (std::ranges::count(fused_off, s) == 0) sms.push_back(s);
      }
      if (!sms.empty()) tpcs.at(static_cast<std::size_t>(cpc)).push_back(sms);
    }
  }
  std::vector<Slot> dealt;
  for (std::size_t round = 0; round < kTpcsPerCpc; ++round) {
    for (const auto& cpc : tpcs) {
      if (round < cpc.size()) dealt.insert(dealt.end(), cpc[round].begin(), cpc[round].end());
    }
  }
  return dealt;
}

std::vector<Slot> first_ranks(const std::vector<Slot>& fused_off, int ranks) {
  std::ranges::for_each(fused_off, check_slot);
  std::vector<Slot> slots = deal(fused_off);
  if (ranks < 0) refuse(fmt::format("{} ranks; at least one takes part (0 stands for all SMs).", ranks));
  if (static_cast<std::size_t>(ranks) > slots.size())
    refuse(fmt::format("{} ranks do not fit on its {} SMs.", ranks, slots.size()));
  if (ranks != 0) slots.resize(static_cast<std::size_t>(ranks));
  return slots;
}

}  // namespace

Topology::Topology(const std::vector<Slot>& fused_off, int ranks)
    : Topology(first_ranks(fused_off, ranks), true) {}

Topology::Topology(std::vector<Slot> rank_slots, bool checked) : slots_(std::move(rank_slots)) {
  if (slots_.empty()) refuse("every SM is fused off; at least one must be left.");
  if (checked) return;
  std::ranges::for_each(slots_, check_slot);
  for (std::size_t a = 0; a < slots_.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (slots_[a] == slots_[b])
        refuse(
            fmt::format("ranks {} and {} are both on {}; one SM runs one rank.", b, a, text_of(slots_[a])));
    }
  }
}

Topology Topology::placed(std::vector<Slot> rank_slots) { return {std::move(rank_slots), false}; }

Topology Topology::h200(int ranks) {
  return Topology({{.cpc = 2, .tpc = 2, .sm = 0}, {.cpc = 2, .tpc = 2, .sm = 1}}, ranks);
}

int Topology::index(int rank) const {
  const Slot& s = slot(rank);
  return (s.cpc * kTpcsPerCpc + s.tpc) * kSmsPerTpc + s.sm;
}

int Topology::ingress_input(int rank) const {
  const Slot& s = slot(rank);
  return s.tpc * kSmsPerTpc + s.sm;
}

int Topology::block(int rank) const {
  const Slot& s = slot(rank);
  return s.cpc * kSmsPerTpc + s.sm;
}

}  // namespace plumb::fabric
