// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/case.h"
#include "core/provenance.h"

namespace plumb::test {

/// Any text that is valid UTF-8, with what JSON must escape in it.
inline rc::Gen<std::string> text() {
  return rc::gen::map(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12)), [](std::vector<int> parts) {
        static const std::vector<std::string> kPieces{"a",  "Z9",   " ", "\"",     "\\",     "\n",
                                                      "\t", "\x01", "/", "\u00b5", "\u6f22", "</script>"};
        std::string s;
        for (const int p : parts) s += kPieces[static_cast<std::size_t>(p)];
        return s;
      });
}

inline rc::Gen<double> real() {
  return rc::gen::map(rc::gen::arbitrary<std::int64_t>(),
                      [](std::int64_t i) { return std::ldexp(static_cast<double>(i), -40); });
}

inline Flow any_flow() {
  const auto size = [] { return *rc::gen::arbitrary<std::int64_t>(); };
  return Flow{.source = *rc::gen::inRange(0, 18),
              .destination = *rc::gen::inRange(0, 18),
              .op = *rc::gen::element(Op::load, Op::store, Op::put),
              .bytes = size(),
              .command = size(),
              .window = size(),
              .delay = size(),
              .burst = size(),
              .gap = size(),
              .source_skew = size(),
              .destination_skew = size(),
              .warps = *rc::gen::inRange(1, 33),
              .in_flight = *rc::gen::inRange(1, 9)};
}

inline Probe any_probe() {
  return {.op = static_cast<ProbeOp>(*rc::gen::inRange<std::size_t>(0, kProbeOps)),
          .ranks = *rc::gen::inRange(1, 19),
          .links = *rc::gen::inRange(1, 5000),
          .threads = *rc::gen::inRange(1, 1025)};
}

inline Access any_access() {
  return {.form = *rc::gen::element(Form::load, Form::generic_load, Form::store, Form::red, Form::async_store,
                                    Form::async_red, Form::bulk),
          .target = *rc::gen::element(Target::local, Target::own, Target::peer),
          .lanes = *rc::gen::element(Lanes::coalesced, Lanes::strided, Lanes::swizzled, Lanes::broadcast,
                                     Lanes::shuffled, Lanes::shuffled_4k),
          .stride = *rc::gen::inRange(1, 40),
          .run = *rc::gen::inRange(1, 40),
          .width = *rc::gen::inRange(1, 40),
          .warps = *rc::gen::inRange(1, 40),
          .in_flight = *rc::gen::inRange(1, 40),
          .bytes = *rc::gen::arbitrary<std::int64_t>()};
}

inline Mma any_mma() {
  return {
      .family =
          *rc::gen::element(MmaFamily::wgmma, MmaFamily::tcgen05, MmaFamily::mma_sync, MmaFamily::library),
      .input = static_cast<Number>(*rc::gen::inRange(0, 15)),
      .output = *rc::gen::element(Number::f32, Number::f16, Number::s32),
      .m = *rc::gen::inRange(1, 257),
      .n = *rc::gen::inRange(1, 257),
      .operands = *rc::gen::element(Operands::ss, Operands::rs, Operands::ts, Operands::rr),
      .a_mn_major = *rc::gen::arbitrary<bool>(),
      .b_mn_major = *rc::gen::arbitrary<bool>(),
      .swizzle = *rc::gen::element(Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128),
      .sparse = *rc::gen::arbitrary<bool>(),
      .groups = *rc::gen::inRange(1, 17),
      .in_flight = *rc::gen::inRange(1, 1025),
      .batches = *rc::gen::inRange(1, 1 << 24),
      .data = *rc::gen::element(MmaData::random, MmaData::zeros, MmaData::constant, MmaData::activations)};
}

inline Census any_census() {
  return {.ranks = *rc::gen::inRange(1, 40),
          .preferred = *rc::gen::inRange(0, 40),
          .per_sm = *rc::gen::inRange(1, 40),
          .clusters = *rc::gen::inRange(0, 4000),
          .hold = *rc::gen::arbitrary<std::int64_t>()};
}

inline Lookup any_lookup() {
  return {.addresses = *rc::gen::inRange(1, 5000),
          .span = *rc::gen::arbitrary<std::int64_t>(),
          .stride = *rc::gen::arbitrary<std::int64_t>(),
          .together = *rc::gen::arbitrary<bool>()};
}

inline Walk any_walk() {
  return {.op = *rc::gen::element(WalkOp::read, WalkOp::write),
          .sms = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 200)),
          .window = *rc::gen::arbitrary<std::int64_t>(),
          .rounds = *rc::gen::inRange(1, 5000),
          .same = *rc::gen::arbitrary<bool>()};
}

