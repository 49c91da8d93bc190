// SPDX-License-Identifier: Apache-2.0
#include "config/pattern_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/document.h"
#include "config/size.h"
#include "plumb/core/error.h"
#include "plumb/core/named_pattern.h"
#include "plumb/fabric/parameters.h"

namespace plumb::config {
namespace {

using Kind = Node::Kind;

constexpr std::size_t kMostFlows = 2048;  // what one run of the simulator can tell apart
constexpr std::int64_t kMostCycles = 1'000'000'000;

/// A member of a flow and how a file gives it.
struct Field {
  std::string_view key;
  std::int64_t Flow::*large = nullptr;  // bytes or cycles
  int Flow::*small = nullptr;
  bool is_size = false;
};
constexpr std::array kFields{
    Field{"bytes", &Flow::bytes, nullptr, true},
    Field{"command", &Flow::command, nullptr, true},
    Field{"window", &Flow::window, nullptr, true},
    Field{"burst", &Flow::burst, nullptr, true},
    Field{"source_skew", &Flow::source_skew, nullptr, true},
    Field{"destination_skew", &Flow::destination_skew, nullptr, true},
    Field{"delay", &Flow::delay, nullptr, false},
    Field{"gap", &Flow::gap, nullptr, false},
    Field{"warps", nullptr, &Flow::warps, false},
    Field{"in_flight", nullptr, &Flow::in_flight, false},
};

class Reader {
 public:
  explicit Reader(const Document& document) : document_(document) {}

  Traffic read() {
    const Node& root = document_.root();
    document_.check_keys(root, "", std::to_array<std::string_view>({"ranks", "flow", "generate"}));
    const Node& ranks = required(root, "ranks", "give the number of SMs that take part");
    traffic_.ranks = static_cast<int>(whole(ranks, 2, fabric::kMaxSms));
    each(root, "flow", [&](const Node& table) { add_flow(table); });
    each(root, "generate", [&](const Node& table) { generate(table); });
    if (traffic_.flows.empty())
      document_.fail(root, "there is no flow; give at least one [[flow]] or [[generate]].");
    check();
    return std::move(traffic_);
  }

 private:
  template <class Call>
  auto attempt(const Node& at, Call&& call) const {
    try {
      return call();
    } catch (const Error& error) {
      document_.fail(at, at.key.empty() ? error.what() : fmt::format("{}: {}", at.key, error.what()));
    }
  }

  [[noreturn]] void wrong(const Node& value, std::string_view rule) const {
    document_.fail(value, fmt::format("{} = {}: {}.", value.key, value.shown(), rule));
  }
  const Node& required(const Node& table, std::string_view key, std::string_view advice) const {
    const Node* node = table.find(key);
    if (node == nullptr) document_.fail(table, fmt::format("{} is missing; {}.", key, advice));
    return *node;
  }
  std::int64_t whole(const Node& value, std::int64_t low, std::int64_t high) const {
    if (value.kind != Kind::integer) wrong(value, "it must be a whole number");
    if (value.integer < low || value.integer > high)
      wrong(value, fmt::format("allowed is {} to {}", low, high));
    return value.integer;
  }
  std::int64_t size(const Node& value) const {
    if (value.kind == Kind::integer) return whole(value, 0, kLargestSize);
    if (value.kind != Kind::text) wrong(value, "it must be bytes such as 65536, or a text such as \"64KiB\"");
    return attempt(value, [&] { return size_from(value.text); });
  }
  int rank(const Node& value) const {
    if (value.kind != Kind::integer) wrong(value, "it must be a whole number");
    if (value.integer < 0 || value.integer >= traffic_.ranks)
      wrong(value, fmt::format("ranks go from 0 to {}", traffic_.ranks - 1));
    return static_cast<int>(value.integer);
  }

  template <class Call>
  void each(const Node& root, std::string_view key, Call&& call) const {
    const Node* list = root.find(key);
    if (list == nullptr) return;
    const auto is_table = [](const Node& n) { return n.kind == Kind::table; };
    if (list->kind != Kind::array || !std::ranges::all_of(list->items, is_table))
      document_.fail(*list, fmt::format("{}: write it as tables, [[{}]].", key, key));
    for (const Node& table : list->items) call(table);
  }

