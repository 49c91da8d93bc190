// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/case.h"
#include "core/provenance.h"

namespace plumb {

/// Turns a case into samples. Nothing downstream can tell which backend it was, except by the provenance.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// The backend's own part of the header: `backend`, the machine, its clocks, driver and versions.
  [[nodiscard]] virtual Provenance provenance() const = 0;

  /// Throws Error: caller for a case that this machine cannot run, device where the machine failed.
  [[nodiscard]] virtual Measurement run(const Case& point) = 0;
};

}  // namespace plumb
