// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "record/recording.h"

namespace plumb::cli {

/// A recording that shows where things are on a card, and where it was found.
struct KnownTopology {
  record::Recording recording;
  std::filesystem::path path;
  bool shipped = false;  ///< it is the one that Plumb ships, so of another card
};

/// Keeps the topology that a recording of a card shows, for `plumb info --topology` and `plumb predict
/// cluster`: $XDG_STATE_HOME/plumb (or ~/.local/state/plumb), one file for each card. Does nothing where
/// there is none in it, and warns on standard error where the file cannot be written.
void keep_topology(const record::Recording& recording);

/// The last one that was kept for the card with this hash; else the shipped one. An empty hash means that
/// there is no card. Throws Error (caller) where the file is damaged.
[[nodiscard]] KnownTopology last_topology(const std::string& uuid_hash);

}  // namespace plumb::cli
