// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cards.h"
#include "backend/cuda/nvml.h"

namespace plumb::cuda {

/// Runs cases on a card. A case during which the SM clock moved, the clocks were throttled, another process
/// ran, or two ranks shared an SM, is measured again, and flagged where that did not help.
class CudaBackend final : public Backend {
 public:
  CudaBackend(const Card& card, const Cards& machine, CardProgram program, std::uint64_t seed);

  [[nodiscard]] Provenance provenance() const override;
  [[nodiscard]] Measurement run(const Case& point) override;

 private:
  /// Again where the conditions were not as they must be.
  [[nodiscard]] Measurement measured(const Case& point, std::uint64_t key) const;
  [[nodiscard]] Measurement once(const Case& point, std::uint64_t seed) const;

  Card card_;
  std::string driver_version_;
  std::string cuda_version_;
  CardProgram program_;
  std::uint64_t seed_;
  Nvml nvml_;
};

}  // namespace plumb::cuda
