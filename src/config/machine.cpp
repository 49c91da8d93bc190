// SPDX-License-Identifier: Apache-2.0
#include "config/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "config/document.h"
#include "plumb/core/error.h"

namespace plumb::config {
namespace {

using fabric::Parameter;
using fabric::Slot;
using Kind = Node::Kind;

constexpr std::array<std::string_view, 3> kEntryKeys{"value", "evidence", "source"};
constexpr std::array<std::string_view, 3> kTopologyKeys{"sms", "fused_off", "placement"};

template <class... Lambdas>
struct Overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
Overloaded(Lambdas...) -> Overloaded<Lambdas...>;

class Reader {
 public:
  explicit Reader(const Document& document) : document_(document) {}

  Machine read() {
    const Node& root = document_.root();
    std::vector<std::string_view> top{"name", "compute_capability", "topology"};
    for (const Parameter& p : fabric::parameters())
      if (std::ranges::find(top, p.group) == top.end()) top.push_back(p.group);
    std::vector<std::string_view> keys = top;
    keys.emplace_back("calibration");
    document_.check_keys(root, "", keys);
    machine_.sim.name = text(root, "name");
    machine_.sim.compute_capability = text(root, "compute_capability");
    topology();
    for (std::size_t i = 3; i < top.size(); ++i) group(top[i]);
    calibration();
    try {
      fabric::validate(machine_.sim.parameters);
    } catch (const Error& error) {
      // The message begins with the name of the parameter.
      const std::string what = error.what();
      const auto at = values_.find(what.substr(0, what.find(' ')));
      if (at == values_.end()) throw;
      document_.fail(*at->second.node, at->second.group + "." + what);
    }
    return std::move(machine_);
  }

 private:
  struct Place {
    const Node* node = nullptr;
    std::string group;
  };

  std::string text(const Node& table, std::string_view key) const {
    const Node* node = table.find(key);
    if (node == nullptr) document_.fail(table, fmt::format("{} is missing.", key));
    if (node->kind != Kind::text || node->text.empty())
      document_.fail(*node, fmt::format("{} = {}: it must be a text such as \"{}\".", key, node->shown(),
                                        key == "name" ? "h200" : "9.0"));
    return node->text;
  }

  const Node& table(std::string_view name) const {
    const Node* node = document_.root().find(name);
    if (node == nullptr) document_.fail(document_.root(), fmt::format("the table [{}] is missing.", name));
    if (node->kind != Kind::table)
      document_.fail(*node, fmt::format("{} = {}: it must be a table, [{}].", name, node->shown(), name));
    return *node;
  }

  /// The value of an entry, after its evidence and source have been checked and kept.
  const Node& entry(const Node& table, std::string_view name) {
    const Node* node = table.find(name);
    if (node == nullptr) document_.fail(table, fmt::format("{}.{} is missing.", table.key, name));
    const std::string key = fmt::format("{}.{}", table.key, name);
    if (node->kind != Kind::table)
      document_.fail(*node,
                     fmt::format(R"({} = {}: write {{ value = {}, evidence = "...", source = "..." }}.)", key,
                                 node->shown(), node->shown()));
    document_.check_keys(*node, key + ".", kEntryKeys);
    for (const std::string_view part : kEntryKeys)
      if (node->find(part) == nullptr) document_.fail(*node, fmt::format("{}: {} is missing.", key, part));
    const Node& evidence = *node->find("evidence");
    const auto* const grade = std::ranges::find(kEvidenceNames, evidence.text);
    if (evidence.kind != Kind::text || grade == kEvidenceNames.end())
      document_.fail(evidence, fmt::format("{}: evidence = {}: allowed are {}.", key, evidence.shown(),
                                           fmt::join(kEvidenceNames, ", ")));
    const Node& source = *node->find("source");
    if (source.kind != Kind::text || source.text.empty())
      document_.fail(
          source, fmt::format("{}: source = {}: it must say where the value is from.", key, source.shown()));
    machine_.values.push_back({.key = key,
                               .value = {},
                               .evidence = static_cast<Evidence>(grade - kEvidenceNames.begin()),
                               .source = source.text});
    return *node->find("value");
  }

  [[noreturn]] void wrong(const Node& value, const std::string& key, std::string_view rule) const {
    document_.fail(value, fmt::format("{} = {}: {}.", key, value.shown(), rule));
  }

