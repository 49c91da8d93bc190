// SPDX-License-Identifier: Apache-2.0
// The crossbar alone against closed forms (Karol, Hluchyj, Morgan 1987).
#include "fabric/switch.h"

#include "fabric/random.h"
#include "support.h"

namespace plumb::fabric {
namespace {

template <std::uint32_t N>
using Square = Switch<Stage::plane, 1, N, N, 256>;

constexpr auto kAllOpen = [](std::uint32_t) { return ~std::uint64_t{0}; };
constexpr auto kAlwaysRoom = [](Flit) { return true; };

/// A flit at an input for an output; its rank says where it goes.
template <std::uint32_t N>
Flit flit(std::uint32_t input, std::uint32_t output, std::uint32_t record = 0, std::uint32_t channel = 0) {
  return Flit(record, 0, output, channel)
      .plus(Flit::step(0, {0, Square<N>::queue(0, input, channel, output), 0}));
}

/// Throughput per port where every input always has a flit for a uniformly random output.
template <std::uint32_t N>
double saturated(const SwitchConfig& config, int cycles) {
  Square<N> s(config);
  Random random(20 + N);
  std::uint64_t out = 0;
  const auto refill = [&] {
    for (std::uint32_t input = 0; input < N; ++input) {
      for (Flit f = flit<N>(input, random.below(N)); s.accepts(f); f = flit<N>(input, random.below(N)))
        s.push(f);
    }
  };
  for (Cycle now = 0; now < cycles; ++now) {
    refill();
    s.serve(kAllOpen, kAlwaysRoom, [&](std::uint32_t, Flit) { ++out; });
  }
  return static_cast<double>(out) / cycles / N;
}

constexpr SwitchConfig kFifo{.queueing = Queueing::fifo, .depth = 2};

TEST(Switch, FifoInputsMeetTheHeadOfLineLimitOfTwoPorts) {
  EXPECT_NEAR(saturated<2>(kFifo, 1'000'000), 0.7500, 0.002);
}
TEST(Switch, FifoInputsMeetTheHeadOfLineLimitOfFourPorts) {
  EXPECT_NEAR(saturated<4>(kFifo, 500'000), 0.6552, 0.002);
}
TEST(Switch, FifoInputsMeetTheHeadOfLineLimitOfSixPorts) {
  EXPECT_NEAR(saturated<6>(kFifo, 500'000), 0.6301, 0.002);
}
TEST(Switch, FifoInputsMeetTheHeadOfLineLimitOfSevenPorts) {
  EXPECT_NEAR(saturated<7>(kFifo, 500'000), 0.6234, 0.002);
}

TEST(Switch, QueuesPerOutputRemoveTheHeadOfLineLimit) {
  EXPECT_GT(saturated<6>({.queueing = Queueing::separate, .depth = 16}, 100'000), 0.97);
}

/// Mean cycles that a flit waits where every input offers one with probability `p` to a random output.
template <std::uint32_t N>
double output_queued_wait(double p, int cycles) {
  Square<N> s({.queueing = Queueing::separate, .depth = 256, .multi_read = true});
  Random random(7);
  std::vector<Cycle> since(1U << 16U);
  std::uint32_t next = 0;
  double waited = 0;
  double flits = 0;
  const auto threshold = static_cast<std::uint32_t>(p * 1e9);
  for (Cycle now = 0; now < cycles; ++now) {
    for (std::uint32_t input = 0; input < N; ++input) {
      if (random.below(1'000'000'000) >= threshold) continue;
      since[next] = now;
      s.push(flit<N>(input, random.below(N), next));
      next = (next + 1) & 0xffffU;
    }
    s.serve(kAllOpen, kAlwaysRoom, [&](std::uint32_t, Flit f) {
      waited += static_cast<double>(now - since[f.record()]);
      ++flits;
    });
  }
  return waited / flits;
}

double theory(double n, double p) { return (n - 1) / n * p / (2 * (1 - p)); }

TEST(Switch, OutputQueueingWaitsAsQueueingTheorySays) {
  EXPECT_NEAR(output_queued_wait<2>(0.5, 1'000'000), theory(2, 0.5), 0.01 * theory(2, 0.5));
  EXPECT_NEAR(output_queued_wait<6>(0.5, 500'000), theory(6, 0.5), 0.01 * theory(6, 0.5));
  EXPECT_NEAR(output_queued_wait<6>(0.8, 1'000'000), theory(6, 0.8), 0.02 * theory(6, 0.8));
  EXPECT_NEAR(output_queued_wait<7>(0.8, 500'000), theory(7, 0.8), 0.02 * theory(7, 0.8));
}

TEST(Switch, AnInputGivesOneFlitInARound) {
  Square<4> s({.queueing = Queueing::separate, .depth = 4});
  for (std::uint32_t output = 0; output < 4; ++output) s.push(flit<4>(0, output));
  for (Cycle now = 0; now < 4; ++now) {
    int given = 0;
    s.serve(kAllOpen, kAlwaysRoom, [&](std::uint32_t, Flit) { ++given; });
    EXPECT_EQ(given, 1);
  }
  EXPECT_TRUE(s.empty());
}

TEST(Switch, WithMultiReadAnInputFeedsAllOutputsInOneRound) {
  Square<4> s({.queueing = Queueing::separate, .depth = 4, .multi_read = true});
  for (std::uint32_t output = 0; output < 4; ++output) s.push(flit<4>(0, output));
  int given = 0;
  s.serve(kAllOpen, kAlwaysRoom, [&](std::uint32_t, Flit) { ++given; });
  EXPECT_EQ(given, 4);
}

TEST(Switch, AnOutputServesItsInputsInTurn) {
  Square<4> s({.queueing = Queueing::separate, .depth = 8});
  for (std::uint32_t input = 0; input < 4; ++input) {
    for (std::uint32_t k = 0; k < 3; ++k) s.push(flit<4>(input, 2, input));
  }
  std::vector<std::uint32_t> order;
  for (Cycle now = 0; now < 12; ++now)
    s.serve(kAllOpen, kAlwaysRoom, [&](std::uint32_t, Flit f) { order.push_back(f.record()); });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(Switch, TheHeadOfAFifoBlocksTheRestAndAPoolLetsItPass) {
  for (const Queueing queueing : {Queueing::fifo, Queueing::shared}) {
    Square<2> s({.queueing = queueing, .depth = 4});
    s.push(flit<2>(0, 0));
    s.push(flit<2>(0, 1));
    std::vector<std::uint32_t> out;
    s.serve(
        kAllOpen, [](Flit f) { return f.rank() == 1; },
        [&](std::uint32_t output, Flit) { out.push_back(output); });
    EXPECT_EQ(out.size(), queueing == Queueing::fifo ? 0U : 1U);
  }
}

TEST(Switch, ASharedPoolIsFullForEveryOutputAndSeparateQueuesAreNot) {
  Square<2> shared({.queueing = Queueing::shared, .depth = 2});
  Square<2> separate({.queueing = Queueing::separate, .depth = 2});
  for (int k = 0; k < 2; ++k) {
    shared.push(flit<2>(0, 0));
    separate.push(flit<2>(0, 0));
  }
  EXPECT_FALSE(shared.accepts(flit<2>(0, 1)));
  EXPECT_TRUE(separate.accepts(flit<2>(0, 1)));
  EXPECT_FALSE(separate.accepts(flit<2>(0, 0)));
  EXPECT_TRUE(shared.accepts(flit<2>(0, 0, 0, 1))) << "the channels share no buffer";
}

TEST(Switch, ABlockedChannelLetsTheOtherPass) {
  Square<2> s({.queueing = Queueing::fifo, .depth = 4});
  s.push(flit<2>(0, 0, 0, 0));
  s.push(flit<2>(0, 0, 0, 1));
  std::vector<std::uint32_t> out;
  s.serve(
      kAllOpen, [](Flit f) { return f.channel() == 1; },
      [&](std::uint32_t, Flit f) { out.push_back(f.channel()); });
  EXPECT_EQ(out, (std::vector<std::uint32_t>{1}));
}

PLUMB_PROPERTY(Switch, NothingIsLostDoubledOrReorderedWithinAQueue, [] {
  const auto queueing = *rc::gen::element(Queueing::fifo, Queueing::shared, Queueing::separate);
  Square<6> s({.queueing = queueing,
               .depth = *rc::gen::inRange<std::uint32_t>(1, 9),
               .multi_read = *rc::gen::arbitrary<bool>()});
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  std::array<std::array<std::uint32_t, 6>, 6> sent{};
  std::array<std::array<std::uint32_t, 6>, 6> got{};
  std::uint32_t number = 0;
  std::array<std::array<std::array<std::uint32_t, 2>, 6>, 6> last{};
  std::vector<std::uint32_t> from(1U << 16U);
  for (Cycle now = 0; now < 300; ++now) {
    for (std::uint32_t input = 0; input < 6; ++input) {
      const Flit f = flit<6>(input, random.below(6), number + 1, random.below(2));
      if (now >= 200 || !s.accepts(f)) continue;
      from[++number] = input;
      ++sent[input][f.rank()];
      s.push(f);
    }
    s.serve(
        kAllOpen, [&](Flit) { return random.below(3) != 0; },
        [&](std::uint32_t output, Flit f) {
          const std::uint32_t input = from[f.record()];
          RC_ASSERT(output == f.rank());
          RC_ASSERT(last[input][output][f.channel()] < f.record());
          last[input][output][f.channel()] = f.record();
          ++got[input][output];
        });
    s.audit([](const char* what) { RC_FAIL(what); });
  }
  while (!s.empty())
    s.serve(kAllOpen, kAlwaysRoom, [&](std::uint32_t o, Flit f) { ++got[from[f.record()]][o]; });
  RC_ASSERT(sent == got);
});

TEST(Arbiter, TakesPortsInTurnAndChannelsInTurn) {
  // Three inputs: ports 0, 2 and 4 are of the first channel, 1, 3 and 5 of the second.
  Arbiter<6> a;
  const auto next = [&](std::uint32_t candidates) {
    const std::uint32_t choice = a.choose(candidates * kInEveryField);
    a.served(choice);
    return Arbiter<6>::port_of(choice);
  };
  a.start_at(2);
  EXPECT_EQ(next(0b010101), 2U);
  EXPECT_EQ(next(0b010111), 1U) << "the other channel's turn; none is at or after 2 there";
  EXPECT_EQ(next(0b010111), 4U);
  EXPECT_EQ(next(0b010101), 0U) << "the other channel has none";
  EXPECT_EQ(next(0b111111), 3U);
  EXPECT_EQ(Arbiter<6>::port_of(a.choose_or_none(0)), 6U);
}

TEST(InputMatch, EachInputTakesOneOfItsOffersInTurn) {
  using Match = InputMatch<6>;
  Match m;
  m.start_at(1, 2);
  // Outputs 0, 2 and 5 choose input 1, outputs 1 and 3 choose input 4, output 4 chooses none.
  const Offers offers = Match::offer(1, 0) | Match::offer(1, 2) | Match::offer(1, 5) | Match::offer(4, 1) |
                        Match::offer(4, 3) | Match::offer(6, 4);
  const Offers first = m.choose(offers);
  EXPECT_EQ(first, Match::offer(1, 2) | Match::offer(4, 1));
  EXPECT_EQ(Match::inputs_of(first), 0b010010U);
  EXPECT_EQ(Match::outputs_of(first), 0b000110U);
  m.served(first);
  const Offers second = m.choose(offers);
  EXPECT_EQ(second, Match::offer(1, 5) | Match::offer(4, 3));
  m.served(second);
  EXPECT_EQ(m.choose(offers), Match::offer(1, 0) | Match::offer(4, 1)) << "both begin again";
  EXPECT_EQ(m.choose(0), 0U);
}

}  // namespace
}  // namespace plumb::fabric
