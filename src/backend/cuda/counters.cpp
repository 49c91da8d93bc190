// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/counters.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "backend/cuda/memory.h"

namespace plumb::cuda {
namespace {

bool opened = false;  // Counters::here() was asked for

}  // namespace
}  // namespace plumb::cuda

#if __has_include(<cupti_range_profiler.h>)
#define PLUMB_HAVE_CUPTI
#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#endif

namespace plumb::cuda {

#ifdef PLUMB_HAVE_CUPTI
namespace {

/// What CUPTI does not do; caught in this file.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A parameter structure of CUPTI with its size, which says what version of it this is.
template <class Params>
Params sized(std::size_t size) {
  Params p{};
  p.structSize = size;
  return p;
}
#define PLUMB_PARAMS(name) sized<name##_Params>(name##_Params_STRUCT_SIZE)

CUcontext current_context() {
  constexpr unsigned kSince = 12000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CUcontext context = nullptr;
  check(cudaFree(nullptr), "waking the card");
  check(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, kSince, cudaEnableDefault, &found),
        "asking the driver for its context");
  if (function == nullptr || reinterpret_cast<CUresult (*)(CUcontext*)>(function)(&context) != CUDA_SUCCESS)
    throw Refused("the driver has no context");
  return context;
}

}  // namespace

struct Counters::Session {
  void* library = nullptr;
  CUcontext context = nullptr;
  std::string chip;
  std::vector<std::uint8_t> available;  // an image of what this driver lets be counted

  template <class Params>
  [[nodiscard]] CUptiResult result(const char* name, Params& params) const {
    auto* const function = reinterpret_cast<CUptiResult (*)(Params*)>(dlsym(library, name));
    if (function == nullptr) throw Refused(fmt::format("this CUPTI has no {}", name));
    return function(&params);
  }
  template <class Params>
  void call(const char* name, Params& params) const {
    const CUptiResult code = result(name, params);
    if (code == CUPTI_SUCCESS) return;
    if (code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
        code == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
      throw Refused(
          "the driver keeps hardware counters for administrators (ERR_NVGPUCTRPERM; the module option "
          "NVreg_RestrictProfilingToAdminUsers=0 opens them)");
    const char* text = nullptr;
    if (auto* const words = reinterpret_cast<CUptiResult (*)(CUptiResult, const char**)>(
            dlsym(library, "cuptiGetResultString")))
      (void)words(code, &text);
    throw Refused(
        fmt::format("{} says {}", name, text != nullptr ? text : fmt::format("error {}", int{code})));
  }

  explicit Session(const std::string& name) {
    for (const char* folder : {"", "/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/"}) {
      library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) break;
    }
    if (library == nullptr) throw Refused(fmt::format("{} was not found", name));
    auto initialize = PLUMB_PARAMS(CUpti_Profiler_Initialize);
    call("cuptiProfilerInitialize", initialize);
    context = current_context();
    int device = 0;
    check(cudaGetDevice(&device), "reading the current card");
    auto chip_name = PLUMB_PARAMS(CUpti_Device_GetChipName);
    chip_name.deviceIndex = static_cast<std::size_t>(device);
    call("cuptiDeviceGetChipName", chip_name);
    chip = chip_name.pChipName;
    auto availability = PLUMB_PARAMS(CUpti_Profiler_GetCounterAvailability);
    availability.ctx = context;
    call("cuptiProfilerGetCounterAvailability", availability);
    available.resize(availability.counterAvailabilityImageSize);
    availability.pCounterAvailabilityImage = available.data();
    call("cuptiProfilerGetCounterAvailability", availability);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  // The library stays: CUPTI has hooks in the driver that outlive a dlclose.
  ~Session() = default;
};

/// What CUPTI does on the host: which counters make a metric, and its value from them. It lives as long as
/// the process does or until something else is asked for.
class Counters::Host {
 public:
  Host(const Session& session, std::span<const char* const> metrics)
      : asked_(metrics.begin(), metrics.end()) {
    auto initialize = PLUMB_PARAMS(CUpti_Profiler_Host_Initialize);
    initialize.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    initialize.pChipName = session.chip.c_str();
    initialize.pCounterAvailabilityImage = session.available.data();
    session.call("cuptiProfilerHostInitialize", initialize);
    object_ = initialize.pHostObject;
    for (const char* metric : metrics) {
      auto add = PLUMB_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics);
      add.pHostObject = object_;
      add.ppMetricNames = &metric;
      add.numMetrics = 1;
      known_.push_back(session.result("cuptiProfilerHostConfigAddMetrics", add) == CUPTI_SUCCESS);
      if (known_.back()) names_.push_back(metric);
    }
    if (names_.empty()) throw Refused(fmt::format("CUPTI knows none of the metrics on a {}", session.chip));
    auto size = PLUMB_PARAMS(CUpti_Profiler_Host_GetConfigImageSize);
    size.pHostObject = object_;
    session.call("cuptiProfilerHostGetConfigImageSize", size);
    config_.resize(size.configImageSize);
    auto image = PLUMB_PARAMS(CUpti_Profiler_Host_GetConfigImage);
    image.pHostObject = object_;
    image.configImageSize = config_.size();
    image.pConfigImage = config_.data();
    session.call("cuptiProfilerHostGetConfigImage", image);
  }

  [[nodiscard]] std::vector<const char*>& names() { return names_; }
  [[nodiscard]] const std::vector<std::uint8_t>& config() const { return config_; }

