// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace plumb::test {

/// Everything in which a text breaks the Trace Event Format, as far as Plumb uses it: complete slices ("X"),
/// flow arrows ("s", "f") and names ("M"). Stricter than the viewers: keys that a phase needs and no others
/// missing, time that never runs backwards on a track, slices that nest, arrows with both ends, each inside
/// a slice, and a name for every process and thread.
[[nodiscard]] std::vector<std::string> trace_problems(const std::string& text);

}  // namespace plumb::test