  /// What [[flow]] and [[generate]] have in common.
  Flow flow_of(const Node& table, std::vector<std::string_view> keys) const {
    keys.emplace_back("op");
    for (const Field& f : kFields) keys.push_back(f.key);
    document_.check_keys(table, "", keys);
    Flow flow;
    const Node& op = required(table, "op", "allowed are load, store, put");
    if (op.kind != Kind::text) wrong(op, R"(allowed are "load", "store" and "put")");
    flow.op = attempt(op, [&] { return op_from(op.text); });
    required(table, "bytes", "give the payload of the flow");
    for (const Field& f : kFields) {
      const Node* value = table.find(f.key);
      if (value == nullptr) continue;
      if (f.small != nullptr)
        flow.*f.small = static_cast<int>(whole(*value, 1, kMaxWarps));
      else
        flow.*f.large = f.is_size ? size(*value) : whole(*value, 0, kMostCycles);
    }
    return flow;
  }

  void add_flow(const Node& table) {
    Flow flow = flow_of(table, {"source", "destination"});
    flow.source = rank(required(table, "source", "give the rank that holds the payload before"));
    flow.destination =
        rank(required(table, "destination", "give the rank that holds the payload afterwards"));
    keep({flow}, table);
  }

  void generate(const Node& table) {
    const Flow flow = flow_of(table, {"pattern", "stride", "root"});
    PatternShape shape{.ranks = traffic_.ranks};
    if (const Node* stride = table.find("stride")) shape.stride = static_cast<int>(whole(*stride, 1, 17));
    if (const Node* root = table.find("root")) shape.root = rank(*root);
    const Node& name = required(table, "pattern", "name one, such as \"ring\"");
    if (name.kind != Kind::text) wrong(name, "it must be a text such as \"ring\"");
    const Node* stride = table.find("stride");
    const Node& blamed = is_pattern(name.text) && stride != nullptr ? *stride : name;
    keep(attempt(blamed, [&] { return make_pattern(name.text, shape, flow).flows; }), table);
  }

  void keep(const std::vector<Flow>& flows, const Node& from) {
    if (traffic_.flows.size() + flows.size() > kMostFlows)
      document_.fail(from, fmt::format("there are more than {} flows up to here.", kMostFlows));
    for (const Flow& f : flows) {
      traffic_.flows.push_back(f);
      origins_.push_back(&from);
    }
  }

  void check() const {
    try {
      validate(traffic_, fabric::kMaxSms);
    } catch (const FlowError& error) {
      const Node& table = *origins_[error.flow()];
      const Node* field = table.find(error.field());
      document_.fail(field != nullptr ? *field : table, error.what());
    } catch (const Error& error) {
      document_.fail(document_.root(), error.what());
    }
  }

  const Document& document_;
  Traffic traffic_;
  std::vector<const Node*> origins_;
};

}  // namespace

Traffic pattern_from(std::string_view text, const std::string& file) {
  const Document document(text, file);
  return Reader(document).read();
}

Traffic read_pattern(const std::filesystem::path& path) {
  const Document document = Document::read(path);
  return Reader(document).read();
}

std::string pattern_text(const Traffic& traffic, std::string_view comment) {
  std::string text;
  for (std::string_view rest = comment; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    text += fmt::format("# {}\n", line);
  }
  text += fmt::format("ranks = {}\n", traffic.ranks);
  const Flow usual;
  for (const Flow& f : traffic.flows) {
    text += fmt::format("\n[[flow]]\nsource = {}\ndestination = {}\nop = \"{}\"\n", f.source, f.destination,
                        name_of(f.op));
    for (const Field& field : kFields) {
      if (field.large != nullptr && f.*field.large != usual.*field.large)
        text += fmt::format("{} = {}\n", field.key, f.*field.large);
      if (field.small != nullptr && f.*field.small != usual.*field.small)
        text += fmt::format("{} = {}\n", field.key, f.*field.small);
    }
  }
  return text;
}

}  // namespace plumb::config
