// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plumb::cuda {

/// Queues tensor-core work for every SM of the current device for about `milliseconds`, on random data, so
/// that the card's own power management lowers the SM clock. Does not wait. Throws Error (device).
void heat(int milliseconds);

}  // namespace plumb::cuda
