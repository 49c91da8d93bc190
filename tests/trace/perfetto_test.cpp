// SPDX-License-Identifier: Apache-2.0
#include "trace/perfetto.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "plumb/core/named_pattern.h"
#include "plumb/fabric/simulation.h"
#include "support.h"
#include "trace/trace_event.h"

namespace plumb::trace {
namespace {

using Json = nlohmann::json;
using Problems = std::vector<std::string>;

std::string traced(const Traffic& traffic, const fabric::Parameters& parameters = {},
                   std::uint64_t seed = 0) {
  const fabric::Topology topology({}, traffic.ranks);
  Perfetto trace(topology);
  (void)fabric::simulate(traffic, parameters, topology, {.seed = seed, .observer = &trace});
  return trace.json();
}

Json events(const std::string& text) { return Json::parse(text)["traceEvents"]; }

Traffic one(Op op, std::int64_t bytes) {
  return {.ranks = 2, .flows = {{.source = 0, .destination = 1, .op = op, .bytes = bytes, .warps = 1}}};
}

int arrows(const Json& all) {
  int count = 0;
  for (const Json& e : all) count += e["ph"] == "s" ? 1 : 0;
  return count;
}

/// Flits of a kind on the tracks of ingress lanes or of planes.
int flits(const Json& all, const std::string& kind, const std::string& tracks) {
  std::set<int> wanted;
  for (const Json& e : all)
    if (e["name"] == "thread_name" && e["args"]["name"].get<std::string>().starts_with(tracks))
      wanted.insert(e["tid"].get<int>());
  int count = 0;
  for (const Json& e : all)
    if (e["ph"] == "X" && wanted.contains(e["tid"].get<int>()) &&
        e["name"].get<std::string>().starts_with(kind))
      count += e["args"]["flits"].get<int>();
  return count;
}

TEST(Perfetto, EveryPatternOfEveryOpIsAValidTrace) {
  for (const Pattern& p : patterns()) {
    for (const Op op : {Op::load, Op::store, Op::put})
      EXPECT_EQ(
          test::trace_problems(traced(make_pattern(p.name, {.ranks = 6}, {.op = op, .bytes = 2048}), {}, 3)),
          Problems{})
          << p.name;
  }
}

TEST(Perfetto, LanesOfTwoFlitsAndFastFabricsAreValidToo) {
  const Traffic ring = make_pattern("ring", {.ranks = 18}, {.op = Op::put, .bytes = 8192});
  fabric::Parameters p;
  p.lane_bytes = 64;
  EXPECT_EQ(test::trace_problems(traced(ring, p)), Problems{});
  p.clock_ratio = {3, 2};
  EXPECT_EQ(test::trace_problems(traced(ring, p)), Problems{});
}

// 1 KiB is 8 packets of 128 bytes, which are 4 flits each; the put's one command adds a flit.
TEST(Perfetto, EveryFlitIsOnALaneAndOnAPlane) {
  const Json put = events(traced(one(Op::put, 1024)));
  EXPECT_EQ(flits(put, "put 0>1", "CPC"), 33);
  EXPECT_EQ(flits(put, "put 0>1", "GX"), 33);
  EXPECT_EQ(flits(put, "put 0>1", "SM 1 in"), 33);
  EXPECT_EQ(flits(put, "put 0>1", "SM 0 requests out"), 33);
  const Json load = events(traced(one(Op::load, 1024)));
  EXPECT_EQ(flits(load, "read 1>0", "CPC"), 8);
  EXPECT_EQ(flits(load, "data 0>1", "CPC"), 32);
  EXPECT_EQ(flits(load, "data 0>1", "SM 0 responses out"), 32);
}

// Each read command has its data; 1 KiB of writes is acknowledged once at 768 bytes and once when idle.
TEST(Perfetto, ArrowsGoFromEachRequestToItsResponse) {
  EXPECT_EQ(arrows(events(traced(one(Op::load, 1024)))), 8);
  EXPECT_EQ(arrows(events(traced(one(Op::store, 1024)))), 2);
  fabric::Parameters each;
  each.acks = fabric::Acks::each;
  EXPECT_EQ(arrows(events(traced(one(Op::store, 1024), each))), 8);
}

TEST(Perfetto, EverySmLaneAndPlaneHasATrack) {
  std::set<std::string> names;
  for (const Json& e : events(traced(one(Op::put, 16))))
    if (e["name"] == "thread_name") names.insert(e["args"]["name"].get<std::string>());
  EXPECT_EQ(names.size(), 2U * 3 + 3 * 4 + 2 * 6);
  for (const char* name :
       {"SM 0 requests out", "SM 1 responses out", "SM 1 in", "CPC 2 lane 3 to GX1", "GX0 to egress block 5"})
    EXPECT_EQ(names.count(name), 1U) << name;
}

/// A valid trace with one slice, one arrow and the names that they need.
Json good() {
  return Json::parse(R"({"traceEvents":[
    {"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"p"}},
    {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"t"}},
    {"ph":"X","pid":1,"tid":1,"ts":5,"dur":9,"name":"a","cat":"c"},
    {"ph":"s","pid":1,"tid":1,"ts":5,"id":1,"name":"a","cat":"c"},
    {"ph":"f","bp":"e","pid":1,"tid":1,"ts":6,"id":1,"name":"a","cat":"c"}]})");
}

TEST(TraceCheck, FindsEachKindOfDamage) {
  const auto first = [](const std::function<void(Json&)>& damage) {
    Json trace = good();
    damage(trace["traceEvents"]);
    const auto problems = test::trace_problems(trace.dump());
    return problems.empty() ? std::string() : problems.front().substr(0, problems.front().find(':'));
  };
  EXPECT_EQ(first([](Json&) {}), "");
  EXPECT_EQ(first([](Json& e) { e[2].erase("dur"); }), "an event without a proper dur");
  EXPECT_EQ(first([](Json& e) { e[2]["ts"] = "5"; }), "an event without a proper ts");
  EXPECT_EQ(first([](Json& e) { e[2]["dur"] = 0; }), "a slice without length");
  EXPECT_EQ(first([](Json& e) { e[2]["ph"] = "Q"; }), "an unknown phase Q");
  EXPECT_EQ(first([](Json& e) { e.erase(1); }), "a track without a thread_name");
  EXPECT_EQ(first([](Json& e) { e.erase(0); }), "a track without a process_name");
  EXPECT_EQ(first([](Json& e) { e.erase(4); }), "an arrow with one end");
  EXPECT_EQ(first([](Json& e) { e[4].erase("bp"); }), "an arrow's head that does not bind to its slice");
  EXPECT_EQ(first([](Json& e) { e[4]["ts"] = 4; }), "time runs backwards on a track");
  EXPECT_EQ(first([](Json& e) { e[4]["ts"] = 14; }), "an arrow that ends in no slice");
  EXPECT_EQ(first([](Json& e) { e[4]["cat"] = "d"; }), "an arrow whose ends differ in name or category");
  EXPECT_EQ(first([](Json& e) {
              Json more = e[2];
              more["ts"] = 6;
              e.push_back(more);
            }),
            "slices that overlap and do not nest");
  EXPECT_EQ(test::trace_problems("{"), Problems{"no JSON"});
  EXPECT_EQ(test::trace_problems("{}"), Problems{"no traceEvents"});
}

}  // namespace
}  // namespace plumb::trace
