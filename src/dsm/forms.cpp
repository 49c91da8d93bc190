// SPDX-License-Identifier: Apache-2.0
// The rate of one SM by the form of its accesses, to its own shared memory and to that of another SM.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "dsm/experiments.h"
#include "dsm/slopes.h"
#include "dsm/times.h"

namespace plumb::dsm {
namespace {

constexpr double kPort = 128.0;        // B/cycle: 32 banks of 4 bytes
constexpr double kWayIn = 64.0 / 3.0;  // B/cycle between SMs: 2/3 of a 32-byte lane (dsm/pair)
const std::vector<std::string> kOrder{"form", "target", "pattern", "width", "flight"};

Sizes sizes_of(const Request& request) {
  constexpr std::int64_t kUnit = std::int64_t{256} * 1024;  // a multiple of every window
  if (request.quick) return {.bytes = {kUnit, 3 * kUnit}, .samples = 12};
  return {.bytes = {kUnit, 2 * kUnit, 3 * kUnit}, .samples = 30};
}

/// Collects the cases, a series at a time.
class Catalog {
 public:
  explicit Catalog(const Request& request) : sizes_(sizes_of(request)) {}

  void add(const Access& a) {
    Axes axes{{"form", std::string(name_of(a.form))},
              {"target", std::string(name_of(a.target))},
              {"pattern", pattern_of(a)},
              {"width", std::int64_t{a.width}}};
    const Access usual;
    const bool plain =
        a.form == Form::bulk ? a.warps == 1 : a.warps == usual.warps && a.in_flight == usual.in_flight;
    if (!plain) axes["flight"] = fmt::format("{}x{}", a.warps, a.in_flight);
    append(out_, slope_cases("dsm/forms", axes, a, sizes_));
  }
  void add(Form form, std::initializer_list<Target> targets, std::initializer_list<int> widths,
           Lanes lanes = Lanes::coalesced, int stride = 1, int run = 1) {
    for (const Target target : targets)
      for (const int width : widths)
        add({.form = form, .target = target, .lanes = lanes, .stride = stride, .run = run, .width = width});
  }
  std::vector<Case> take() { return std::move(out_); }

