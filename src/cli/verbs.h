// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <span>

#include "core/experiment.h"
#include "record/recording.h"
#include "report/html/card.h"

namespace plumb::cli {

/// Each adds one verb with its options to the program; the verb runs when the command line has been read.
void add_info(CLI::App& app);
void add_list(CLI::App& app);
void add_run(CLI::App& app, int argc, const char* const* argv);
void add_analyze(CLI::App& app);
void add_sim(CLI::App& app);
void add_check(CLI::App& app);
void add_predict(CLI::App& app);
/// Each adds one thing that `predict` can be asked.
void add_predict_cluster(CLI::App& verb);
void add_predict_mma(CLI::App& verb);
void add_predict_copy(CLI::App& verb);
void add_import(CLI::App& app, int argc, const char* const* argv);
void add_predict_dsm(CLI::App& verb);
void add_report(CLI::App& app);
void add_compare(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_explain(CLI::App& app);

/// The cards that files tell of, with their findings; of no file, those that Plumb ships. Warnings go to
/// standard error. Throws Error (caller) for a file that cannot be read or has no finished case.
[[nodiscard]] std::vector<report::html::Card> cards_from(const std::vector<std::string>& files);

/// What `analyze` and the end of `run` print: recording by recording, the findings of the experiments that it
/// holds. Its warnings go to standard error.
void print_findings(std::span<const record::Recording> recordings, const std::vector<Experiment>& experiments,
                    bool json);

}  // namespace plumb::cli
