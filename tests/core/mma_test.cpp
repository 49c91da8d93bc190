// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/mma.h"

#include "support.h"

namespace plumb {
namespace {

using test::message_of;
using enum Number;

Mma hopper() { return {}; }
Mma blackwell() { return {.family = MmaFamily::tcgen05, .m = 128, .n = 128}; }
Mma baseline() {
  return {.family = MmaFamily::mma_sync, .m = 16, .n = 8, .operands = Operands::rr, .batches = 4};
}
Mma library() { return {.family = MmaFamily::library, .m = 8192, .n = 8192}; }

template <class Change>
std::string refusal(Mma work, Change&& change) {
  change(work);
  return message_of([&] { validate(work); });
}

TEST(Mma, AnInstructionTakes32BytesOfEachRow) {
  EXPECT_EQ(k_of({.input = bf16}), 16);
  EXPECT_EQ(k_of({.input = tf32}), 8);
  EXPECT_EQ(k_of({.input = e4m3}), 32);
  EXPECT_EQ(k_of({.input = mxf4}), 64);
  EXPECT_EQ(k_of({.input = e2m1}), 32);  // kind::f8f6f4 keeps 4 bits in a byte
  EXPECT_EQ(k_of({.input = s8, .output = s32, .sparse = true}), 64);
}

TEST(Mma, FlopAndInstructionsAreCounted) {
  EXPECT_EQ(flop_of(hopper()), 2 * 64 * 128 * 16);
  EXPECT_EQ(flop_of(library()), 2LL * 8192 * 8192 * 8192);
  EXPECT_EQ(instructions({.groups = 3, .in_flight = 4, .batches = 5}), 60);
  Mma pair = blackwell();
  pair.m = 256;
  pair.groups = 2;
  pair.batches = 7;
  EXPECT_EQ(instructions(pair), 7);  // two SMs, one instruction
}

TEST(Mma, NamesGoThereAndBack) {
  for (const auto f : {MmaFamily::wgmma, MmaFamily::tcgen05, MmaFamily::mma_sync, MmaFamily::library})
    EXPECT_EQ(mma_family_from(name_of(f)), f);
  for (int n = 0; n <= static_cast<int>(s32); ++n)
    EXPECT_EQ(number_from(name_of(static_cast<Number>(n))), static_cast<Number>(n));
  for (const auto o : {Operands::ss, Operands::rs, Operands::ts, Operands::rr})
    EXPECT_EQ(operands_from(name_of(o)), o);
  for (const auto d : {MmaData::random, MmaData::zeros, MmaData::constant, MmaData::activations})
    EXPECT_EQ(mma_data_from(name_of(d)), d);
  EXPECT_EQ(message_of([] { (void)operands_from("sr"); }),
            "unknown operands 'sr'; allowed are ss, rs, ts, rr.");
}

TEST(Mma, AnInstructionHasAName) {
  EXPECT_EQ(instruction_of({.input = e5m2, .output = f16, .n = 64, .operands = Operands::rs}),
            "wgmma e5m2.f16 m64n64k32 rs");
  EXPECT_EQ(instruction_of({.a_mn_major = true, .sparse = true}),
            "wgmma.sp bf16.f32 m64n128k32 ss A-MN-major");
}

TEST(Mma, WhatIsLegalPasses) {
  for (const Mma& w : {hopper(), blackwell(), baseline(), library()}) validate(w);
  validate({.input = s8, .output = s32, .n = 24});
  validate({.n = 256, .groups = 3});
  validate({.family = MmaFamily::tcgen05,
            .input = nvf4,
            .m = 256,
            .n = 16,
            .operands = Operands::ts,
            .groups = 2});
}

TEST(Mma, WgmmaRefusesByName) {
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.input = mxf4; }),
            "input = mxf4: wgmma takes bf16, f16, tf32, e4m3, e5m2, s8, u8.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.output = f16; }), "output = f16: wgmma of bf16 adds in f32.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.input = e4m3, w.output = s32; }),
            "output = s32: wgmma of e4m3 adds in f16, f32.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.operands = Operands::ts; }), "operands = ts: wgmma has ss, rs.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.m = 128; }), "m = 128: wgmma has m = 64.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.n = 12; }), "n = 12: wgmma takes 8 to 256 in steps of 8.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.input = u8, w.output = s32, w.n = 40; }),
            "n = 40: wgmma of u8 takes 8, 16, 24, 32, and above in steps of 16.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.groups = 5; }), "groups = 5: allowed is 1 to 4 warpgroups.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.groups = 4, w.n = 256; }),
            "groups = 4: the registers of an SM hold the accumulators of 3 warpgroups with n = 256, operands "
            "= ss.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.groups = 3, w.n = 256, w.operands = Operands::rs; }),
            "groups = 3: the registers of an SM hold the accumulators of 2 warpgroups with n = 256, operands "
            "= rs.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.input = tf32, w.b_mn_major = true; }),
            "b_mn_major = true: only 16-bit numbers can be stored so, and tf32 are not.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.a_mn_major = true, w.operands = Operands::rs; }),
            "a_mn_major = true: A is not in shared memory (operands = rs).");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.sparse = true, w.swizzle = Swizzle::b32; }),
            "swizzle = 32B: a sparse instruction takes 64 bytes of each column of B; give 64B or 128B.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.sparse = true, w.b_mn_major = true; }),
            "sparse = true: it is measured with both tiles K-major.");
}

