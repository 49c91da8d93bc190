// SPDX-License-Identifier: Apache-2.0
// A program of its own, since it replaces the global operator new.
#include <atomic>
#include <cstdlib>
#include <new>

#include "plumb/fabric/simulation.h"
#include "support.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

// Not inlined, or the compiler sees free() where it expects its own operator delete and warns.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace plumb::fabric {
namespace {

class Counter final : public Observer {
 public:
  void on(std::span<const Event> events) override { seen += events.size(); }
  std::uint64_t seen = 0;
};

/// Allocations in 20,000 saturated cycles after 2,000 of warm-up.
std::uint64_t in_steady_state(Observer* observer) {
  Network n(Parameters{}, Topology::h200());
  n.observe(observer);
  std::uint64_t before = 0;
  for (int i = 0; i < 22'000; ++i) {
    if (i == 2'000) before = allocations;
    for (int r = 0; r < 16; ++r) {
      for (const Channel c : {Channel::request, Channel::response}) {
        n.offer({.source = r,
                 .destination = (r + 1) % 16,
                 .channel = c,
                 .flits = 4,
                 .address = static_cast<std::uint64_t>(i) * 128});
        for (Packet p; n.take(r, c, p);) {
        }
      }
    }
    n.step();
  }
  return allocations - before;
}

TEST(Allocation, TheCounterCounts) {
  const std::uint64_t before = allocations;
  ::operator delete(::operator new(16));  // a plain new expression may be optimised away
  EXPECT_EQ(allocations - before, 1U);
}

TEST(Allocation, ASaturatedNetworkAllocatesNothing) { EXPECT_EQ(in_steady_state(nullptr), 0U); }

TEST(Allocation, AnObservedNetworkAllocatesNothing) {
  Counter counter;
  EXPECT_EQ(in_steady_state(&counter), 0U);
  EXPECT_GT(counter.seen, 1'000'000U);
}

TEST(Allocation, ALongerRunAllocatesNoMoreThanAShortOne) {
  const auto allocated = [](std::int64_t bytes) {
    Traffic t{.ranks = 16, .flows = {}};
    for (int r = 0; r < 16; ++r) {
      for (const Op op : {Op::load, Op::store, Op::put})
        t.flows.push_back(
            {.source = r, .destination = (r + 1) % 16, .op = op, .bytes = bytes, .window = 4096, .warps = 4});
    }
    const std::uint64_t before = allocations;
    (void)simulate(t, Parameters{}, Topology::h200());
    return allocations - before;
  };
  EXPECT_EQ(allocated(65536), allocated(16384));
}

}  // namespace
}  // namespace plumb::fabric
