// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fabric/engine.h"

namespace plumb::fabric {

/// What the choice of a shaper resolves to, once per network.
struct InjectVariant {
  InjectStages stages;
  /// Slots between the first and the last of `flits` flits that a rank sends after a pause.
  Cycle (*spread)(const ShaperState&, std::uint32_t rank, int flits);
};

[[nodiscard]] InjectVariant inject_variant(Shaper kind);

}  // namespace plumb::fabric
