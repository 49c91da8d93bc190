// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/verbs.h"

namespace plumb::cli {

void add_predict(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("predict", "What the models say of a kernel that does not exist yet");
  verb->require_subcommand(1);
  add_predict_cluster(*verb);
}

}  // namespace plumb::cli
