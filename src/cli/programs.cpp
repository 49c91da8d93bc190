// SPDX-License-Identifier: Apache-2.0
#include "cli/programs.h"

#ifdef PLUMB_HAVE_CUDA
#include "dsm/traffic.h"
#endif

namespace plumb::cli {

CardProgram card_program() {
#ifdef PLUMB_HAVE_CUDA
  return [](const Case& point, int samples, std::uint64_t seed) {
    const auto run = [&](const Traffic& work) { return dsm::run_traffic(work, point.site, samples, seed); };
    return std::visit(run, point.work);
  };
#else
  return {};
#endif
}

}  // namespace plumb::cli
