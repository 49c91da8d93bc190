// SPDX-License-Identifier: Apache-2.0
#include "copy/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "copy/rates.h"
#include "stats/describe.h"

namespace plumb::copy {
namespace {

constexpr std::uint64_t kSeed = 20260105;
constexpr int kLanes = 32;
constexpr std::size_t kLeastRates = 8;
constexpr std::size_t kLeastWaves = 5;
constexpr double kKiB = 1024.0;

/// Of a path, under the name of its finding.
struct Parameter {
  std::string_view name;
  double model::Path::*member;
  const char* unit;
};
constexpr std::array<Parameter, model::kPathParameters> kParameters{
    {{"latency", &model::Path::latency_ns, "ns"},
     {"ceiling-sm", &model::Path::ceiling, "GB/s"},
     {"sharpness", &model::Path::sharpness, ""},
     {"per-stage", &model::Path::stage_ns, "ns"},
     {"per-KiB-of-command", &model::Path::command_ns, "ns"},
     {"issue", &model::Path::issue_ns, "ns"},
     {"unit", &model::Path::unit_ns, "ns"},
     {"port", &model::Path::port, "GB/s"}}};

std::string name_of_model(const std::string& experiment, const Selection& which) {
  return fmt::format("{}/model/{}{}", experiment, name_of(which.from),
                     which.layout == Layout::paged ? "/paged" : "");
}

const Copy* chosen(const Measurement& m, const Selection& which) {
  const auto* c = std::get_if<Copy>(&m.point.work);
  if (c == nullptr || c->path != which.path || c->from != which.from || c->layout != which.layout ||
      c->in_step)
    return nullptr;
  if (c->sharing != Sharing::none || c->cluster != 1) return nullptr;
  if (c->swizzle != Swizzle::none || c->promotion != Promotion::none) return nullptr;
  if (c->path == CopyPath::tma && (c->box.size() != 2 || c->box.front() < kLanes)) return nullptr;
  return c;
}

}  // namespace

model::Flight flight_of(const Copy& c) {
  const double issuers = static_cast<double>(c.ctas) * c.threads / kLanes;
  return {.bytes = static_cast<double>(sm_flight_bytes(c)),
          .stages = static_cast<double>(c.stages),
          .issuers = issuers,
          .command = c.path == CopyPath::ldgsts ? static_cast<double>(c.width) * kLanes
                                                : static_cast<double>(tile_bytes(c))};
}

std::optional<model::Rated> rated(const Measurement& m, const Selection& which) {
  const Copy* c = chosen(m, which);
  if (c == nullptr || is_wave_of(m)) return std::nullopt;
  const std::vector<double> rates = grid_rates(m);
  const int sms = sms_of(m);
  if (rates.empty() || sms <= 0) return std::nullopt;
  return model::Rated{flight_of(*c), stats::median(rates) / sms};
}

std::vector<model::Rated> rated(std::span<const Measurement> measurements, const Selection& which) {
  std::vector<model::Rated> out;
  for (const Measurement& m : measurements)
    if (const auto r = rated(m, which)) out.push_back(*r);
  return out;
}

std::vector<model::Timed> timed(std::span<const Measurement> measurements, const Selection& which) {
  std::vector<model::Timed> out;
  const double clock = clock_of(measurements);
  for (const Measurement& m : measurements) {
    const Copy* c = chosen(m, which);
    if (c == nullptr || !is_wave_of(m)) continue;
    if (const auto l = latency_of(m, clock))
      out.push_back({.bytes = static_cast<double>(sm_flight_bytes(*c)),
                     .commands = static_cast<double>(sm_flight_bytes(*c)) / flight_of(*c).command,
                     .ns = l->ns,
                     .least = l->least,
                     .most = l->most});
  }
  return out;
}

std::optional<model::PathFit> rate_model(std::span<const Measurement> measurements, const Selection& which) {
  const std::vector<model::Rated> points = rated(measurements, which);
  if (points.size() < kLeastRates) return std::nullopt;
  return model::fit_path(points, kSeed);
}

std::optional<model::WaveFit> wave_model(std::span<const Measurement> measurements, const Selection& which) {
  const std::vector<model::Timed> points = timed(measurements, which);
  if (points.size() < 2 * kLeastWaves) return std::nullopt;
  return model::fit_wave(points, kSeed);
}

std::optional<model::Path> fitted(std::span<const Finding> findings, const std::string& experiment,
                                  const Selection& which) {
  model::Path path;
  for (const Parameter& p : kParameters) {
    const std::string name = fmt::format("{}/{}", name_of_model(experiment, which), p.name);
    const auto found =
        std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.name == name; });
    if (found == findings.end()) return std::nullopt;
    path.*p.member = found->value;
  }
  return path;
}

std::vector<Finding> model_findings(std::span<const Measurement> measurements, const std::string& experiment,
                                    CopyPath path) {
  std::vector<Finding> out;
  const auto put = [&](const std::string& name, const stats::Estimate& e, const char* unit,
                       std::vector<std::string> notes = {}) {
    out.push_back(finding(name, e, unit, "fit", {}, std::move(notes)));
  };
  const auto exact = [](double v) { return stats::Estimate{v, v, v}; };
  constexpr double kPercent = 100.0;
  for (const Memory from : {Memory::dram, Memory::l2})
    for (const Layout layout : {Layout::dense, Layout::paged}) {
      const Selection which{path, from, layout};
      const std::string name = name_of_model(experiment, which);
      if (const auto fit = rate_model(measurements, which)) {
        std::vector<std::string> notes;
        if (!fit->contrary.empty())
          notes.push_back(
              fmt::format("{} points that bring less than others with less on its way are set aside",
                          fit->contrary.size()));
        for (const Parameter& p : kParameters)
          put(fmt::format("{}/{}", name, p.name),
              {fit->path.*p.member, fit->low.*p.member, fit->high.*p.member}, p.unit,
              std::exchange(notes, {}));
        const auto kib = [](const stats::Estimate& e) {
          return stats::Estimate{e.value / kKiB, e.low / kKiB, e.high / kKiB};
        };
        put(name + "/knee-90", kib(fit->knee90), "KiB");
        put(name + "/knee-95", kib(fit->knee95), "KiB");
        put(name + "/held-out-median", exact(kPercent * fit->held_out_median), "%");
        put(name + "/held-out-most", exact(kPercent * fit->held_out_most), "%");
      }
      if (const auto fit = wave_model(measurements, which)) {
        std::vector<std::string> notes;
        if (!fit->outside.empty())
          notes.push_back(
              fmt::format("{} medians lie outside their own range and are set aside", fit->outside.size()));
        if (!fit->contrary.empty())
          notes.push_back(
              fmt::format("{} points of a second mode at equal bytes are set aside", fit->contrary.size()));
        put(name + "/wave-latency", exact(fit->wave.latency_ns), "ns", notes);
        put(name + "/wave-rate-sm", exact(fit->wave.rate), "GB/s");
        put(name + "/wave-sharpness", exact(fit->wave.sharpness), "");
        put(name + "/wave-per-command", exact(fit->wave.unit_ns), "ns");
        put(name + "/wave-held-out-median", exact(kPercent * fit->held_out_median), "%");
        put(name + "/wave-held-out-most", exact(kPercent * fit->held_out_most), "%");
      }
    }
  return out;
}

}  // namespace plumb::copy
