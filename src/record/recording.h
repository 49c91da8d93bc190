// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/provenance.h"
#include "record/lines.h"

namespace plumb::record {

inline constexpr int kSchema = 1;

/// A recorded run: who measured, and what.
struct Recording {
  Provenance provenance;
  std::vector<Measurement> measurements;
  std::vector<std::string> warnings;  ///< what a reader was told: a truncated last line was dropped

  bool operator==(const Recording&) const = default;
};

/// Reads a recording; its name may end in ".zst". A last line that was cut off is dropped with a warning.
/// Throws Error (caller) that names the file and the line for any other damage, and for a schema that is
/// newer than this program.
[[nodiscard]] Recording read(const std::filesystem::path& path);

/// The measurements of one experiment.
[[nodiscard]] std::vector<Measurement> of_experiment(const Recording& recording, std::string_view name);

/// Appends measurements to a recording. Each is on disk when append() returns: a crash costs the case in
/// hand and no other.
class Writer {
 public:
  /// A new recording. Throws Error (caller) where the file exists, so that no run is lost by mistake.
  [[nodiscard]] static Writer create(const std::filesystem::path& path, const Provenance& provenance);
  /// Goes on with a recording that read() gave. The old content is written again beside the file and moved
  /// over it, so that a line which was cut off is gone and nothing else is.
  [[nodiscard]] static Writer resume(const std::filesystem::path& path, const Recording& so_far);

  void append(const Measurement& measurement);

 private:
  explicit Writer(LineWriter lines) : lines_(std::move(lines)) {}
  LineWriter lines_;
};

}  // namespace plumb::record
