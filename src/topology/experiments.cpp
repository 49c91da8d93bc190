// SPDX-License-Identifier: Apache-2.0
#include "topology/experiments.h"

namespace plumb::topology {

std::vector<Experiment> experiments() { return {gpc(), fit(), l2(), noc()}; }

}  // namespace plumb::topology
