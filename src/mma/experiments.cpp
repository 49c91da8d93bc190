// SPDX-License-Identifier: Apache-2.0
#include "mma/experiments.h"

namespace plumb::mma {

std::vector<Experiment> experiments() {
  return {throughput(), shape(), latency(), in_flight(), data(), whole_chip()};
}

}  // namespace plumb::mma
