// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace plumb {

/// An NVIDIA GPU of this machine, as CUDA describes it.
struct Card {
  int index = 0;
  std::string name;
  std::string uuid_hash;  ///< tells two cards apart without naming either
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t shared_bytes = 0;  ///< most dynamic shared memory of one CTA
  bool clusters = false;          ///< thread block clusters, hence distributed shared memory
  bool ecc = false;
  double max_sm_clock_mhz = 0.0;
};

struct Cards {
  std::vector<Card> cards;
  std::string driver_version;  ///< of the driver, where NVML is there; else the CUDA version it supports
  std::string cuda_version;    ///< of the runtime that is built in
  std::string why_none;        ///< where `cards` is empty: the reason, and what would be needed
};

/// Looks for cards. Never throws: a machine without one is a result.
[[nodiscard]] Cards find_cards();

/// Runs the work of a case on the current device: (case, samples, seed) to columns. The subject folders own
/// their kernels; whoever opens a card hands them in.
using CardProgram = std::function<Samples(const Case&, int, std::uint64_t)>;

/// Throws Error (caller) for a card without thread block clusters.
void require_clusters(const Card& card);

/// Throws Error: caller where the card has no clusters or `index` does not exist, device where CUDA fails.
[[nodiscard]] std::unique_ptr<Backend> open_card(int index, CardProgram program, std::uint64_t seed);

}  // namespace plumb