 private:
  Sizes sizes_;
  std::vector<Case> out_;
};

/// Every form in its best pattern.
void add_forms(Catalog& to) {
  using enum Target;
  to.add(Form::load, {local, peer}, {4, 8, 16});
  to.add(Form::load, {own}, {4, 16});
  to.add(Form::generic_load, {local, own, peer}, {4, 16});
  to.add(Form::store, {local, peer}, {4, 8, 16});
  to.add(Form::store, {own}, {4, 16});
  to.add(Form::async_store, {peer}, {4, 8, 16});
  to.add(Form::async_store, {own}, {16});
  to.add(Form::red, {local, own, peer}, {4, 8});
  to.add(Form::async_red, {own, peer}, {4, 8});
  for (const int width : {64, 256, 1024, 4096, 16384}) {
    const int in_flight = width > 8192 ? 2 : 8;
    to.add({.form = Form::bulk, .target = peer, .width = width, .warps = 1, .in_flight = in_flight});
    if (width >= 1024)
      to.add({.form = Form::bulk, .target = own, .width = width, .warps = 1, .in_flight = in_flight});
  }
  for (const int warps : {4, 16}) to.add({.form = Form::bulk, .target = peer, .width = 256, .warps = warps});
}

/// What bank conflicts cost at home, and what lines cost on the way.
void add_patterns(Catalog& to) {
  using enum Target;
  for (const int stride : {2, 4, 8, 16, 32}) to.add(Form::load, {local, peer}, {4}, Lanes::strided, stride);
  to.add(Form::load, {own}, {4}, Lanes::strided, 32);
  to.add(Form::store, {own}, {4}, Lanes::strided, 32);
  for (const Lanes lanes : {Lanes::swizzled, Lanes::broadcast, Lanes::shuffled, Lanes::shuffled_4k})
    to.add(Form::load, {local, peer}, {4}, lanes);
  for (const int run : {4, 8, 16}) {
    to.add(Form::load, {peer}, {4}, Lanes::strided, 32, run);
    to.add(Form::store, {peer}, {4}, Lanes::strided, 32, run);
  }
  for (const int stride : {2, 8}) to.add(Form::load, {local, peer}, {16}, Lanes::strided, stride);
  to.add(Form::load, {peer}, {16}, Lanes::strided, 8, 2);
  for (const int run : {2, 4}) to.add(Form::store, {peer}, {16}, Lanes::strided, 8, run);
  to.add(Form::load, {local, peer}, {16}, Lanes::shuffled_4k);
  for (const int stride : {2, 4, 8, 32}) to.add(Form::store, {peer}, {4}, Lanes::strided, stride);
  to.add(Form::store, {local}, {4}, Lanes::strided, 32);
  to.add(Form::store, {local, peer}, {4}, Lanes::swizzled);
  for (const Lanes lanes : {Lanes::shuffled, Lanes::shuffled_4k}) to.add(Form::store, {peer}, {4}, lanes);
  for (const int stride : {2, 8}) to.add(Form::store, {peer}, {16}, Lanes::strided, stride);
  to.add(Form::async_store, {peer}, {4}, Lanes::strided, 32);
  to.add(Form::async_store, {peer}, {4}, Lanes::shuffled);
  for (const Lanes lanes : {Lanes::broadcast, Lanes::shuffled}) to.add(Form::red, {local, peer}, {4}, lanes);
  to.add(Form::red, {local, peer}, {4}, Lanes::strided, 32);
  to.add(Form::async_red, {peer}, {4}, Lanes::broadcast);
  to.add(Form::async_red, {peer}, {4}, Lanes::strided, 32);
}

/// What an SM must have in flight for these rates.
void add_flights(Catalog& to) {
  for (const Target target : {Target::local, Target::peer})
    for (const auto& [warps, in_flight] : {std::pair{1, 1}, {1, 8}, {4, 1}, {4, 4}, {4, 8}, {16, 1}})
      to.add({.form = Form::load, .target = target, .warps = warps, .in_flight = in_flight});
}

std::vector<Case> cases(const Request& request) {
  Catalog catalog(request);
  add_forms(catalog);
  add_patterns(catalog);
  add_flights(catalog);
  return catalog.take();
}

/// The same quantity seen otherwise: value and interval, which turn round where `f` falls.
template <class F>
Finding seen_as(const Finding& rate, std::string_view what, std::string_view unit, F&& f) {
  Finding out = rate;
  out.name = rate.name.substr(0, rate.name.rfind('/') + 1) + std::string(what);
  out.unit = unit;
  out.value = f(rate.value);
  out.low = std::min(f(rate.low), f(rate.high));
  out.high = std::max(f(rate.low), f(rate.high));
  return out;
}

/// To the rates of slope_findings: /port, % of the 128 B/cycle of an SM's shared memory, or to a peer
/// /way-in, % of the 21.33 B/cycle between SMs; and but for bulk copies /instruction, the cycles that one
/// warp instruction takes.
std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::map<std::string, const Access*> accesses;
  for (const Measurement& m : measurements)
    if (const auto* a = std::get_if<Access>(&m.point.work))
      accesses[name_by_axes(m.point, kOrder) + "/rate"] = a;
  std::vector<Finding> out;
  for (Finding& f : slope_findings(measurements, kOrder)) {
    const auto it = accesses.find(f.name);
    out.push_back(std::move(f));
    if (it == accesses.end()) continue;
    const Finding rate = out.back();
    const Access& a = *it->second;
    const bool far = a.target == Target::peer;
    const double all = far ? kWayIn : kPort;
    out.push_back(seen_as(rate, far ? "way-in" : "port", "%", [&](double r) { return 100.0 * r / all; }));
    if (a.form != Form::bulk)
      out.push_back(seen_as(rate, "instruction", "cycles", [&](double r) { return kLanes * a.width / r; }));
  }
  return out;
}

}  // namespace

Experiment forms() {
  return {.name = "dsm/forms",
          .question =
              "What does one SM reach by each form of access, to its own shared memory and to that of "
              "another SM, and what do narrow, strided and conflicting accesses cost?",
          .seconds_a_case = 0.004,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::dsm
