// SPDX-License-Identifier: Apache-2.0
// What it gives that several SMs want the same tile.
#include <fmt/format.h>

#include <algorithm>

#include "copy/experiments.h"
#include "copy/rates.h"
#include "core/validity.h"
#include "stats/describe.h"

namespace plumb::copy {
namespace {

const std::vector<std::string> kOrder{"from", "sharing", "cluster", "box", "stages"};

using Boxes = std::vector<std::vector<int>>;
const Boxes kFewBoxes{{128, 16}, {128, 64}};

std::vector<Case> cases_of(const Boxes& boxes, int samples) {
  std::vector<Case> out;
  for (const Memory from : {Memory::dram, Memory::l2})
    for (const auto& box : boxes)
      for (const Sharing sharing : {Sharing::none, Sharing::implicit, Sharing::multicast, Sharing::across})
        for (const int cluster : {1, 2, 4, 8, 16}) {
          if (cluster == 1 && sharing != Sharing::none) continue;
          Copy c{.path = CopyPath::tma,
                 .from = from,
                 .threads = 32,
                 .stages = 4,
                 .box = box,
                 .cluster = cluster,
                 .sharing = sharing};
          const Axes axes{{"from", std::string(name_of(from))},
                          {"sharing", std::string(name_of(sharing))},
                          {"cluster", std::int64_t{cluster}},
                          {"box", box_text(c)},
                          {"stages", std::int64_t{c.stages}}};
          out.push_back(whole_chip("copy/multicast", axes, steady(c), samples));
        }
  return out;
}

std::vector<Case> cases(const Request& request) {
  return cases_of(request.quick ? kFewBoxes : Boxes{{32, 8}, {64, 16}, {128, 16}, {128, 32}, {128, 64}},
                  samples_of(request));
}

/// What counters see of the same copies. The profiler stops the card for a while and its clocks with it: so
/// these come after all that is timed, in one sample each, which is what asks for counters.
std::vector<Case> counted(const Request& request, std::span<const Measurement> /*seen*/) {
  if (request.quick) return {};
  std::vector<Case> out = cases_of(kFewBoxes, 1);
  std::erase_if(out, [](const Case& c) { return std::get<Copy>(c.work).cluster == 1; });
  for (Case& c : out) c.axes["what"] = std::string("counted");
  return out;
}

/// Bytes that a place saw for each byte that came into shared memory, one value for each launch.
std::vector<double> per_byte(const Measurement& m, Sectors place) {
  const auto filled = row(m.samples, column::sectors, static_cast<std::size_t>(Sectors::filled));
  const auto seen = row(m.samples, column::sectors, static_cast<std::size_t>(place));
  std::vector<double> out;
  for (std::size_t i = 0; i < filled.size() && i < seen.size(); ++i)
    if (filled[i] > 0 && seen[i] >= 0)
      out.push_back(static_cast<double>(seen[i]) / static_cast<double>(filled[i]));
  return out;
}

/// NAME/l2-bytes, /gpc-bytes, /dram-bytes and, of a multicast, /coalescer-bytes and /multicast-bytes.
void add_counted(const Measurement& m, std::vector<Finding>& out) {
  const auto* copy = std::get_if<Copy>(&m.point.work);
  if (copy == nullptr) return;
  const double ideal = 1.0 / copy->cluster;
  const bool shares = copy->sharing == Sharing::implicit || copy->sharing == Sharing::multicast;
  const auto put = [&](const char* what, Sectors place, double best) {
    const std::vector<double> values = per_byte(m, place);
    if (values.empty()) return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    out.push_back(finding(name_by_axes(m.point, kOrder) + what, {stats::median(values), *least, *most}, "B/B",
                          "counters", {id_of(m.point)}, {fmt::format("ideal: {:.4g}", best)}));
  };
  put("/l2-bytes", Sectors::l2, shares ? ideal : 1.0);
  put("/gpc-bytes", Sectors::gpc, shares ? ideal : 1.0);
  if (copy->from == Memory::dram)
    put("/dram-bytes", Sectors::dram, copy->sharing == Sharing::none ? 1.0 : ideal);
  if (copy->sharing != Sharing::multicast) return;
  put("/coalescer-bytes", Sectors::coalescer, ideal);
  put("/multicast-bytes", Sectors::multicast, 1.0);
}

std::vector<Finding> analyze(std::span<const Measurement> measurements) {
  std::vector<Measurement> timed;
  std::vector<Finding> out;
  for (const Measurement& m : measurements)
    if (axis(m.point, "what") == "counted")
      add_counted(m, out);
    else
      timed.push_back(m);
  std::vector<Finding> rates = path_findings(timed, kOrder);
  out.insert(out.begin(), std::move_iterator(rates.begin()), std::move_iterator(rates.end()));
  return out;
}

}  // namespace

Experiment multicast() {
  return {.name = "copy/multicast",
          .question =
              "How fast is shared memory filled where the SMs of a cluster want the same tile, by multicast, "
              "by reading it each, or across clusters?",
          .seconds_a_case = 0.03,
          .cases = cases,
          .analyze = analyze,
          .more = counted};
}

}  // namespace plumb::copy
