// SPDX-License-Identifier: Apache-2.0
#include "record/json.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "plumb/core/error.h"

namespace plumb::record {
namespace {

using Json = nlohmann::ordered_json;

/// A value with the path that leads to it, for messages.
class At {
 public:
  At(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  [[nodiscard]] At operator[](std::string_view key) const {
    need(json_.is_object(), "an object");
    const auto it = json_.find(key);
    if (it == json_.end()) throw std::invalid_argument(fmt::format("'{}' is missing", join(key)));
    return {*it, join(key)};
  }
  [[nodiscard]] bool has(std::string_view key) const { return json_.is_object() && json_.contains(key); }

  [[nodiscard]] std::string text() const {
    need(json_.is_string(), "a string");
    return json_.get<std::string>();
  }
  [[nodiscard]] std::int64_t integer() const {
    const bool fits =
        json_.is_number_integer() &&
        (!json_.is_number_unsigned() ||
         json_.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    need(fits, "an integer of 64 bits");
    return json_.get<std::int64_t>();
  }
  [[nodiscard]] int small(int least) const {
    const std::int64_t value = integer();
    need(value >= least && value <= std::numeric_limits<int>::max(), fmt::format("at least {}", least));
    return static_cast<int>(value);
  }
  [[nodiscard]] std::uint64_t natural() const {
    need(json_.is_number_unsigned(), "an integer of 0 or more");
    return json_.get<std::uint64_t>();
  }
  [[nodiscard]] double number() const {
    need(json_.is_number(), "a number");
    return json_.get<double>();
  }
  [[nodiscard]] bool flag() const {
    need(json_.is_boolean(), "true or false");
    return json_.get<bool>();
  }
  template <class Visit>
  void each(Visit&& visit) const {
    need(json_.is_array(), "an array");
    for (std::size_t i = 0; i < json_.size(); ++i) visit(At(json_[i], fmt::format("{}[{}]", path_, i)));
  }
  template <class Visit>
  void items(Visit&& visit) const {
    need(json_.is_object(), "an object");
    for (const auto& [key, value] : json_.items()) visit(key, At(value, join(key)));
  }
  [[nodiscard]] AxisValue axis() const {
    if (json_.is_number_integer()) return integer();
    need(json_.is_string(), "an integer or a string");
    return text();
  }
  [[noreturn]] void refuse(std::string_view why) const {
    throw std::invalid_argument(fmt::format("'{}': {}", path_, why));
  }

 private:
  [[nodiscard]] std::string join(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }
  void need(bool condition, std::string_view what) const {
    if (condition) return;
    constexpr std::size_t kShown = 40;
    std::string is = json_.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (is.size() > kShown) is = is.substr(0, kShown) + "...";
    throw std::invalid_argument(fmt::format("'{}' is {} and must be {}", path_, is, what));
  }

  const Json& json_;
  std::string path_;
};

Json to_json(const Flow& f) {
  const Flow standard;
  Json json{{"source", f.source}, {"destination", f.destination}, {"op", name_of(f.op)}, {"bytes", f.bytes}};
  const auto unless = [&](const char* key, auto value, auto usual) {
    if (value != usual) json[key] = value;
  };
  unless("command", f.command, standard.command);
  unless("window", f.window, standard.window);
  unless("delay", f.delay, standard.delay);
  unless("burst", f.burst, standard.burst);
  unless("gap", f.gap, standard.gap);
  unless("source_skew", f.source_skew, standard.source_skew);
  unless("destination_skew", f.destination_skew, standard.destination_skew);
  if (f.op != Op::put) {
    json["warps"] = f.warps;
    json["in_flight"] = f.in_flight;
  } else {
    unless("warps", f.warps, standard.warps);
    unless("in_flight", f.in_flight, standard.in_flight);
  }
  return json;
}

template <class Enum, class Parse>
Enum named(const At& at, Parse&& parse) {
  try {
    return parse(at.text());
  } catch (const Error& error) {
    at.refuse(error.what());
  }
}

Flow flow_from(const At& at) {
  Flow f;
  f.source = at["source"].small(0);
  f.destination = at["destination"].small(0);
  f.op = named<Op>(at["op"], op_from);
  f.bytes = at["bytes"].integer();
  const auto optional = [&](const char* key, std::int64_t& value) {
    if (at.has(key)) value = at[key].integer();
  };
  optional("command", f.command);
  optional("window", f.window);
  optional("delay", f.delay);
  optional("burst", f.burst);
  optional("gap", f.gap);
  optional("source_skew", f.source_skew);
  optional("destination_skew", f.destination_skew);
  if (at.has("warps")) f.warps = at["warps"].small(1);
  if (at.has("in_flight")) f.in_flight = at["in_flight"].small(1);
  return f;
}

Background background_from(const At& at) {
  return {.rank = at["rank"].small(0),
          .memory = named<Memory>(at["memory"], memory_from),
          .warps = at["warps"].small(1)};
}

Traffic traffic_from(const At& at) {
  Traffic t;
  t.ranks = at["ranks"].small(1);
  at["flows"].each([&](const At& flow) { t.flows.push_back(flow_from(flow)); });
  if (at.has("background"))
    at["background"].each([&](const At& b) { t.background.push_back(background_from(b)); });
  return t;
}

Json to_json(const Site& s) {
  Json json{{"clusters", s.clusters}};
  if (s.gpc >= 0) json["gpc"] = s.gpc;
  if (s.policy != Policy::standard) json["policy"] = name_of(s.policy);
  if (s.heat_ms != 0) json["heat_ms"] = s.heat_ms;
  return json;
}

Site site_from(const At& at) {
  Site s;
  s.clusters = at["clusters"].small(0);
  if (at.has("gpc")) s.gpc = at["gpc"].small(0);
  if (at.has("policy")) s.policy = named<Policy>(at["policy"], policy_from);
  if (at.has("heat_ms")) s.heat_ms = at["heat_ms"].small(0);
  return s;
}

Json to_json(const Probe& p) {
  Json json{{"op", name_of(p.op)}, {"ranks", p.ranks}, {"links", p.links}};
  if (p.threads != Probe{}.threads) json["threads"] = p.threads;
  return json;
}

Probe probe_from(const At& at) {
  Probe p{.op = named<ProbeOp>(at["op"], probe_op_from),
          .ranks = at["ranks"].small(1),
          .links = at["links"].small(1)};
  if (at.has("threads")) p.threads = at["threads"].small(1);
  return p;
}

Json to_json(const Access& a) {
  return {{"form", name_of(a.form)},
          {"target", name_of(a.target)},
          {"lanes", name_of(a.lanes)},
          {"stride", a.stride},
          {"run", a.run},
          {"width", a.width},
          {"warps", a.warps},
          {"in_flight", a.in_flight},
          {"bytes", a.bytes}};
}

Access access_from(const At& at) {
  return {.form = named<Form>(at["form"], form_from),
          .target = named<Target>(at["target"], target_from),
          .lanes = named<Lanes>(at["lanes"], lanes_from),
          .stride = at["stride"].small(1),
          .run = at["run"].small(1),
          .width = at["width"].small(1),
          .warps = at["warps"].small(1),
          .in_flight = at["in_flight"].small(1),
          .bytes = at["bytes"].integer()};
}

Json to_json(const Mma& m) {
  Json json{{"family", name_of(m.family)},
            {"input", name_of(m.input)},
            {"output", name_of(m.output)},
            {"m", m.m},
            {"n", m.n},
            {"operands", name_of(m.operands)},
            {"groups", m.groups},
            {"in_flight", m.in_flight},
            {"batches", m.batches}};
  const Mma usual;
  if (m.a_mn_major) json["a_mn_major"] = true;
  if (m.b_mn_major) json["b_mn_major"] = true;
  if (m.swizzle != usual.swizzle) json["swizzle"] = name_of(m.swizzle);
  if (m.sparse) json["sparse"] = true;
  if (m.data != usual.data) json["data"] = name_of(m.data);
  return json;
}

Mma mma_from(const At& at) {
  Mma m{.family = named<MmaFamily>(at["family"], mma_family_from),
        .input = named<Number>(at["input"], number_from),
        .output = named<Number>(at["output"], number_from),
        .m = at["m"].small(1),
        .n = at["n"].small(1),
        .operands = named<Operands>(at["operands"], operands_from),
        .groups = at["groups"].small(1),
        .in_flight = at["in_flight"].small(1),
        .batches = at["batches"].small(1)};
  if (at.has("a_mn_major")) m.a_mn_major = at["a_mn_major"].flag();
  if (at.has("b_mn_major")) m.b_mn_major = at["b_mn_major"].flag();
  if (at.has("swizzle")) m.swizzle = named<Swizzle>(at["swizzle"], swizzle_from);
  if (at.has("sparse")) m.sparse = at["sparse"].flag();
  if (at.has("data")) m.data = named<MmaData>(at["data"], mma_data_from);
  return m;
}

Json to_json(const Census& p) {
  Json json{{"ranks", p.ranks}, {"per_sm", p.per_sm}, {"clusters", p.clusters}, {"hold", p.hold}};
  if (p.preferred != 0) json["preferred"] = p.preferred;
  return json;
}

Census census_from(const At& at) {
  Census p{.ranks = at["ranks"].small(1),
           .per_sm = at["per_sm"].small(1),
           .clusters = at["clusters"].small(0),
           .hold = at["hold"].integer()};
  if (at.has("preferred")) p.preferred = at["preferred"].small(1);
  return p;
}

Json to_json(const Lookup& l) {
  return {{"addresses", l.addresses}, {"span", l.span}, {"stride", l.stride}, {"together", l.together}};
}

Lookup lookup_from(const At& at) {
  return {.addresses = at["addresses"].small(1),
          .span = at["span"].integer(),
          .stride = at["stride"].integer(),
          .together = at["together"].flag()};
}

Json to_json(const Walk& w) {
  return {
      {"op", name_of(w.op)}, {"sms", w.sms}, {"window", w.window}, {"rounds", w.rounds}, {"same", w.same}};
}

Walk walk_from(const At& at) {
  Walk w{.op = named<WalkOp>(at["op"], walk_op_from),
         .sms = {},
         .window = at["window"].integer(),
         .rounds = at["rounds"].small(1),
         .same = at["same"].flag()};
  at["sms"].each([&](const At& sm) { w.sms.push_back(sm.small(0)); });
  return w;
}

Json to_json(const Copy& c) {
  Json json{{"path", name_of(c.path)}, {"from", name_of(c.from)}};
  if (c.layout != Layout::dense) json["layout"] = name_of(c.layout);
  if (c.path == CopyPath::ldgsts)
    json["width"] = c.width;
  else
    json["box"] = c.box;
  json["threads"] = c.threads;
  json["stages"] = c.stages;
  json["ctas"] = c.ctas;
  if (c.swizzle != Swizzle::none) json["swizzle"] = name_of(c.swizzle);
  if (c.promotion != Promotion::none) json["promotion"] = name_of(c.promotion);
  if (c.cluster != 1) json["cluster"] = c.cluster;
  if (c.in_step) json["in_step"] = true;
  if (c.sharing != Sharing::none) json["sharing"] = name_of(c.sharing);
  json["bytes"] = c.bytes;
  return json;
}

Copy copy_from(const At& at) {
  Copy c{.path = named<CopyPath>(at["path"], copy_path_from),
         .from = named<Memory>(at["from"], memory_from),
         .threads = at["threads"].small(1),
         .stages = at["stages"].small(1),
         .ctas = at["ctas"].small(1),
         .bytes = at["bytes"].integer()};
  if (at.has("layout")) c.layout = named<Layout>(at["layout"], layout_from);
  if (at.has("width")) c.width = at["width"].small(1);
  if (at.has("box")) at["box"].each([&](const At& side) { c.box.push_back(side.small(1)); });
  if (at.has("swizzle")) c.swizzle = named<Swizzle>(at["swizzle"], swizzle_from);
  if (at.has("promotion")) c.promotion = named<Promotion>(at["promotion"], promotion_from);
  if (at.has("cluster")) c.cluster = at["cluster"].small(1);
  if (at.has("sharing")) c.sharing = named<Sharing>(at["sharing"], sharing_from);
  c.in_step = at.has("in_step") && at["in_step"].flag();
  return c;
}

Json to_json(const Stream& s) {
  Json json{{"op", name_of(s.op)}, {"memory", name_of(s.memory)}, {"bytes", s.bytes}};
  if (s.footprint != 0) json["footprint"] = s.footprint;
  return json;
}

Stream stream_from(const At& at) {
  Stream s{.op = named<StreamOp>(at["op"], stream_op_from),
           .memory = named<Memory>(at["memory"], memory_from),
           .bytes = at["bytes"].integer()};
  if (at.has("footprint")) s.footprint = at["footprint"].integer();
  return s;
}

Json to_json(const Chase& c) {
  Json json{{"way", name_of(c.way)}, {"nodes", c.nodes}, {"stride", c.stride}, {"links", c.links}};
  if (c.cold) json["cold"] = true;
  return json;
}

Chase chase_from(const At& at) {
  return {.way = named<ChaseWay>(at["way"], chase_way_from),
          .nodes = at["nodes"].integer(),
          .stride = at["stride"].integer(),
          .cold = at.has("cold") && at["cold"].flag(),
          .links = at["links"].small(1)};
}

/// The key in a case under which a kind of work stands.
std::string_view key_of(const Traffic& /*work*/) { return "traffic"; }
std::string_view key_of(const Probe& /*work*/) { return "probe"; }
std::string_view key_of(const Access& /*work*/) { return "access"; }
std::string_view key_of(const Census& /*work*/) { return "census"; }
std::string_view key_of(const Lookup& /*work*/) { return "lookup"; }
std::string_view key_of(const Walk& /*work*/) { return "walk"; }
std::string_view key_of(const Mma& /*work*/) { return "mma"; }
std::string_view key_of(const Copy& /*work*/) { return "copy"; }
std::string_view key_of(const Stream& /*work*/) { return "stream"; }
std::string_view key_of(const Chase& /*work*/) { return "chase"; }

Work work_from(const At& at) {
  if (at.has("traffic")) return traffic_from(at["traffic"]);
  if (at.has("probe")) return probe_from(at["probe"]);
  if (at.has("access")) return access_from(at["access"]);
  if (at.has("census")) return census_from(at["census"]);
  if (at.has("lookup")) return lookup_from(at["lookup"]);
  if (at.has("walk")) return walk_from(at["walk"]);
  if (at.has("mma")) return mma_from(at["mma"]);
  if (at.has("copy")) return copy_from(at["copy"]);
  if (at.has("stream")) return stream_from(at["stream"]);
  if (at.has("chase")) return chase_from(at["chase"]);
  at.refuse(
      "it has none of the kinds of work that this version knows: traffic, probe, access, census, lookup, "
      "walk, mma, copy, stream, chase");
}

Case case_from(const At& at) {
  Case c;
  c.experiment = at["experiment"].text();
  at["axes"].items([&](const std::string& key, const At& value) { c.axes.emplace(key, value.axis()); });
  c.work = work_from(at);
  c.samples = at["samples"].small(1);
  if (at.has("site")) c.site = site_from(at["site"]);
  return c;
}

Samples samples_from(const At& at) {
  Samples samples;
  at.items([&](const std::string& name, const At& rows) {
    Column& column = samples[name];
    rows.each([&](const At& row) {
      column.emplace_back();
      row.each([&](const At& value) { column.back().push_back(value.integer()); });
    });
  });
  return samples;
}

}  // namespace

Json to_json(const Traffic& traffic) {
  Json flows = Json::array();
  for (const Flow& f : traffic.flows) flows.push_back(to_json(f));
  Json json{{"ranks", traffic.ranks}, {"flows", std::move(flows)}};
  for (const Background& b : traffic.background)
    json["background"].push_back({{"rank", b.rank}, {"memory", name_of(b.memory)}, {"warps", b.warps}});
  return json;
}

Json to_json(const Case& point) {
  Json axes = Json::object();
  for (const auto& [name, value] : point.axes)
    std::visit([&, &key = name](const auto& v) { axes[key] = v; }, value);
  Json json{{"experiment", point.experiment}, {"axes", std::move(axes)}, {"samples", point.samples}};
  if (point.site != Site{}) json["site"] = to_json(point.site);
  std::visit([&](const auto& work) { json[std::string(key_of(work))] = to_json(work); }, point.work);
  return json;
}

Json to_json(const Measurement& m) {
  Json columns = Json::object();
  for (const auto& [name, column] : m.samples) columns[name] = column;
  Json readings = Json::object();
  for (const auto& [name, value] : m.conditions.readings) readings[name] = value;
  return {{"case", to_json(m.point)},
          {"columns", std::move(columns)},
          {"readings", std::move(readings)},
          {"flags", m.conditions.flags}};
}

Json to_json(const Provenance& p) {
  Json clocks = Json::object();
  for (const auto& [name, mhz] : p.clocks_mhz) clocks[name] = mhz;
  return {{"backend", p.backend},
          {"tool_version", p.tool_version},
          {"tool_commit", p.tool_commit},
          {"command_line", p.command_line},
          {"date", p.date},
          {"seed", p.seed},
          {"gpu_name", p.gpu_name},
          {"gpu_uuid_hash", p.gpu_uuid_hash},
          {"compute_capability", p.compute_capability},
          {"sm_count", p.sm_count},
          {"driver_version", p.driver_version},
          {"cuda_version", p.cuda_version},
          {"clocks_MHz", std::move(clocks)},
          {"ecc", p.ecc}};
}

Json to_json(const Finding& f) {
  return {{"name", f.name}, {"value", f.value},         {"low", f.low},     {"high", f.high},
          {"unit", f.unit}, {"estimator", f.estimator}, {"cases", f.cases}, {"notes", f.notes}};
}

Measurement measurement_from(const Json& json) {
  const At at(json, "");
  Measurement m{.point = case_from(at["case"]), .samples = samples_from(at["columns"]), .conditions = {}};
  at["readings"].items(
      [&](const std::string& key, const At& value) { m.conditions.readings.emplace(key, value.number()); });
  at["flags"].each([&](const At& flag) { m.conditions.flags.push_back(flag.text()); });
  return m;
}

Provenance provenance_from(const Json& json) {
  const At at(json, "");
  Provenance p{
      .backend = at["backend"].text(),
      .tool_version = at["tool_version"].text(),
      .tool_commit = at["tool_commit"].text(),
      .command_line = at["command_line"].text(),
      .date = at["date"].text(),
      .seed = at["seed"].natural(),
      .gpu_name = at["gpu_name"].text(),
      .gpu_uuid_hash = at["gpu_uuid_hash"].text(),
      .compute_capability = at["compute_capability"].text(),
      .sm_count = at["sm_count"].small(0),
      .driver_version = at["driver_version"].text(),
      .cuda_version = at["cuda_version"].text(),
      .clocks_mhz = {},
      .ecc = at["ecc"].text(),
  };
  at["clocks_MHz"].items(
      [&](const std::string& key, const At& value) { p.clocks_mhz.emplace(key, value.number()); });
  return p;
}

}  // namespace plumb::record
