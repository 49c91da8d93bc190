// SPDX-License-Identifier: Apache-2.0
#include "backend/cards.h"

#include "support.h"

namespace plumb {
namespace {

TEST(Cards, OneWithoutClustersIsRefusedWithWhatToDo) {
  Card card;
  card.name = "NVIDIA A100";
  card.compute_major = 8;
  card.clusters = true;
  EXPECT_NO_THROW(require_clusters(card));
  card.clusters = false;
  EXPECT_EQ(
      test::message_of([&] { require_clusters(card); }),
      "NVIDIA A100 has compute capability 8.0 and no thread block clusters; Plumb measures Hopper (9.0) and "
      "newer. `plumb run --on replay` shows a recorded run.");
}

}  // namespace
}  // namespace plumb