  std::string whole(const Node& value, const std::string& key, std::int64_t low, std::int64_t high) const {
    if (value.kind != Kind::integer) wrong(value, key, "it must be a whole number");
    if (value.integer < low || value.integer > high)
      wrong(value, key, fmt::format("allowed is {} to {}", low, high));
    return value.text;
  }

  /// The text that fabric::set() takes, once the type is right.
  std::string checked(const Node& value, const Parameter& p, const std::string& key) const {
    return std::visit(
        Overloaded{
            [&](int fabric::Parameters::*) { return whole(value, key, p.low, p.high); },
            [&](bool fabric::Parameters::*) {
              if (value.kind != Kind::boolean) wrong(value, key, "allowed are true and false");
              return value.text;
            },
            [&](fabric::Ratio fabric::Parameters::*) {
              if (value.kind != Kind::text) {
                if (value.kind != Kind::integer)
                  wrong(value, key, "it must be a ratio such as \"2/3\", or a whole number");
                return whole(value, key, p.low, p.high);
              }
              return value.text;
            },
            [&](std::array<int, fabric::kMaxSms> fabric::Parameters::*) {
              if (value.kind != Kind::array || value.items.size() != fabric::kMaxSms)
                wrong(value, key, fmt::format("it must be a list of {} whole numbers", fabric::kMaxSms));
              std::vector<std::string> parts;
              for (const Node& item : value.items) parts.push_back(whole(item, key, p.low, p.high));
              return fmt::format("{}", fmt::join(parts, " "));
            },
            [&](const fabric::Choice& c) {
              if (value.kind != Kind::text || std::ranges::find(c.names, value.text) == c.names.end()) {
                const bool is_text = value.kind == Kind::text;
                wrong(
                    value, key,
                    fmt::format("allowed are {}{}", fmt::join(c.names, ", "), is_text ? "" : ", in quotes"));
              }
              return value.text;
            }},
        p.member);
  }

  void group(std::string_view name) {
    const Node& from = table(name);
    std::vector<std::string_view> allowed;
    for (const Parameter& p : fabric::parameters())
      if (p.group == name) allowed.push_back(p.name);
    document_.check_keys(from, fmt::format("{}.", name), allowed);
    for (const std::string_view key : allowed) {
      const Parameter& p = *fabric::find_parameter(key);
      const Node& value = entry(from, key);
      const std::string full = fmt::format("{}.{}", name, key);
      try {
        fabric::set(machine_.sim.parameters, p, checked(value, p, full));
      } catch (const Error& error) {
        const std::string what = error.what();
        if (!what.starts_with(key)) throw;
        document_.fail(value, fmt::format("{}.{}", name, what));
      }
      machine_.values.back().value = text_of(machine_.sim.parameters, p);
      values_[std::string(key)] = {.node = &value, .group = std::string(name)};
    }
  }

  std::vector<Slot> slots(const Node& value, const std::string& key) const {
    std::vector<Slot> out;
    const auto number = [&](const Node& n) { return std::stoi(whole(n, key, 0, fabric::kMaxSms)); };
    const std::string rule = "it must be a list of [CPC, TPC, SM]";
    if (value.kind != Kind::array) wrong(value, key, rule);
    for (const Node& item : value.items) {
      if (item.kind != Kind::array || item.items.size() != 3) wrong(item, key, rule);
      out.push_back(
          {.cpc = number(item.items[0]), .tpc = number(item.items[1]), .sm = number(item.items[2])});
    }
    return out;
  }

