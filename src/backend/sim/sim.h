// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/backend.h"
#include "plumb/fabric/simulation.h"

namespace plumb {

/// The machine that the sim backend stands in for: one GPC and what to call it.
struct SimMachine {
  std::string name = "h200";
  std::string compute_capability = "9.0";
  /// SMs that the GPC lacks; an H200's GPC has 16 of 18.
  std::vector<fabric::Slot> fused_off = {{.cpc = 0, .tpc = 2, .sm = 0}, {.cpc = 0, .tpc = 2, .sm = 1}};
  /// The slot of each rank; empty: dealt TPC by TPC across the CPCs, as an H200 does.
  std::vector<fabric::Slot> placement = {};
  fabric::Parameters parameters;
};

/// The places of the first `ranks` ranks; 0: of all. Throws Error (caller) with the reason where the GPC is
/// impossible or too small.
[[nodiscard]] fabric::Topology topology_of(const SimMachine& machine, int ranks = 0);

/// Runs traffic cases on the fabric simulator and returns the columns that the card returns. Of an access it
/// runs what is the same packets as traffic; any other comes back without samples, and with a flag that says
/// so.
///
/// Samples of a case differ in start jitter and arbiter phases alone. Each gets a seed of its own, made from
/// the backend's seed, the case's identity and the number of the sample: a case gives the same samples
/// whatever ran before it.
class SimBackend final : public Backend {
 public:
  /// Throws Error (caller) for impossible parameters or an impossible GPC.
  explicit SimBackend(SimMachine machine, std::uint64_t seed = 1);

  [[nodiscard]] Provenance provenance() const override;
  /// Throws Error: caller for a plan that this GPC cannot run, check where the simulation got stuck.
  [[nodiscard]] Measurement run(const Case& point) override;

 private:
  [[nodiscard]] Measurement run(const Case& point, const Traffic& one);

  SimMachine machine_;
  std::uint64_t seed_;
  int sms_;
  fabric::Cycle clock_ = 0;  ///< of the machine: samples follow one another in time as they do on a card
};

}  // namespace plumb
