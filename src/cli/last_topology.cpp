// SPDX-License-Identifier: Apache-2.0
#include "cli/last_topology.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/catalog.h"
#include "plumb/core/error.h"
#include "topology/map.h"

namespace plumb::cli {
namespace {

namespace fs = std::filesystem;

/// Empty where the environment names no place.
fs::path folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return fs::path(state) / "plumb";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".local" / "state" / "plumb";
  return {};
}

fs::path file_of(const std::string& uuid_hash) {
  return folder() / fmt::format("topology-{}.jsonl.zst", uuid_hash);
}

}  // namespace

void keep_topology(const record::Recording& recording) {
  const Provenance& p = recording.provenance;
  if (p.backend != "cuda" || p.gpu_uuid_hash.empty() || folder().empty()) return;
  if (record::of_experiment(recording, "topology/gpc").empty()) return;
  const fs::path path = file_of(p.gpu_uuid_hash);
  const fs::path fresh = fmt::format("{}.new.zst", path.string());
  try {
    fs::create_directories(folder());
    fs::remove(fresh);
    {
      auto writer = record::Writer::create(fresh, p);
      for (const Measurement& m : recording.measurements)
        if (topology::is_of_a_map(m.point.experiment)) writer.append(m);
    }
    fs::rename(fresh, path);
  } catch (const std::exception& error) {
    fmt::print(stderr, "warning: the topology of this card is not kept for later: {}\n", error.what());
  }
}

KnownTopology last_topology(const std::string& uuid_hash) {
  if (!uuid_hash.empty() && !folder().empty() && fs::exists(file_of(uuid_hash)))
    return {.recording = record::read(file_of(uuid_hash)), .path = file_of(uuid_hash), .shipped = false};
  const fs::path path = shipped_recording("topology");
  return {.recording = record::read(path), .path = path, .shipped = true};
}

}  // namespace plumb::cli