  /// Whether it was made for these.
  [[nodiscard]] bool is_for(std::span<const char* const> metrics) const {
    return std::equal(metrics.begin(), metrics.end(), asked_.begin(), asked_.end());
  }
  /// In the order of the metrics that were asked for.
  [[nodiscard]] std::vector<double> values(const Session& session, const std::vector<std::uint8_t>& data) {
    std::vector<double> counted(names_.size());
    auto evaluate = PLUMB_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues);
    evaluate.pHostObject = object_;
    evaluate.pCounterDataImage = data.data();
    evaluate.counterDataImageSize = data.size();
    evaluate.ppMetricNames = names_.data();
    evaluate.numMetrics = names_.size();
    evaluate.pMetricValues = counted.data();
    session.call("cuptiProfilerHostEvaluateToGpuValues", evaluate);
    std::vector<double> out;
    std::size_t next = 0;
    for (const bool known : known_)
      out.push_back(known ? counted[next++] : std::numeric_limits<double>::quiet_NaN());
    return out;
  }

 private:
  std::vector<std::string> asked_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
  std::vector<bool> known_;
  std::vector<const char*> names_;  // of those that are known
  std::vector<std::uint8_t> config_;
};

/// One range, launched once for each pass.
std::vector<std::uint8_t> Counters::profile(const std::function<void()>& launch) {
  const Session& session = *session_;
  Host& host = *host_;
  auto enable = PLUMB_PARAMS(CUpti_RangeProfiler_Enable);
  enable.ctx = session.context;
  session.call("cuptiRangeProfilerEnable", enable);
  auto* const profiler = enable.pRangeProfilerObject;
  const auto with = [&](auto params) {
    params.pRangeProfilerObject = profiler;
    return params;
  };
  auto size = with(PLUMB_PARAMS(CUpti_RangeProfiler_GetCounterDataSize));
  size.pMetricNames = host.names().data();
  size.numMetrics = host.names().size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  session.call("cuptiRangeProfilerGetCounterDataSize", size);
  std::vector<std::uint8_t> data(size.counterDataSize);
  auto image = with(PLUMB_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize));
  image.counterDataSize = data.size();
  image.pCounterData = data.data();
  session.call("cuptiRangeProfilerCounterDataImageInitialize", image);
  auto config = with(PLUMB_PARAMS(CUpti_RangeProfiler_SetConfig));
  config.configSize = host.config().size();
  config.pConfig = host.config().data();
  config.counterDataImageSize = data.size();
  config.pCounterDataImage = data.data();
  config.range = CUPTI_UserRange;
  config.replayMode = CUPTI_UserReplay;
  config.maxRangesPerPass = 1;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  session.call("cuptiRangeProfilerSetConfig", config);
  constexpr int kMostPasses = 64;
  bool all = false;
  for (int pass = 0; !all && pass < kMostPasses; ++pass) {
    auto start = with(PLUMB_PARAMS(CUpti_RangeProfiler_Start));
    session.call("cuptiRangeProfilerStart", start);
    auto push = with(PLUMB_PARAMS(CUpti_RangeProfiler_PushRange));
    push.pRangeName = "plumb";
    session.call("cuptiRangeProfilerPushRange", push);
    launch();
    auto pop = with(PLUMB_PARAMS(CUpti_RangeProfiler_PopRange));
    session.call("cuptiRangeProfilerPopRange", pop);
    auto stop = with(PLUMB_PARAMS(CUpti_RangeProfiler_Stop));
    session.call("cuptiRangeProfilerStop", stop);
    all = stop.isAllPassSubmitted != 0;
  }
  auto decode = with(PLUMB_PARAMS(CUpti_RangeProfiler_DecodeData));
  session.call("cuptiRangeProfilerDecodeData", decode);
  auto disable = with(PLUMB_PARAMS(CUpti_RangeProfiler_Disable));
  session.call("cuptiRangeProfilerDisable", disable);
  return data;
}

Counters::Counters(const std::string& name) {
  try {
    session_ = std::make_unique<Session>(name);
  } catch (const Refused& refused) {
    refusal_ = refused.what();
  }
}

std::optional<std::vector<double>> Counters::count(std::span<const char* const> metrics,
                                                   const std::function<void()>& launch) {
  if (!refusal_.empty()) return std::nullopt;
  try {
    // Finding out how to count takes longer than counting: it is kept for as long as the same is asked for.
    if (host_ == nullptr || !host_->is_for(metrics)) host_ = std::make_unique<Host>(*session_, metrics);
    return host_->values(*session_, profile(launch));
  } catch (const Refused& refused) {
    refusal_ = refused.what();
    return std::nullopt;
  }
}

Counters& Counters::here() {
  opened = true;
  static Counters counters(fmt::format("libcupti.so.{}", CUDART_VERSION / 1000));
  return counters;
}

#else

struct Counters::Session {};
class Counters::Host {};

Counters::Counters(const std::string& /*name*/)
    : refusal_("Plumb was built without CUPTI's headers (CUDA 12.6 or newer has them)") {}

std::optional<std::vector<double>> Counters::count(std::span<const char* const> /*metrics*/,
                                                   const std::function<void()>& /*launch*/) {
  return std::nullopt;
}

Counters& Counters::here() {
  opened = true;
  static Counters counters("");
  return counters;
}

#endif

Counters::~Counters() = default;

const std::string& Counters::refusal() const noexcept { return refusal_; }

std::string Counters::untold_refusal() {
  static bool told = false;
  if (told || !opened || here().refusal().empty()) return {};
  told = true;
  return here().refusal();
}

}  // namespace plumb::cuda
