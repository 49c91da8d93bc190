// SPDX-License-Identifier: Apache-2.0
#include "cli/programs.h"

#ifdef PLUMB_HAVE_CUDA
#include "dsm/traffic.h"
#endif

namespace plumb::cli {

TrafficProgram traffic_program() {
#ifdef PLUMB_HAVE_CUDA
  return dsm::run_traffic;
#else
  return {};
#endif
}

}  // namespace plumb::cli
