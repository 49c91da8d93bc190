// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/predict.h"
#include "cli/verbs.h"

namespace plumb::cli {

void add_predict(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("predict", "Ask the models about work that nobody has measured");
  verb->require_subcommand(1);
  add_predict_mma(*verb);
}

}  // namespace plumb::cli
