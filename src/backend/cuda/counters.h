// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plumb::cuda {

/// Hardware counters by CUPTI's range profiler (CUDA 12.6 or newer), which is opened at run time. A machine
/// without the library, and a driver that keeps the counters for administrators, give refusal(), never an
/// error: everything that Plumb times goes on without them.
class Counters {
 public:
  /// Of the library of the CUDA that Plumb was built with, opened at the first call; for the current device.
  [[nodiscard]] static Counters& here();

  /// Why those of here() were refused, the first time that it is asked after that; empty otherwise.
  [[nodiscard]] static std::string untold_refusal();

  /// Of the library `name`, for tests.
  explicit Counters(const std::string& name);
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
  ~Counters();

  /// Why there are none, a line without a full stop; empty while nothing was refused.
  [[nodiscard]] const std::string& refusal() const noexcept;

  /// The values of `metrics` (names as Nsight Compute has them) over what `launch` does; it is called once
  /// for each pass that the hardware needs, and must wait for the kernels that it launches. NaN for a metric
  /// that this chip does not have. None where something is refused, then and from then on.
  [[nodiscard]] std::optional<std::vector<double>> count(std::span<const char* const> metrics,
                                                         const std::function<void()>& launch);

 private:
  struct Session;
  class Host;
  std::vector<std::uint8_t> profile(const std::function<void()>& launch);

  std::unique_ptr<Session> session_;
  std::unique_ptr<Host> host_;
  std::string refusal_;
};

}  // namespace plumb::cuda
