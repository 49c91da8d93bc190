// SPDX-License-Identifier: Apache-2.0
#include "trace/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "fabric/endpoint/tag.h"

namespace plumb::trace {
namespace {

using fabric::Cycle;
using fabric::Event;
using fabric::EventKind;
using fabric::kMaxSms;
using fabric::PacketKind;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::array<std::string_view, 5> kKindNames{"read", "data", "store", "put", "ack"};

// Tracks are numbered through; each is a thread of one of these processes.
constexpr int kTracksPerSm = 3;
constexpr int kLaneTracks = kMaxSms * kTracksPerSm;
constexpr int kIngressLanes = fabric::kCpcs * fabric::kLanesPerCpc;
constexpr int kPlaneTracks = kLaneTracks + kIngressLanes;
constexpr int kTracks = kPlaneTracks + fabric::kPlanes * fabric::kBlocks;

enum SmTrack : int { requests, responses, receives };

int sm_track(int rank, SmTrack which) { return rank * kTracksPerSm + which; }

/// The track of a `cross` event: the outputs of one plane side by side.
int plane_track(int unit) {
  return kPlaneTracks + unit % fabric::kPlanes * fabric::kBlocks + unit / fabric::kPlanes;
}

int pid_of(int track) {
  if (track < kLaneTracks) return 1 + track / kTracksPerSm;
  return track < kPlaneTracks ? 1 + kMaxSms : 2 + kMaxSms + (track - kPlaneTracks) / fabric::kBlocks;
}

struct Names {
  std::string process;
  std::string thread;
};

Names names_of(int track, const fabric::Topology& topology) {
  if (track < kLaneTracks) {
    const int rank = track / kTracksPerSm;
    const fabric::Slot& s = topology.slot(rank);
    constexpr std::array<std::string_view, kTracksPerSm> kWays{"requests out", "responses out", "in"};
    return {
        .process = fmt::format("SM {} (CPC {} TPC {} SM {})", rank, s.cpc, s.tpc, s.sm),
        .thread = fmt::format("SM {} {}", rank, kWays.at(static_cast<std::size_t>(track % kTracksPerSm)))};
  }
  if (track < kPlaneTracks) {
    const int lane = track - kLaneTracks;
    const int route = lane % fabric::kLanesPerCpc;
    return {.process = "GPCARB ingress lanes",
            .thread = fmt::format("CPC {} lane {} to GX{}", lane / fabric::kLanesPerCpc, route, route / 2)};
  }
  const int output = track - kPlaneTracks;
  const int plane = output / fabric::kBlocks;
  return {.process = fmt::format("GX{}", plane),
          .thread = fmt::format("GX{} to egress block {}", plane, output % fabric::kBlocks)};
}

/// A line of the trace with what it is sorted by.
struct Line {
  Cycle ts = 0;
  int rank = 0;  ///< slices before the arrows that bind to them, longer slices first
  Cycle length = 0;
  std::string text;
};

}  // namespace

Perfetto::Perfetto(fabric::Topology topology) : topology_(std::move(topology)), last_on_(kTracks, kNone) {}

void Perfetto::on(std::span<const Event> events) {
  for (const Event& e : events) {
    switch (e.what) {
      case EventKind::inject:
        extend(e, sm_track(e.unit, e.channel == fabric::Channel::request ? requests : responses), true);
        break;
      case EventKind::ingress:
        extend(e, kLaneTracks + e.unit, false);
        break;
      case EventKind::cross:
        extend(e, plane_track(e.unit), false);
        break;
      case EventKind::eject:
        extend(e, sm_track(e.unit, receives), false);
        break;
      case EventKind::offer:
      case EventKind::deliver:
        pair(e);
        break;
      case EventKind::take:
        break;
    }
  }
}

/// Puts a flit on a track: into the packet's slice where it goes on, else into a new one.
void Perfetto::extend(const Event& e, int track, bool whole_packet) {
  std::size_t& last = last_on_[static_cast<std::size_t>(track)];
  if (last != kNone && slices_[last].packet == e.packet && (whole_packet || slices_[last].end >= e.cycle)) {
    slices_[last].end = e.cycle + 1;
    ++slices_[last].flits;
    return;
  }
  // Two packets share a cycle only on a lane of two flits; the second then stands inside the first and never
  // grows out of it.
  const bool inside = last != kNone && slices_[last].end > e.cycle;
  const std::size_t index = slices_.size();
  if (!inside) last = index;
  slices_.push_back({.begin = e.cycle,
                     .end = e.cycle + 1,
                     .packet = e.packet,
                     .track = track,
                     .flits = 1,
                     .kind = e.kind,
                     .source = e.source,
                     .destination = e.destination});
  if (whole_packet) sent_.emplace(e.packet, index);
}

/// Finds the request that a response answers. Endpoints answer in the order of delivery.
void Perfetto::pair(const Event& e) {
  const auto tag = fabric::Tag::unpack(e.tag);
  const bool offer = e.what == EventKind::offer;
  if (!offer && e.kind == PacketKind::read_command) reads_[e.tag].push_back(e.packet);
  if (!offer && (e.kind == PacketKind::short_write || e.kind == PacketKind::long_write))
    writes_[tag.flow].push_back({.packet = e.packet, .bytes = tag.bytes});
  if (offer && e.kind == PacketKind::read_response) {
    auto& waiting = reads_[e.tag];
    if (waiting.empty()) return;
    arrows_.push_back({.from = waiting.front(), .to = e.packet});
    waiting.pop_front();
  }
  if (offer && e.kind == PacketKind::ack) {
    auto& waiting = writes_[tag.flow];
    std::uint64_t covered = 0;
    std::int64_t bytes = tag.bytes;
    const bool any = !waiting.empty();
    for (; !waiting.empty() && bytes > 0; waiting.pop_front()) {
      bytes -= waiting.front().bytes;
      covered = waiting.front().packet;
    }
    if (any) arrows_.push_back({.from = covered, .to = e.packet});
  }
}

std::string Perfetto::json() const {
  std::vector<Line> lines;
  for (const Slice& s : slices_) {
    lines.push_back(
        {.ts = s.begin,
         .rank = 0,
         .length = s.end - s.begin,
         .text = fmt::format(
             R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"cat":"packet","name":"{} {}>{}","args":{{"packet":{},"flits":{}}}}})",
             pid_of(s.track), s.track + 1, s.begin, s.end - s.begin,
             kKindNames.at(static_cast<std::size_t>(s.kind)), s.source, s.destination, s.packet, s.flits)});
  }
  std::uint64_t id = 0;
  for (const Arrow& a : arrows_) {
    const auto from = sent_.find(a.from);
    const auto to = sent_.find(a.to);
    if (from == sent_.end() || to == sent_.end()) continue;
    ++id;
    const auto end = [&](const Slice& s, std::string_view phase) {
      lines.push_back({.ts = s.begin,
                       .rank = 1,
                       .length = 0,
                       .text = fmt::format(
                           R"({{"ph":{},"pid":{},"tid":{},"ts":{},"id":{},"cat":"answer","name":"answer"}})",
                           phase, pid_of(s.track), s.track + 1, s.begin, id)});
    };
    end(slices_[from->second], "\"s\"");
    end(slices_[to->second], R"("f","bp":"e")");
  }
  std::ranges::stable_sort(lines, [](const Line& a, const Line& b) {
    return std::tuple(a.ts, a.rank, -a.length) < std::tuple(b.ts, b.rank, -b.length);
  });

  std::string out =
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us is 1 SM cycle\"},\"traceEvents\":[\n";
  std::string separator;
  int named = 0;
  for (int track = 0; track < kTracks; ++track) {
    if (track < kLaneTracks && track / kTracksPerSm >= topology_.ranks()) continue;
    const Names names = names_of(track, topology_);
    const int pid = pid_of(track);
    const auto name = [&](std::string_view what, std::string_view text) {
      out += fmt::format(R"({}{{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":"{}"}}}})", separator,
                         pid, track + 1, what, text);
      separator = ",\n";
    };
    if (pid != named) {
      name("process_name", names.process);
      out += fmt::format(
          R"({}{{"ph":"M","pid":{},"tid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})",
          separator, pid, track + 1, pid);
    }
    named = pid;
    name("thread_name", names.thread);
  }
  for (const Line& line : lines) {
    out += separator;
    out += line.text;
  }
  return out + "\n]}\n";
}

}  // namespace plumb::trace
