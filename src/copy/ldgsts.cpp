// SPDX-License-Identifier: Apache-2.0
// What cp.async gives by width, threads, stages and CTAs of an SM.
#include "copy/experiments.h"
#include "copy/models.h"
#include "copy/rates.h"

namespace plumb::copy {
namespace {

const std::vector<std::string> kOrder{"what", "from", "width", "threads", "stages", "ctas", "layout"};

void add(std::vector<Case>& to, const Copy& c, const char* what, int samples) {
  const bool wave = std::string_view(what) == "wave";
  Axes axes{{"what", std::string(what)},        {"from", std::string(name_of(c.from))},
            {"width", std::int64_t{c.width}},   {"threads", std::int64_t{c.threads}},
            {"stages", std::int64_t{c.stages}}, {"ctas", std::int64_t{c.ctas}}};
  if (c.layout != Layout::dense) axes["layout"] = std::string(name_of(c.layout));
  to.push_back(whole_chip("copy/ldgsts", axes, wave ? one_wave(c) : steady(c), samples));
}

/// Of several CTAs on an SM, which give several values a sample.
int few_wave_samples(const Request& request) { return request.quick ? 3 : wave_samples_of(request) / 2; }

std::vector<Case> cases(const Request& request) {
  std::vector<Case> out;
  const std::vector<int> widths = request.quick ? std::vector{16} : std::vector{4, 8, 16};
  const std::vector<int> ctas_an_sm = request.quick ? std::vector{1, 4} : std::vector{1, 2, 3, 4};
  for (const Memory from : {Memory::dram, Memory::l2}) {
    for (const int width : widths)
      for (const int n : ctas_an_sm)
        for (const int threads : {32, 64, 128, 256}) {
          const Copy one{.from = from, .width = width, .threads = threads, .ctas = n};
          add(out, one, "wave", n == 1 ? wave_samples_of(request) : few_wave_samples(request));
          if (threads == 32) continue;
          for (const int stages : {1, 2, 4}) {
            Copy c = one;
            c.stages = stages;
            add(out, c, "rate", samples_of(request));
          }
        }
    for (const int threads : {64, 128, 256})
      for (const int stages : {8, 12, 16})
        add(out, {.from = from, .threads = threads, .stages = stages}, "rate", samples_of(request));
  }
  if (request.quick) return out;
  for (const int ctas : {1, 4})
    for (const int threads : {64, 128, 256})
      for (const int stages : {1, 2, 4})
        add(out, {.layout = Layout::paged, .threads = threads, .stages = stages, .ctas = ctas}, "rate",
            samples_of(request));
  return out;
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Finding> out = path_findings(measurements, kOrder);
  for (Finding& f : model_findings(measurements, "copy/ldgsts", CopyPath::ldgsts))
    out.push_back(std::move(f));
  return out;
}

}  // namespace

Experiment ldgsts() {
  return {.name = "copy/ldgsts",
          .question =
              "What does cp.async bring into shared memory, and how long does it take, by width, threads, "
              "stages and CTAs of an SM, from DRAM and from L2?",
          .seconds_a_case = 0.03,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::copy
