// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::record {

/// Lines of a text file, through zstd where its name ends in ".zst".
struct Lines {
  std::vector<std::string> complete;  ///< without their line ends
  std::string rest;                   ///< what stands after the last line end
  bool cut = false;                   ///< the compressed stream ends before its end mark
};

/// Throws Error (caller) where the file cannot be read, or where the compressed stream is damaged.
[[nodiscard]] Lines read_lines(const std::filesystem::path& path);

/// Writes lines so that each one is on disk, whole, when write() returns.
class LineWriter {
 public:
  /// Creates the file or empties it. Throws Error (caller).
  explicit LineWriter(const std::filesystem::path& path);
  LineWriter(LineWriter&&) noexcept;
  LineWriter& operator=(LineWriter&&) noexcept;
  ~LineWriter();

  /// Throws Error (device) where the disk takes no more.
  void write(std::string_view line);

 private:
  class Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace plumb::record
