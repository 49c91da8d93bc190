// SPDX-License-Identifier: Apache-2.0
#include "dsm/experiments.h"

namespace plumb::dsm {

std::vector<Experiment> experiments() {
  return {pair(),       mixed(),   scaling(),      stride(),  all_pairs(), in_flight(),
          incast(),     fan_out(), burst(),        offset(),  pressure(),  clock(),
          whole_chip(), linear(),  interference(), latency(), forms(),     tomography()};
}

}  // namespace plumb::dsm
