// SPDX-License-Identifier: Apache-2.0
#include "backend/cards.h"

#include <fmt/format.h>

#include "plumb/core/error.h"

namespace plumb {

void require_clusters(const Card& card) {
  if (card.clusters) return;
  throw Error(Fault::caller,
              fmt::format("{} has compute capability {}.{} and no thread block clusters; Plumb measures "
                          "Hopper (9.0) and newer. `plumb run --on replay` shows a recorded run.",
                          card.name, card.compute_major, card.compute_minor));
}

}  // namespace plumb
