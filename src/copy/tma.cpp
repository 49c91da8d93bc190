// SPDX-License-Identifier: Apache-2.0
// What the copy engine gives by box, warps that issue, stages, and what a tensor map can ask for.
#include "copy/experiments.h"
#include "copy/models.h"
#include "copy/rates.h"

namespace plumb::copy {
namespace {

const std::vector<std::string> kOrder{"what",   "path",    "from",      "box",   "warps",
                                      "stages", "swizzle", "promotion", "layout"};
using Box = std::vector<int>;

class Catalog {
 public:
  explicit Catalog(const Request& request) : request_(request) {}

  void rate(const Copy& c) { add(c, "rate", samples_of(request_)); }
  void wave(const Copy& c) { add(c, "wave", wave_samples_of(request_)); }
  std::vector<Case> take() { return std::move(out_); }

 private:
  void add(const Copy& c, const char* what, int samples) {
    Axes axes{{"what", std::string(what)},
              {"path", std::string(name_of(c.path))},
              {"from", std::string(name_of(c.from))},
              {"box", box_text(c)},
              {"warps", std::int64_t{c.threads / 32}},
              {"stages", std::int64_t{c.stages}}};
    if (c.swizzle != Swizzle::none) axes["swizzle"] = "swizzle-" + std::string(name_of(c.swizzle));
    if (c.promotion != Promotion::none) axes["promotion"] = "promotion-" + std::string(name_of(c.promotion));
    if (c.layout != Layout::dense) axes["layout"] = std::string(name_of(c.layout));
    out_.push_back(
        whole_chip("copy/tma", axes, std::string_view(what) == "wave" ? one_wave(c) : steady(c), samples));
  }

  Request request_;
  std::vector<Case> out_;
};

constexpr std::int64_t kMostFlight = std::int64_t{192} * 1024;

std::vector<Case> cases(const Request& request) {
  Catalog catalog(request);
  const std::vector<Box> boxes = request.quick ? std::vector<Box>{{32, 8}, {64, 16}, {128, 32}, {128, 128}}
                                               : std::vector<Box>{{32, 8},   {64, 8},   {64, 16},  {128, 16},
                                                                  {128, 32}, {128, 64}, {128, 128}};
  for (const Memory from : {Memory::dram, Memory::l2}) {
    for (const Box& box : boxes)
      for (const int warps : {1, 2, 4, 16}) {
        Copy c{.path = CopyPath::tma, .from = from, .threads = 32 * warps, .box = box};
        if (flight_bytes(c) <= kMostFlight) catalog.wave(c);
        for (const int stages : {1, 2, 4, 8}) {
          if (warps * stages > 16) continue;
          c.stages = stages;
          if (flight_bytes(c) <= kMostFlight) catalog.rate(c);
        }
      }
    if (request.quick) continue;
    if (from == Memory::dram)
      for (const Box& box : {Box{32, 8}, Box{64, 16}, Box{128, 32}})
        for (const int warps : {1, 4})
          for (const int stages : {1, 2, 4}) {
            const Copy c{.path = CopyPath::tma,
                         .from = from,
                         .layout = Layout::paged,
                         .threads = 32 * warps,
                         .stages = stages,
                         .box = box};
            if (flight_bytes(c) <= kMostFlight) catalog.rate(c);
          }
    for (const int elements : {256, 1024, 4096, 16384}) {
      Copy c{.path = CopyPath::bulk, .from = from, .threads = 32, .box = {elements}};
      catalog.wave(c);
      for (const int stages : {1, 2}) {
        c.stages = stages;
        catalog.rate(c);
      }
    }
    for (const Box& box : {Box{32, 8, 4}, Box{64, 8, 8}, Box{128, 16, 4}})
      catalog.rate({.path = CopyPath::tma, .from = from, .threads = 32, .stages = 2, .box = box});
    for (const Swizzle swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128})
      catalog.rate({.path = CopyPath::tma,
                    .from = from,
                    .threads = 32,
                    .stages = 4,
                    .box = {swizzle == Swizzle::b32   ? 8
                            : swizzle == Swizzle::b64 ? 16
                                                      : 32,
                            128},
                    .swizzle = swizzle});
    for (const int width : {8, 16})
      catalog.rate({.path = CopyPath::tma, .from = from, .threads = 32, .stages = 4, .box = {width, 128}});
    for (const Promotion promotion : {Promotion::b64, Promotion::b128, Promotion::b256})
      for (const Layout layout : {Layout::dense, Layout::paged})
        catalog.rate({.path = CopyPath::tma,
                      .from = from,
                      .layout = layout,
                      .threads = 32,
                      .stages = 4,
                      .box = {16, 64},
                      .promotion = promotion});
  }
  return catalog.take();
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Finding> out = path_findings(measurements, kOrder);
  for (Finding& f : model_findings(measurements, "copy/tma", CopyPath::tma)) out.push_back(std::move(f));
  return out;
}

}  // namespace

Experiment tma() {
  return {.name = "copy/tma",
          .question =
              "What does the copy engine bring into shared memory, and how long does it take, by box, "
              "issuing warps, stages, swizzle and promotion, from DRAM and from L2?",
          .seconds_a_case = 0.03,
          .cases = cases,
          .analyze = analyze};
}

}  // namespace plumb::copy
