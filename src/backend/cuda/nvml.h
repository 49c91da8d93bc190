// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plumb::cuda {

/// What NVML says of one card. The library is opened at run time; a machine or a container without it, and
/// a reading that the driver refuses, give std::nullopt, never an error.
class Nvml {
 public:
  /// `pci_bus_id` as cudaDeviceGetPCIBusId gives it.
  explicit Nvml(const std::string& pci_bus_id);
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  [[nodiscard]] std::optional<std::string> driver_version() const;
  [[nodiscard]] std::optional<double> sm_clock_mhz() const;
  [[nodiscard]] std::optional<double> memory_clock_mhz() const;
  [[nodiscard]] std::optional<double> temperature_c() const;
  [[nodiscard]] std::optional<double> power_w() const;
  /// Compute processes on the card, this one included.
  [[nodiscard]] std::optional<int> processes() const;
  /// Why the clocks are held below what was asked for, in words; empty: they are not.
  [[nodiscard]] std::vector<std::string> throttle_reasons() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace plumb::cuda