  void topology() {
    const Node& from = table("topology");
    document_.check_keys(from, "topology.", kTopologyKeys);
    const Node& sms = entry(from, "sms");
    machine_.values.back().value = whole(sms, "topology.sms", 1, fabric::kMaxSms);
    const Node& fused_off = entry(from, "fused_off");
    machine_.sim.fused_off = slots(fused_off, "topology.fused_off");
    machine_.values.back().value = fmt::format("{} SMs", machine_.sim.fused_off.size());
    const Node& placement = entry(from, "placement");
    const bool dealt = placement.kind == Kind::text && placement.text == "dealt";
    if (!dealt && placement.kind != Kind::array)
      wrong(placement, "topology.placement", "it must be \"dealt\" or a list of [CPC, TPC, SM]");
    machine_.sim.placement = dealt ? std::vector<Slot>{} : slots(placement, "topology.placement");
    machine_.values.back().value = dealt ? "dealt" : "listed";
    const int there = attempt(fused_off, [&] { return fabric::Topology(machine_.sim.fused_off).ranks(); });
    if (there != sms.integer)
      wrong(sms, "topology.sms", fmt::format("of {} SMs, fused_off leaves {}", fabric::kMaxSms, there));
    if (dealt) return;
    if (static_cast<int>(machine_.sim.placement.size()) != there)
      wrong(placement, "topology.placement",
            fmt::format("it places {} ranks on {} SMs", machine_.sim.placement.size(), there));
    for (const Slot& s : machine_.sim.placement)
      if (std::ranges::count(machine_.sim.fused_off, s) != 0)
        wrong(placement, "topology.placement",
              fmt::format("CPC {} TPC {} SM {} is fused off", s.cpc, s.tpc, s.sm));
    attempt(placement, [&] { return topology_of(machine_.sim).ranks(); });
  }

  /// [calibration] is optional: free = ["load_turnaround", ...], whole numbers all.
  void calibration() {
    if (document_.root().find("calibration") == nullptr) return;
    constexpr std::array<std::string_view, 1> kKeys{"free"};
    const Node& node = table("calibration");
    document_.check_keys(node, "calibration", kKeys);
    const Node* free = node.find("free");
    if (free == nullptr || free->kind != Kind::array)
      document_.fail(free == nullptr ? node : *free, "calibration.free must be a list of parameters' names.");
    for (const Node& item : free->items) {
      const Parameter* p = item.kind == Kind::text ? fabric::find_parameter(item.text) : nullptr;
      if (p == nullptr || !std::holds_alternative<int fabric::Parameters::*>(p->member))
        document_.fail(
            item, fmt::format("calibration.free: {} is no parameter with a whole number.", item.shown()));
      machine_.free.push_back(item.text);
    }
  }

  template <class Call>
  int attempt(const Node& at, Call&& call) const {
    try {
      return call();
    } catch (const Error& error) {
      document_.fail(at, error.what());
    }
  }

  const Document& document_;
  Machine machine_;
  std::map<std::string, Place, std::less<>> values_;
};

}  // namespace

Machine machine_from(std::string_view text, const std::string& file) {
  const Document document(text, file);
  return Reader(document).read();
}

Machine read_machine(const std::string& name, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const fs::path shipped = folder / "machines" / (name + ".toml");
  std::error_code error;
  const bool is_name = name.find('/') == std::string::npos && fs::is_regular_file(shipped, error);
  if (!is_name && !fs::is_regular_file(name, error)) {
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(folder / "machines", error))
      if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
    std::ranges::sort(names);
    throw Error(Fault::caller, fmt::format("machine {}: no such file, and none of the machines that Plumb "
                                           "ships ({}).",
                                           name, fmt::join(names, ", ")));
  }
  const fs::path file = is_name ? shipped : fs::path(name);
  const Document document = Document::read(file);
  Machine machine = Reader(document).read();
  machine.file = file;
  return machine;
}

std::string with_value(const std::string& text, const Known& known) {
  const std::string begin = known.key.substr(known.key.find('.') + 1) + " = {";
  const std::size_t at = text.starts_with(begin) ? 0 : text.find('\n' + begin);
  if (at == std::string::npos)
    throw Error(Fault::caller, fmt::format("{}: the machine file has no line for it.", known.key));
  const std::size_t from = at == 0 ? 0 : at + 1;
  const std::size_t to = std::min(text.find('\n', from), text.size());
  return fmt::format("{}{} value = {}, evidence = \"{}\", source = \"{}\" }}{}", text.substr(0, from), begin,
                     known.value, kEvidenceNames.at(static_cast<std::size_t>(known.evidence)), known.source,
                     text.substr(to));
}

std::string evidence_line(const Machine& machine) {
  std::array<int, kEvidenceNames.size()> counts{};
  for (const Known& k : machine.values) ++counts.at(static_cast<std::size_t>(k.evidence));
  std::string line = fmt::format("{} values", machine.values.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    line += fmt::format("{} {} {}", i == 0 ? ":" : ",", counts.at(i), kEvidenceNames.at(i));
  return line;
}

}  // namespace plumb::config
