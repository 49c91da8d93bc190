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

/// What `analyze` and the end of `run` print: the findings of the experiments that the recording holds.
void print_findings(const record::Recording& recording, const std::vector<Experiment>& experiments,
                    bool json);

}  // namespace plumb::cli