inline Copy any_copy() {
  Copy c{.path = *rc::gen::element(CopyPath::ldgsts, CopyPath::bulk, CopyPath::tma),
         .from = *rc::gen::element(Memory::l2, Memory::dram),
         .layout = *rc::gen::element(Layout::dense, Layout::paged),
         .threads = *rc::gen::inRange(1, 2000),
         .stages = *rc::gen::inRange(1, 20),
         .ctas = *rc::gen::inRange(1, 9),
         .in_step = *rc::gen::arbitrary<bool>(),
         .swizzle = *rc::gen::element(Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128),
         .promotion = *rc::gen::element(Promotion::none, Promotion::b64, Promotion::b128, Promotion::b256),
         .cluster = *rc::gen::inRange(1, 20),
         .sharing = *rc::gen::element(Sharing::none, Sharing::implicit, Sharing::multicast, Sharing::across),
         .bytes = *rc::gen::arbitrary<std::int64_t>()};
  if (c.path == CopyPath::ldgsts)
    c.width = *rc::gen::inRange(1, 40);  // the only path that has one
  else
    c.box = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 300));
  return c;
}

inline Stream any_stream() {
  return {.op = *rc::gen::element(StreamOp::read, StreamOp::write, StreamOp::copy),
          .memory = *rc::gen::element(Memory::shared, Memory::l2, Memory::dram),
          .footprint = *rc::gen::arbitrary<std::int64_t>(),
          .bytes = *rc::gen::arbitrary<std::int64_t>()};
}

inline Chase any_chase() {
  return {.way = *rc::gen::element(ChaseWay::add, ChaseWay::shared, ChaseWay::load, ChaseWay::load_l2,
                                   ChaseWay::ldgsts, ChaseWay::bulk),
          .nodes = *rc::gen::arbitrary<std::int64_t>(),
          .stride = *rc::gen::arbitrary<std::int64_t>(),
          .cold = *rc::gen::arbitrary<bool>(),
          .links = *rc::gen::inRange(1, 100000)};
}

inline Measurement any_measurement() {
  Measurement m;
  m.point.experiment = *text();
  const int axes = *rc::gen::inRange(0, 4);
  for (int i = 0; i < axes; ++i) {
    if (*rc::gen::arbitrary<bool>())
      m.point.axes[*text()] = *rc::gen::arbitrary<std::int64_t>();
    else
      m.point.axes[*text()] = *text();
  }
  m.point.samples = *rc::gen::inRange(1, 1000);
  Traffic traffic{.ranks = *rc::gen::inRange(1, 19), .flows = {}};
  const int flows = *rc::gen::inRange(0, 4);
  for (int i = 0; i < flows; ++i) traffic.flows.push_back(any_flow());
  const int backgrounds = *rc::gen::inRange(0, 3);
  for (int i = 0; i < backgrounds; ++i)
    traffic.background.push_back({.rank = *rc::gen::inRange(0, 18),
                                  .memory = *rc::gen::element(Memory::shared, Memory::l2, Memory::dram),
                                  .warps = *rc::gen::inRange(1, 32)});
  m.point.work = traffic;
  if (*rc::gen::inRange(0, 4) == 0) m.point.work = any_probe();
  if (*rc::gen::arbitrary<bool>()) m.point.work = any_access();
  if (*rc::gen::inRange(0, 2) == 0)
    m.point.work = *rc::gen::element<Work>(any_census(), any_lookup(), any_walk(), any_mma(), any_copy(),
                                           any_stream(), any_chase());
  if (*rc::gen::arbitrary<bool>())
    m.point.site = {.clusters = *rc::gen::inRange(0, 70),
                    .gpc = *rc::gen::inRange(-1, 8),
                    .policy = *rc::gen::element(Policy::standard, Policy::spread, Policy::balanced),
                    .heat_ms = *rc::gen::inRange(0, 50)};
  const int columns = *rc::gen::inRange(0, 4);
  for (int i = 0; i < columns; ++i) m.samples[*text()] = *rc::gen::arbitrary<Column>();
  if (*rc::gen::arbitrary<bool>()) m.conditions.readings[*text()] = *real();
  m.conditions.flags = *rc::gen::container<std::vector<std::string>>(text());
  return m;
}

inline Provenance any_provenance() {
  Provenance p{.backend = *text(),
               .tool_version = *text(),
               .tool_commit = *text(),
               .command_line = *text(),
               .date = *text(),
               .seed = *rc::gen::arbitrary<std::uint64_t>(),
               .gpu_name = *text(),
               .gpu_uuid_hash = *text(),
               .compute_capability = *text(),
               .sm_count = *rc::gen::inRange(0, 1000),
               .driver_version = *text(),
               .cuda_version = *text(),
               .clocks_mhz = {},
               .ecc = *text()};
  p.clocks_mhz[*text()] = *real();
  return p;
}

}  // namespace plumb::test
