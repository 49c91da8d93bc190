// SPDX-License-Identifier: Apache-2.0
#include "cli/catalog.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>

#include "dsm/experiments.h"
#include "plumb/core/error.h"
#include "topology/experiments.h"

namespace plumb::cli {

namespace fs = std::filesystem;

const std::vector<Experiment>& catalog() {
  static const std::vector<Experiment> kAll = [] {
    std::vector<Experiment> all = dsm::experiments();
    for (Experiment& e : topology::experiments()) all.push_back(std::move(e));
    return all;
  }();
  return kAll;
}

const std::vector<Experiment>& known() {
  static const std::vector<Experiment> kAll = [] {
    std::vector<Experiment> all = catalog();
    all.push_back(dsm::pattern());
    return all;
  }();
  return kAll;
}

std::vector<Experiment> select(const std::vector<std::string>& globs) {
  if (globs.empty()) return catalog();
  std::vector<std::string> names;
  for (const Experiment& e : catalog()) names.push_back(e.name);
  const auto matches = [](const std::string& glob, const std::string& name) {
    return fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  };
  for (const std::string& glob : globs) {
    if (std::none_of(names.begin(), names.end(), [&](const auto& n) { return matches(glob, n); }))
      throw Error(Fault::caller,
                  fmt::format("no experiment matches '{}'; there are {}.", glob, fmt::join(names, ", ")));
  }
  std::vector<Experiment> chosen;
  for (const Experiment& e : catalog())
    if (std::any_of(globs.begin(), globs.end(), [&](const auto& g) { return matches(g, e.name); }))
      chosen.push_back(e);
  return chosen;
}

fs::path data_folder() {
  std::vector<fs::path> places;
  if (const char* given = std::getenv("PLUMB_DATA")) {
    places.emplace_back(given);
  } else {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
    places = {self, self / "../share/plumb", PLUMB_SOURCE_DIR};
  }
  for (const fs::path& place : places)
    if (fs::is_directory(place / "recordings")) return fs::weakly_canonical(place);
  std::vector<std::string> looked;
  looked.reserve(places.size());
  for (const fs::path& place : places) looked.push_back((place / "recordings").string());
  throw Error(Fault::caller,
              fmt::format("Plumb's data is missing; looked for {}. Set PLUMB_DATA to the folder "
                          "that holds recordings/ and machines/.",
                          fmt::join(looked, ", ")));
}

fs::path shipped_recording(std::string_view subject) {
  return data_folder() / "recordings" / "h200" / fmt::format("{}.jsonl.zst", subject);
}

std::vector<fs::path> shipped_recordings() {
  std::vector<fs::path> paths;
  for (const Experiment& e : catalog()) {
    const fs::path path = shipped_recording(e.name.substr(0, e.name.find('/')));
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  return paths;
}

}  // namespace plumb::cli
