// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>

namespace plumb::cli {

/// Each adds one subject of `plumb predict`.
void add_predict_mma(CLI::App& predict);

}  // namespace plumb::cli
