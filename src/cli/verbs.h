// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <span>

#include "core/experiment.h"
#include "record/recording.h"

namespace plumb::cli {

/// Each adds one verb with its options to the program; the verb runs when the command line has been read.
void add_info(CLI::App& app);
void add_list(CLI::App& app);
void add_run(CLI::App& app, int argc, const char* const* argv);
void add_analyze(CLI::App& app);
void add_sim(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_explain(CLI::App& app);
void add_predict(CLI::App& app);
/// Each adds one thing that `predict` can be asked.
void add_predict_cluster(CLI::App& verb);

/// What `analyze` and the end of `run` print: recording by recording, the findings of the experiments that it
/// holds. Its warnings go to standard error.
void print_findings(std::span<const record::Recording> recordings, const std::vector<Experiment>& experiments,
                    bool json);

}  // namespace plumb::cli
