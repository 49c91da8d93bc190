// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/nvml.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace plumb::cuda {
namespace {

// From the NVML API reference: enum values of nvmlClockType_t, nvmlTemperatureSensors_t, nvmlReturn_t.
constexpr int kSuccess = 0;
constexpr int kInsufficientSize = 7;
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;

// NVML API reference, nvmlClocksEventReasons.
constexpr std::array<std::pair<unsigned long long, const char*>, 5> kThrottle{{
    {0x04, "power cap"},
    {0x08, "hardware slowdown"},
    {0x20, "software thermal slowdown"},
    {0x40, "hardware thermal slowdown"},
    {0x80, "power brake"},
}};

using Device = void*;

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  Device device = nullptr;

  template <class... Args>
  bool call(const char* name, Args... args) const {
    return result(name, args...) == kSuccess;
  }
  template <class... Args>
  int result(const char* name, Args... args) const {
    constexpr int kNoFunction = -1;
    if (handle == nullptr) return kNoFunction;
    auto* const function = reinterpret_cast<int (*)(Args...)>(dlsym(handle, name));
    return function != nullptr ? function(args...) : kNoFunction;
  }
  [[nodiscard]] std::optional<double> clock(int type) const {
    unsigned mhz = 0;
    if (device == nullptr || !call("nvmlDeviceGetClockInfo", device, type, &mhz)) return std::nullopt;
    return mhz;
  }
};

Nvml::Nvml(const std::string& pci_bus_id) : library_(std::make_unique<Library>()) {
  library_->handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library_->call("nvmlInit_v2")) return;
  if (!library_->call("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(), &library_->device))
    library_->device = nullptr;
}

Nvml::~Nvml() {
  if (library_->handle == nullptr) return;
  library_->call("nvmlShutdown");
  dlclose(library_->handle);
}

std::optional<std::string> Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (!library_->call("nvmlSystemGetDriverVersion", text.data(), static_cast<unsigned>(text.size())))
    return std::nullopt;
  return std::string(text.data());
}

std::optional<double> Nvml::sm_clock_mhz() const { return library_->clock(kClockSm); }
std::optional<double> Nvml::memory_clock_mhz() const { return library_->clock(kClockMemory); }

std::optional<double> Nvml::temperature_c() const {
  unsigned celsius = 0;
  if (library_->device == nullptr ||
      !library_->call("nvmlDeviceGetTemperature", library_->device, kTemperatureGpu, &celsius))
    return std::nullopt;
  return celsius;
}

std::optional<double> Nvml::power_w() const {
  constexpr double kMilli = 1e-3;
  unsigned milliwatts = 0;
  if (library_->device == nullptr ||
      !library_->call("nvmlDeviceGetPowerUsage", library_->device, &milliwatts))
    return std::nullopt;
  return kMilli * milliwatts;
}

std::optional<int> Nvml::processes() const {
  if (library_->device == nullptr) return std::nullopt;
  unsigned count = 0;
  void* const nothing = nullptr;
  const int result =
      library_->result("nvmlDeviceGetComputeRunningProcesses_v3", library_->device, &count, nothing);
  if (result != kSuccess && result != kInsufficientSize) return std::nullopt;
  return static_cast<int>(count);
}

std::vector<std::string> Nvml::throttle_reasons() const {
  unsigned long long bits = 0;
  std::vector<std::string> reasons;
  if (library_->device == nullptr ||
      !library_->call("nvmlDeviceGetCurrentClocksThrottleReasons", library_->device, &bits))
    return reasons;
  for (const auto& [bit, name] : kThrottle)
    if ((bits & bit) != 0) reasons.emplace_back(name);
  return reasons;
}

}  // namespace plumb::cuda
