// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_event.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace plumb::test {
namespace {

using Json = nlohmann::json;
using Track = std::pair<std::int64_t, std::int64_t>;

struct Span {
  std::int64_t begin, end;
};
struct End {
  Track track;
  std::int64_t ts;
  std::string name, category;
};

class Check {
 public:
  std::vector<std::string> run(const std::string& text) {
    const Json root = Json::parse(text, nullptr, false);
    if (root.is_discarded()) return {"no JSON"};
    if (!root.is_object() || !root.contains("traceEvents") || !root["traceEvents"].is_array())
      return {"no traceEvents"};
    if (root.contains("displayTimeUnit") && root["displayTimeUnit"] != "ms" &&
        root["displayTimeUnit"] != "ns")
      say("displayTimeUnit is neither ms nor ns");
    for (const Json& e : root["traceEvents"]) event(e);
    for (const auto& [track, at] : time_) {
      if (!threads_.contains(track)) say("a track without a thread_name");
      if (!processes_.contains(track.first)) say("a track without a process_name");
    }
    if (begins_.size() != ends_.size()) say("an arrow with one end");
    for (const auto& [id, begin] : begins_) {
      const auto end = ends_.find(id);
      if (end == ends_.end()) {
        say("an arrow without a head");
        continue;
      }
      if (end->second.ts < begin.ts) say("an arrow that runs back in time");
      if (end->second.name != begin.name || end->second.category != begin.category)
        say("an arrow whose ends differ in name or category");
      bound(begin);
      bound(end->second);
    }
    return problems_;
  }

 private:
  void say(const std::string& what) { problems_.push_back(what); }

  bool has(const Json& e, const char* key, Json::value_t type) {
    const bool fine =
        e.contains(key) &&
        (e[key].type() == type || (type == Json::value_t::number_integer && e[key].is_number_unsigned()));
    if (!fine) say("an event without a proper " + std::string(key) + ": " + e.dump());
    return fine;
  }

  void event(const Json& e) {
    constexpr auto kNumber = Json::value_t::number_integer;
    constexpr auto kString = Json::value_t::string;
    if (!e.is_object() || !has(e, "ph", kString) || !has(e, "pid", kNumber) || !has(e, "tid", kNumber) ||
        !has(e, "name", kString))
      return;
    const Track track{e["pid"], e["tid"]};
    const std::string phase = e["ph"];
    if (phase == "M") return metadata(e, track);
    if (!has(e, "ts", kNumber) || !has(e, "cat", kString)) return;
    const std::int64_t ts = e["ts"];
    if (ts < 0) say("time before 0");
    if (const auto last = time_.find(track); last != time_.end() && ts < last->second)
      say("time runs backwards on a track");
    time_[track] = ts;
    if (phase == "X") {
      if (!has(e, "dur", kNumber)) return;
      if (e["dur"] <= 0) say("a slice without length");
      slice(track, {ts, ts + e["dur"].get<std::int64_t>()});
    } else if (phase == "s" || phase == "f") {
      if (!has(e, "id", kNumber)) return;
      if (phase == "f" && e.value("bp", "") != "e") say("an arrow's head that does not bind to its slice");
      auto& side = phase == "s" ? begins_ : ends_;
      if (!side.emplace(e["id"].get<std::int64_t>(), End{track, ts, e["name"], e["cat"]}).second)
        say("two arrows with one id");
    } else {
      say("an unknown phase " + phase);
    }
  }

  void metadata(const Json& e, const Track& track) {
    if (!has(e, "args", Json::value_t::object)) return;
    const std::string name = e["name"];
    if (name == "process_sort_index")
      return void(has(e["args"], "sort_index", Json::value_t::number_integer));
    if (!has(e["args"], "name", Json::value_t::string)) return;
    if (name == "process_name") {
      if (!processes_.insert(track.first).second) say("a process with two names");
    } else if (name == "thread_name") {
      if (!threads_.insert(track).second) say("a thread with two names");
    } else {
      say("unknown metadata " + name);
    }
  }

  void slice(const Track& track, Span s) {
    auto& open = open_[track];
    while (!open.empty() && open.back().end <= s.begin) open.pop_back();
    if (!open.empty() && open.back().end < s.end) say("slices that overlap and do not nest");
    open.push_back(s);
    slices_[track].push_back(s);
  }

  void bound(const End& end) {
    const auto& all = slices_[end.track];
    const bool inside = std::any_of(all.begin(), all.end(),
                                    [&](const Span& s) { return s.begin <= end.ts && end.ts < s.end; });
    if (!inside) say("an arrow that ends in no slice");
  }

  std::vector<std::string> problems_;
  std::map<Track, std::int64_t> time_;
  std::map<Track, std::vector<Span>> open_;
  std::map<Track, std::vector<Span>> slices_;
  std::map<std::int64_t, End> begins_;
  std::map<std::int64_t, End> ends_;
  std::set<Track> threads_;
  std::set<std::int64_t> processes_;
};

}  // namespace

std::vector<std::string> trace_problems(const std::string& text) { return Check().run(text); }

}  // namespace plumb::test
