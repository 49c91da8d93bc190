// SPDX-License-Identifier: Apache-2.0
#include "cli/observations.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "cli/catalog.h"
#include "plumb/core/error.h"
#include "record/recording.h"
#include "report/findings.h"
#include "report/terminal.h"

namespace plumb::cli {

Observations observations_of(const std::string& file, std::FILE* to) {
  const std::filesystem::path path = file.empty() ? shipped_recording("dsm") : std::filesystem::path(file);
  const record::Recording recording = record::read(path);
  for (const auto& warning : recording.warnings) fmt::print(stderr, "warning: {}\n", warning);
  const infer::Places places = infer::places_in(recording.measurements);
  Observations seen{.name = path.filename().string(),
                    .cases = infer::observe(recording.measurements, places)};
  if (seen.cases.empty())
    throw Error(Fault::caller,
                fmt::format("{}: none of its cases is one that the fabric models.", path.string()));
  std::map<std::string_view, std::size_t> others;
  for (const Measurement& m : recording.measurements)
    if (const auto why = infer::not_modelled(m.point); !why.empty()) ++others[why];
  fmt::print(to, "{}\n{} of {} cases are compared",
             report::printable(report::provenance_line(recording.provenance)), seen.cases.size(),
             recording.measurements.size());
  for (const auto& [why, count] : others) fmt::print(to, "; {} are {}", count, why);
  fmt::print(
      to, ".\n{}\n",
      places.empty()
          ? "The recording does not say which SMs share what: ranks are dealt as the machine file says."
          : fmt::format("Ranks on {} SMs sit where the recording's own tomography puts them.",
                        places.size()));
  return seen;
}

}  // namespace plumb::cli
