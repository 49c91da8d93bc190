// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::claims {

/// Where a file of claims has them from.
struct Source {
  std::string name;  ///< of the file: "dsm-h200"
  std::string title;
  std::string where;     ///< address, version, section
  std::string hardware;  ///< "NVIDIA H200"; empty: the statement is about no one card
  std::string read;      ///< "original", or how else the words were had
};

/// How the findings of a claim become one number.
enum class Take : std::uint8_t {
  value,   ///< of the one finding
  median,  ///< of all
  min,
  max,
  sum,
  spread,  ///< greatest over least, less 1, in %
  ratio,   ///< median of the first pattern over that of the second
  loss,    ///< 1 less that ratio, in %
};
inline constexpr std::array<std::string_view, 8> kTakeNames{"value", "median", "min",   "max",
                                                            "sum",   "spread", "ratio", "loss"};

/// A published statement with a number in it.
struct Claim {
  std::string id;     ///< "dsm/put/one-way"
  std::string says;   ///< one sentence
  std::string place;  ///< where in the source
  std::string unit;
  double value = 0.0;
  double low = 0.0;  ///< a measurement in [low, high] reproduces it
  double high = 0.0;
  std::string shown;  ///< the value as a table shows it: "21.25", ">= 300", "31.5..32"
  std::string conditions;
  std::vector<std::string> findings;  ///< names or globs; none: no experiment measures it
  Take take = Take::value;
  std::string estimator;        ///< empty: steady where there is one
  double scale = 1.0;           ///< of findings into `unit`
  std::optional<double> other;  ///< what the same source says elsewhere, or what its own arithmetic gives
  std::string other_place;
  std::string note;        ///< what explains a difference
  std::string hardware;    ///< of the source, unless the claim names another
  std::size_t source = 0;  ///< in Board::sources
};

struct Board {
  std::vector<Source> sources;
  std::vector<Claim> claims;  ///< file by file
};

/// Reads one file of claims into a board. Throws Error (caller) that begins with file, line and column and
/// names key, value and what is allowed.
void read_into(Board& board, std::string_view text, const std::string& file);
/// All *.toml of a folder, by name.
[[nodiscard]] Board read_board(const std::filesystem::path& folder);

}  // namespace plumb::claims
