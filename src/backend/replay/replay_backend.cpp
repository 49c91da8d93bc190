// SPDX-License-Identifier: Apache-2.0
#include "backend/replay/replay_backend.h"

#include <fmt/format.h>

#include "plumb/core/error.h"

namespace plumb {

ReplayBackend::ReplayBackend(record::Recording recording) : recording_(std::move(recording)) {
  for (std::size_t i = 0; i < recording_.measurements.size(); ++i)
    index_[id_of(recording_.measurements[i].point)] = i;
}

Measurement ReplayBackend::run(const Case& point) {
  const std::string id = id_of(point);
  const auto it = index_.find(id);
  if (it == index_.end())
    throw Error(Fault::caller, fmt::format("the recording has no case '{}'; measure it on a card.", id));
  return recording_.measurements[it->second];
}

}  // namespace plumb
