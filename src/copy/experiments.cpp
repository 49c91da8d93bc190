// SPDX-License-Identifier: Apache-2.0
#include "copy/experiments.h"

namespace plumb::copy {

std::vector<Experiment> experiments() {
  return {ldgsts(), tma(), compare(), multicast(), ceilings(), ladder()};
}

}  // namespace plumb::copy
