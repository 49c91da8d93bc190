// SPDX-License-Identifier: Apache-2.0
#include "cli/programs.h"

#ifdef PLUMB_HAVE_CUDA
#include "dsm/access.h"
#include "dsm/probe.h"
#include "dsm/traffic.h"
#include "topology/programs.h"
#endif

namespace plumb::cli {
#ifdef PLUMB_HAVE_CUDA
namespace {

/// One program for each kind of work.
struct Program {
  const Site& site;
  int samples;
  std::uint64_t seed;

  Samples operator()(const Traffic& work) const { return dsm::run_traffic(work, site, samples, seed); }
  Samples operator()(const Access& work) const { return dsm::run_access(work, site, samples, seed); }
  Samples operator()(const Probe& work) const { return dsm::run_probe(work, site, samples, seed); }
  Samples operator()(const Census& work) const { return topology::run_census(work, site, samples); }
  Samples operator()(const Lookup& work) const { return topology::run_lookup(work, samples); }
  Samples operator()(const Walk& work) const { return topology::run_walk(work, samples); }
};

}  // namespace
#endif

CardProgram card_program() {
#ifdef PLUMB_HAVE_CUDA
  return [](const Case& point, int samples, std::uint64_t seed) {
    return std::visit(Program{point.site, samples, seed}, point.work);
  };
#else
  return {};
#endif
}

}  // namespace plumb::cli
