// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backend/backend.h"
#include "record/recording.h"

namespace plumb {

/// Answers each case with what a recording holds for it.
class ReplayBackend final : public Backend {
 public:
  explicit ReplayBackend(record::Recording recording);

  /// That of the recording: a replay adds nothing and hides nothing.
  [[nodiscard]] Provenance provenance() const override { return recording_.provenance; }
  /// Throws Error (caller) where the recording does not have the case.
  [[nodiscard]] Measurement run(const Case& point) override;

  [[nodiscard]] const record::Recording& recording() const { return recording_; }

 private:
  record::Recording recording_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace plumb
