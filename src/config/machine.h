// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backend/sim/sim.h"

namespace plumb::config {

/// How well the value of a parameter is known.
enum class Evidence : std::uint8_t {
  measured,    ///< on this GPU
  patent,      ///< or other public documentation
  inferred,    ///< from measurements, through this model
  unresolved,  ///< plausible; no measurement has decided
};
inline constexpr std::array<std::string_view, 4> kEvidenceNames{"measured", "patent", "inferred",
                                                                "unresolved"};

/// What a machine file says about one of its values besides the value.
struct Known {
  std::string key;  ///< "sm.shaper_rate"
  std::string value;
  Evidence evidence = Evidence::unresolved;
  std::string source;
};

struct Machine {
  SimMachine sim;
  std::vector<Known> values;        ///< in the order of the file
  std::vector<std::string> free;    ///< parameters that `plumb calibrate` fits; the file may name none
  std::filesystem::path file = {};  ///< that it was read from, if any
};

/// Reads a machine file. Every parameter of the fabric must be there, each as a table of value, evidence and
/// source. Throws Error (caller) that begins with file, line and column and names key and reason.
[[nodiscard]] Machine machine_from(std::string_view text, const std::string& file);
/// `name` is a file, or the name of one in `folder`/machines. Throws Error (caller) as well that lists those
/// where there is neither.
[[nodiscard]] Machine read_machine(const std::string& name, const std::filesystem::path& folder);

/// The text of a machine file with another value of one parameter, and what is known of that; its comments
/// and all else stay. Throws Error (caller) where the text has no line for the key.
[[nodiscard]] std::string with_value(const std::string& text, const Known& known);

/// "61 values: 9 measured, 3 from patents, 30 inferred, 19 unresolved"
[[nodiscard]] std::string evidence_line(const Machine& machine);

}  // namespace plumb::config
