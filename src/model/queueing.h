// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plumb::model {

/// Flits per cycle through `outputs` lanes that `inputs` plain queues want, all of them always full, each
/// flit for any lane alike: what head-of-line blocking leaves of min(inputs, outputs). Exact, from the
/// stationary state of the heads: each cycle every lane that is wanted takes one of those that want it, and
/// the next flit of that queue wants a lane at random. Karol, Hluchyj and Morgan (1987) give this for inputs
/// = outputs. Throws std::invalid_argument outside 1 to 9 inputs and 1 to 9 outputs.
[[nodiscard]] double head_of_line_limit(int inputs, int outputs);

}  // namespace plumb::model
