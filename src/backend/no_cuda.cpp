// SPDX-License-Identifier: Apache-2.0
#include "backend/cards.h"
#include "plumb/core/error.h"

namespace plumb {

Cards find_cards() {
  Cards none;
  none.why_none = "this build has no CUDA (nvcc was not found); install the CUDA toolkit 13 and build again";
  return none;
}

std::unique_ptr<Backend> open_card(int /*index*/, CardProgram /*program*/, std::uint64_t /*seed*/) {
  throw Error(Fault::device, "no card to measure: " + find_cards().why_none + ".");
}

}  // namespace plumb
