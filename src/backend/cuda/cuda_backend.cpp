// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cuda_backend.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backend/cuda/counters.h"
#include "backend/cuda/memory.h"
#include "core/validity.h"
#include "plumb/core/error.h"
#include "stats/describe.h"

namespace plumb::cuda {
namespace {

// A case is spread over launches, so that one unlucky placement or clock does not make all its samples.
constexpr int kLaunches = 3;
constexpr int kAttempts = 3;
constexpr double kClockTolerance = 0.005;

std::string bus_id(int device) {
  std::array<char, 32> id{};
  check(cudaDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), device), "reading the PCI address");
  return id.data();
}

void append(Samples& all, const Samples& more) {
  for (const auto& [name, rows] : more) {
    Column& column = all[name];
    column.resize(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      column[r].insert(column[r].end(), rows[r].begin(), rows[r].end());
  }
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t more) {
  std::uint64_t x = seed ^ (more * 0x9E3779B97F4A7C15U);
  x = (x ^ (x >> 31)) * 0x94D049BB133111EBU;
  return x ^ (x >> 29);
}

}  // namespace

CudaBackend::CudaBackend(const Card& card, const Cards& machine, CardProgram program, std::uint64_t seed)
    : card_(card),
      driver_version_(machine.driver_version),
      cuda_version_(machine.cuda_version),
      program_(std::move(program)),
      seed_(seed),
      nvml_(bus_id(card.index)) {
  check(cudaSetDevice(card.index), "choosing the card");
}

Provenance CudaBackend::provenance() const {
  Provenance p;
  p.backend = "cuda";
  p.gpu_name = card_.name;
  p.gpu_uuid_hash = card_.uuid_hash;
  p.compute_capability = fmt::format("{}.{}", card_.compute_major, card_.compute_minor);
  p.sm_count = card_.sm_count;
  p.driver_version = driver_version_;
  p.cuda_version = cuda_version_;
  p.ecc = card_.ecc ? "on" : "off";
  p.clocks_mhz["sm_max"] = card_.max_sm_clock_mhz;
  if (const auto mhz = nvml_.sm_clock_mhz()) p.clocks_mhz["sm"] = *mhz;
  if (const auto mhz = nvml_.memory_clock_mhz()) p.clocks_mhz["memory"] = *mhz;
  return p;
}

Measurement CudaBackend::once(const Case& point, std::uint64_t seed) const {
  Measurement m{.point = point, .samples = {}, .conditions = {}};
  std::vector<double> clocks;
  int done = 0;
  for (int launch = 0; launch < kLaunches && done < point.samples; ++launch) {
    const int here = (point.samples - done + kLaunches - launch - 1) / (kLaunches - launch);
    const Samples samples = program_(point, here, mix(seed, static_cast<std::uint64_t>(launch)));
    clocks.push_back(clock_ghz(samples));
    append(m.samples, samples);
    done += here;
  }
  rebase_clocks(m.samples);

  auto& flags = m.conditions.flags;
  const auto [slowest, fastest] = std::minmax_element(clocks.begin(), clocks.end());
  if (*fastest > 0.0) m.conditions.readings["sm_clock_GHz"] = stats::median(clocks);
  if (*fastest > *slowest * (1 + kClockTolerance))
    flags.push_back(fmt::format("the SM clock moved between {:.3f} and {:.3f} GHz", *slowest, *fastest));
  if (const auto celsius = nvml_.temperature_c()) m.conditions.readings["temperature_C"] = *celsius;
  if (const auto watts = nvml_.power_w()) m.conditions.readings["power_W"] = *watts;
  for (const std::string& reason : nvml_.throttle_reasons()) flags.push_back("throttled: " + reason);
  if (const auto processes = nvml_.processes(); processes && *processes > 1)
    flags.push_back(fmt::format("{} processes use the card", *processes));
  if (const std::size_t shared = count_shared_sms(m.samples); shared > 0)
    flags.push_back(fmt::format("{} samples had two ranks on one SM", shared));
  if (const std::size_t wrong = count_wrong_payload(m.samples); wrong > 0)
    flags.push_back(fmt::format("{} samples had a wrong payload", wrong));
  return m;
}

Measurement CudaBackend::run(const Case& point) {
  validate(point.site);
  std::uint64_t key = seed_;
  for (const char c : id_of(point)) key = mix(key, static_cast<unsigned char>(c));
  Measurement m;
  try {
    m = measured(point, key);
    // One line for all that goes without them; no reason to measure again.
    if (const std::string why = Counters::untold_refusal(); !why.empty())
      m.conditions.flags.push_back(fmt::format("no hardware counters, and all else goes on: {}", why));
  } catch (const Unsupported& error) {
    m = {.point = point, .samples = {}, .conditions = {.readings = {}, .flags = {error.what()}}};
  }
  return m;
}

Measurement CudaBackend::measured(const Case& point, std::uint64_t key) const {
  const bool heated = point.site.heat_ms > 0;
  Measurement m;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    m = once(point, mix(key, static_cast<std::uint64_t>(attempt)));
    // Under heat the clock is meant to be low, and again it would be no other.
    if (m.conditions.flags.empty() || heated) break;
  }
  return m;
}

}  // namespace plumb::cuda