TEST(Mma, Tcgen05RefusesByName) {
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.operands = Operands::rs; }),
            "operands = rs: tcgen05 has ss, ts.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.groups = 3; }),
            "groups = 3: one instruction runs on 1 or 2 SMs.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.m = 256; }),
            "m = 256: tcgen05 of bf16 on 1 SM takes 64, 128.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.m = 64, w.groups = 2; }),
            "m = 64: tcgen05 of bf16 on 2 SMs takes 128, 256.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.m = 64, w.input = mxf8; }),
            "m = 64: tcgen05 of mxf8 on 1 SM takes 128.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.n = 264; }),
            "n = 264: tcgen05 of bf16 on 1 SM takes 8 to 256 in steps of 8.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.n = 24, w.groups = 2; }),
            "n = 24: tcgen05 of bf16 on 2 SMs takes 16 to 256 in steps of 16.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.input = s8, w.output = s32, w.n = 40; }),
            "n = 40: tcgen05 of s8 on 1 SM takes 8, 16, 24, and 32 to 256 in steps of 16.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.input = s8, w.output = s32, w.n = 80, w.groups = 2; }),
            "n = 80: tcgen05 of s8 on 2 SMs takes 32 to 256 in steps of 32.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.input = mxf4, w.output = f16; }),
            "output = f16: tcgen05 of mxf4 adds in f32.");
  EXPECT_EQ(refusal(blackwell(), [](Mma& w) { w.sparse = true; }),
            "sparse = true: only wgmma is measured so, not tcgen05.");
  EXPECT_EQ(
      refusal(blackwell(), [](Mma& w) { w.input = e2m1, w.operands = Operands::ts; }),
      "operands = ts: how e2m1 lie in tensor memory is not documented well enough to be checked; give ss.");
}

TEST(Mma, TheOthersRefuseByName) {
  EXPECT_EQ(refusal(baseline(), [](Mma& w) { w.n = 16; }), "m = 16, n = 16: mma.sync has m = 16, n = 8.");
  EXPECT_EQ(refusal(baseline(), [](Mma& w) { w.groups = 17; }), "groups = 17: allowed is 1 to 16 warps.");
  EXPECT_EQ(refusal(baseline(), [](Mma& w) { w.in_flight = 3; }),
            "in_flight = 3: mma.sync has 1, 2, 4 or 8 accumulators.");
  EXPECT_EQ(refusal(baseline(), [](Mma& w) { w.batches = 6; }),
            "batches = 6: mma.sync walks 4 steps of K; give a multiple of that.");
  EXPECT_EQ(refusal(baseline(), [](Mma& w) { w.swizzle = Swizzle::none; }),
            "swizzle = none: mma.sync has no tiles in shared memory; leave swizzle and majors as they are.");
  EXPECT_EQ(refusal(library(), [](Mma& w) { w.n = 256; }),
            "m = 8192, n = 256: a library's product is square, 256 to 32768 in steps of 256.");
  EXPECT_EQ(refusal(library(), [](Mma& w) { w.groups = 2; }), "groups = 2: a library's product has one.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.in_flight = 0; }), "in_flight = 0: allowed is 1 to 1024.");
  EXPECT_EQ(refusal(hopper(), [](Mma& w) { w.batches = 0; }), "batches = 0: allowed is 1 to 16777216.");
}

}  // namespace
}  // namespace plumb
