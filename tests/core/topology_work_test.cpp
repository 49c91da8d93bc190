// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "plumb/core/census.h"
#include "plumb/core/lookup.h"
#include "plumb/core/walk.h"
#include "support.h"

namespace plumb {
namespace {

using test::message_of;

std::string refusal(const Census& c) {
  return message_of([&] { validate(c); });
}
std::string refusal(const Lookup& l) {
  return message_of([&] { validate(l); });
}
std::string refusal(const Walk& w) {
  return message_of([&] { validate(w); });
}

TEST(Census, BadOnesAreRefusedByField) {
  EXPECT_NO_THROW(validate(Census{.ranks = 2, .preferred = 8, .clusters = 64}));
  EXPECT_EQ(refusal(Census{.ranks = 0}), "ranks = 0: a cluster has 1 to 16 CTAs.");
  EXPECT_EQ(refusal(Census{.ranks = 17}), "ranks = 17: a cluster has 1 to 16 CTAs.");
  EXPECT_EQ(refusal(Census{.ranks = 4, .preferred = 6}),
            "preferred = 6: it must be a multiple of ranks = 4 and at most 16.");
  EXPECT_EQ(refusal(Census{.per_sm = 0}), "per_sm = 0: allowed is 1 to 16 CTAs.");
  EXPECT_EQ(
      refusal(Census{.ranks = 16, .clusters = 1000}),
      "clusters = 1000 of 16 CTAs: a grid has at most 8192 CTAs here; 0 is as many as the SMs have places "
      "for.");
  EXPECT_EQ(refusal(Census{.ranks = 2, .preferred = 8, .clusters = 3}),
            "clusters = 3 of 2 CTAs: with preferred = 8 the CTAs must be a multiple of that.");
  EXPECT_EQ(refusal(Census{.hold = -1}), "hold = -1: allowed is 0 to 1000000 ns.");
}

TEST(Lookup, BadOnesAreRefusedByField) {
  EXPECT_EQ(refusal(Lookup{.addresses = 0}), "addresses = 0: allowed is 1 to 4096.");
  EXPECT_EQ(refusal(Lookup{.stride = 33}), "stride = 33: allowed are 0 and multiples of 32 bytes.");
  EXPECT_EQ(refusal(Lookup{.addresses = 64, .span = 4096}), "span = 4096: 64 addresses take 8192 bytes.");
  EXPECT_EQ(refusal(Lookup{.addresses = 64, .span = 4096, .stride = 128}),
            "span = 4096: 64 addresses take 8192 bytes.");
  EXPECT_EQ(refusal(Lookup{.span = std::int64_t{1} << 31}), "span = 2147483648: at most 1073741824 bytes.");
}

TEST(Walk, BadOnesAreRefusedByField) {
  EXPECT_EQ(refusal(Walk{.sms = {3, 1}}), "sms = 3 1: give each SM once, rising, from 0.");
  EXPECT_EQ(refusal(Walk{.sms = {1, 1}}), "sms = 1 1: give each SM once, rising, from 0.");
  EXPECT_EQ(refusal(Walk{.sms = {-1}}), "sms = -1: give each SM once, rising, from 0.");
  EXPECT_EQ(refusal(Walk{.window = 768}),
            "window = 768: allowed are powers of two from 512 to 67108864 bytes.");
  EXPECT_EQ(refusal(Walk{.window = 256}),
            "window = 256: allowed are powers of two from 512 to 67108864 bytes.");
  EXPECT_EQ(refusal(Walk{.rounds = 0}), "rounds = 0: allowed is 1 to 4096.");
  EXPECT_EQ(message_of([] { (void)walk_op_from("copy"); }),
            "unknown walk operation 'copy'; allowed are read, write.");
}

TEST(Walk, SmallWindowsMoveWhatTheThreadsHaveInFlight) {
  EXPECT_EQ(bytes_of({.window = 1 << 18, .rounds = 3}), 3 << 18);
  EXPECT_EQ(bytes_of({.window = 512, .rounds = 3}), 3 * 1024 * 8 * 16);
}

PLUMB_PROPERTY(Lookup, AddressesAreInTheSpanAndDistinctLines, [] {
  Lookup l{.addresses = *rc::gen::inRange(1, 300)};
  l.span = kLineBytes * *rc::gen::inRange<std::int64_t>(l.addresses, 5000);
  validate(l);
  std::set<std::int64_t> seen;
  for (int a = 0; a < l.addresses; ++a) {
    const std::int64_t at = offset_of(l, a);
    RC_ASSERT(at >= 0 && at + kLineBytes <= l.span);
    RC_ASSERT(at % kLineBytes == 0);
    RC_ASSERT(seen.insert(at).second);
  }
})

}  // namespace
}  // namespace plumb
