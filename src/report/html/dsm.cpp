// SPDX-License-Identifier: Apache-2.0
// Distributed shared memory: the section, and the way from SM to SM.
#include <fmt/format.h>

#include <algorithm>

#include "report/html/sections.h"

namespace plumb::report::html {
namespace {

std::string takeaway(const Lookup& found) {
  const Finding* one = found.find("dsm/pair/put/one-way/rate");
  const Finding* load = found.find("dsm/pair/load/two-way/16x1/rate");
  const Finding* put = found.find("dsm/pair/put/two-way/rate");
  if (one == nullptr || load == nullptr || put == nullptr)
    return "What this recording has on traffic between SMs.";
  return fmt::format(
      "One SM sends {:.1f} B/cycle ({:.0f} GB/s at this clock) to another, whatever the instruction: two "
      "thirds of a 32-byte lane. Where both sides "
      "read, each falls to {:.1f}, since the commands of one side's reads take a fifth of what the other may "
      "send; where both "
      "write, each keeps {:.1f}, since acknowledgments are few.",
      one->value,
      found.find("dsm/pair/put/one-way/rate-ns") != nullptr
          ? found.find("dsm/pair/put/one-way/rate-ns")->value
          : 0.0,
      load->value, put->value);
}

class Path {
 public:
  explicit Path(const Lookup& found) : found_(found) {}

  void part(const char* name, const char* does, std::string measured, const char* by) {
    parts_.push_back({{"name", name}, {"does", does}, {"measured", std::move(measured)}, {"by", by}});
  }
  /// "21.3 B/cycle"; empty where it was not measured.
  [[nodiscard]] std::string rate(const std::string& name, double times = 1.0) const {
    const Finding* f = found_.find(name);
    return f == nullptr ? std::string() : fmt::format("{:.1f} B/cycle", f->value * times);
  }
  [[nodiscard]] Json take() { return std::move(parts_); }

 private:
  const Lookup& found_;
  Json parts_ = Json::array();
};

/// Least and most of what the ranks of a ring of 16 get, all puts.
std::string ring_of_16(const Lookup& found) {
  double least = 1e9;
  double most = 0;
  for (const Finding* f : found.under("dsm/scaling/put/16/")) {
    if (split(f->name).size() != 6 || !f->name.ends_with("/rate")) continue;
    least = std::min(least, f->value);
    most = std::max(most, f->value);
  }
  return most == 0 ? std::string() : fmt::format("{:.1f} to {:.1f} B/cycle each", least, most);
}

}  // namespace

void add_path(const Lookup& found, Json& blocks) {
  Path path(found);
  path.part("SM", "sends in two cycles of three, requests and answers together",
            path.rate("dsm/pair/put/one-way/rate"), "saturated by dsm/pair, one put");
  path.part("GPCMMU", "picks one of four routes by a hash of the address", "",
            "no experiment saturates it alone");
  path.part("GPCARB in", "six SMs of a CPC onto four lanes", ring_of_16(found),
            "saturated by dsm/scaling, ring of 16");
  path.part("GX0, GX1", "two switches, one lane each to every egress block", "",
            "not the limit of any traffic measured");
  path.part("GPCARB out", "two lanes for three SMs",
            found.find("dsm/tomography/block/collide") != nullptr
                ? fmt::format("{:.1f} B/cycle left to a probe, {:.1f} elsewhere",
                              found.find("dsm/tomography/block/collide")->value,
                              found.find("dsm/tomography/block/free")->value)
                : std::string(),
            "saturated by dsm/tomography");
  path.part("SM", "takes in one lane of 32 bytes", path.rate("dsm/incast/put/2/rate", 2),
            "saturated by dsm/incast, two sources");
  Json block{{"kind", "path"},
             {"id", "dsm-path"},
             {"title", "The way from SM to SM, and what fills each part"},
             {"summary",
              "From the sending SM through GPCMMU, GPCARB, the switches GX0 and GX1 and GPCARB again to the "
              "receiving SM. The "
              "names and the switches are from NVIDIA's patents; the rates are measured here."},
             {"parts", path.take()}};
  blocks.push_back(std::move(block));
}

Section dsm_section(const Card& card, const Lookup& found) {
  Section s{.id = "dsm", .title = "Distributed shared memory", .takeaway = takeaway(found)};
  const bool any = std::any_of(card.experiments.begin(), card.experiments.end(),
                               [](const Experiment& e) { return e.name.starts_with("dsm/"); });
  if (!any) {
    s.takeaway = "How SMs of a cluster read and write each other's shared memory.";
    s.blocks.push_back(missing("Traffic between SMs", "dsm/*"));
    return s;
  }
  add_dsm_rates(card, found, s.blocks);
  if (card.has("dsm/pair") || card.has("dsm/incast")) add_path(found, s.blocks);
  add_dsm_clusters(card, found, s.blocks);
  add_dsm_latency(card, found, s.blocks);
  return s;
}

}  // namespace plumb::report::html
