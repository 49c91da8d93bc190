// SPDX-License-Identifier: Apache-2.0
#include "dsm/access_model.h"

#include <algorithm>

#include "dsm/lanes.h"

namespace plumb::dsm {
namespace {

constexpr double kSector = 32;
constexpr double kGranule = 16;
constexpr double kPair = 64;
constexpr double kLine = 128;

/// Bytes of one warp instruction.
double bytes_of(const Access& a) { return static_cast<double>(lanes_of(a.form)) * a.width; }

/// Whether the access goes out to the network: the asynchronous forms do even where they stay at home.
bool takes_the_way(const Access& a) {
  return a.target == Target::peer || (a.target == Target::own && has_mbarrier(a.form));
}

double store_flits(const Access& a) {
  const double pairs = blocks_touched(a, static_cast<std::int64_t>(kPair));
  if (bytes_of(a) > pairs * kPair - 0.5) return 2 * pairs;
  return blocks_touched(a, static_cast<std::int64_t>(kGranule));
}

AccessModel from_flits(double flits, const model::DsmParameters& p, std::string text) {
  const double cycles = flits * p.clients / p.lanes;
  return {model::Expected{cycles, cycles * (1 - p.repeat), cycles * (1 + p.repeat)}, std::move(text)};
}

/// Cycles of `bytes` at a rate that has an interval.
AccessModel from_rate(double bytes, const model::Expected& rate, const model::DsmParameters& p,
                      std::string text) {
  return {model::Expected{bytes / rate.value, bytes / rate.high * (1 - p.repeat),
                          bytes / rate.low * (1 + p.repeat)},
          std::move(text)};
}

AccessModel load(const Access& a, const model::DsmParameters& p) {
  const Access usual;
  if (a.warps != usual.warps || a.in_flight != usual.in_flight) {
    const model::Expected rate = model::in_flight_rate(a.warps, a.in_flight, p);
    if (rate.high < model::lane_share(p)) return from_rate(bytes_of(a), rate, p, "bytes in flight");
  }
  return from_flits(blocks_touched(a, static_cast<std::int64_t>(kSector)), p, "shaper: a flit a sector");
}

AccessModel add(const Access& a, const model::DsmParameters& p) {
  const bool side_by_side = a.lanes == Lanes::coalesced || a.lanes == Lanes::shuffled;
  if (side_by_side)
    return from_flits(bytes_of(a) / kLine * (kLine / p.lane_bytes + 1), p, "shaper: a fifth flit for adds");
  if (a.form == Form::async_red) return from_flits(kLanes, p, "shaper: a flit a word");
  return {std::nullopt, "plain adds to scattered words have two modes"};
}

AccessModel bulk(const Access& a, const model::DsmParameters& p) {
  model::Expected rate = model::command_rate(a.width, p);
  const double share = model::lane_share(p);
  const auto of_all = [&](double one) { return std::min(one * a.warps, share); };
  rate = {of_all(rate.value), of_all(rate.low), of_all(rate.high)};
  return from_rate(a.width, rate, p, rate.value < share ? "command set-up" : "shaper");
}

}  // namespace

AccessModel access_model(const Access& a, const model::DsmParameters& p) {
  if (!takes_the_way(a)) return {std::nullopt, "it stays in the SM"};
  if (a.lanes == Lanes::broadcast) return {std::nullopt, "a broadcast waits for latency, or for one address"};
  switch (a.form) {
    case Form::load:
    case Form::generic_load:
      return load(a, p);
    case Form::store:
    case Form::async_store:
      return from_flits(store_flits(a), p, "shaper: granules of 16 bytes");
    case Form::red:
    case Form::async_red:
      return add(a, p);
    case Form::bulk:
      return bulk(a, p);
  }
  return {};
}

}  // namespace plumb::dsm
