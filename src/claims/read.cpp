// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "claims/claims.h"
#include "config/document.h"
#include "plumb/core/error.h"

namespace plumb::claims {
namespace {

using config::Document;
using config::Node;
using Kind = Node::Kind;

constexpr std::array<std::string_view, 2> kTop{"source", "claim"};
constexpr std::array<std::string_view, 4> kSourceKeys{"title", "where", "hardware", "read"};
constexpr std::array<std::string_view, 18> kClaimKeys{
    "id",       "says",       "place",    "unit",     "value",       "tolerance_percent",
    "at_least", "at_most",    "between",  "findings", "take",        "estimator",
    "scale",    "conditions", "hardware", "other",    "other_place", "note"};

class Reader {
 public:
  Reader(Board& board, const Document& document) : board_(board), document_(document) {}

  void read(const std::string& name) {
    const Node& root = document_.root();
    document_.check_keys(root, "", kTop);
    const Node* source = root.find("source");
    if (source == nullptr || source->kind != Kind::table)
      document_.fail(root, "the table [source] is missing: say whose claims these are.");
    document_.check_keys(*source, "source.", kSourceKeys);
    board_.sources.push_back({.name = name,
                              .title = text(*source, "title"),
                              .where = text(*source, "where"),
                              .hardware = optional_text(*source, "hardware"),
                              .read = text(*source, "read")});
    const Node* claims = root.find("claim");
    if (claims == nullptr || claims->kind != Kind::array)
      document_.fail(root, "there is no [[claim]] in it.");
    for (const Node& node : claims->items) claim(node);
  }

 private:
  std::string optional_text(const Node& table, std::string_view key) const {
    const Node* node = table.find(key);
    if (node == nullptr) return {};
    if (node->kind != Kind::text)
      document_.fail(*node, fmt::format("{} = {}: it must be a text in quotes.", key, node->shown()));
    return node->text;
  }

  std::string text(const Node& table, std::string_view key) const {
    if (table.find(key) == nullptr) document_.fail(table, fmt::format("{} is missing.", key));
    std::string out = optional_text(table, key);
    if (out.empty()) document_.fail(*table.find(key), fmt::format("{} is empty.", key));
    return out;
  }

  double number(const Node& node, std::string_view key) const {
    double out = 0.0;
    const char* const end = node.text.data() + node.text.size();
    const auto [at, error] = std::from_chars(node.text.data(), end, out);
    const bool is_number = node.kind == Kind::integer || node.kind == Kind::other;
    if (!is_number || error != std::errc{} || at != end || !std::isfinite(out))
      document_.fail(node, fmt::format("{} = {}: it must be a number.", key, node.shown()));
    return out;
  }

  std::optional<double> optional_number(const Node& table, std::string_view key) const {
    const Node* node = table.find(key);
    return node == nullptr ? std::nullopt : std::optional(number(*node, key));
  }

  /// Exactly one of value, at_least, at_most and between.
  void band(const Node& table, Claim& c) const {
    const auto value = optional_number(table, "value");
    const auto least = optional_number(table, "at_least");
    const auto most = optional_number(table, "at_most");
    const Node* between = table.find("between");
    if (value.has_value() + least.has_value() + most.has_value() + (between != nullptr) != 1)
      document_.fail(table, "give one of value, at_least, at_most and between.");
    const auto tolerance = optional_number(table, "tolerance_percent");
    if (value.has_value() != tolerance.has_value())
      document_.fail(table, "tolerance_percent goes with value: how far off still reproduces it.");
    if (tolerance && *tolerance < 0)
      document_.fail(*table.find("tolerance_percent"), "tolerance_percent: it must be 0 or more.");
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (value) {
      const double off = std::abs(*value) * *tolerance / 100;
      c.value = *value;
      c.low = *value - off;
      c.high = *value + off;
      c.shown = fmt::format("{:g}", *value);
    } else if (least) {
      c.value = c.low = *least;
      c.high = kInfinite;
      c.shown = fmt::format(">= {:g}", *least);
    } else if (most) {
      c.value = c.high = *most;
      c.low = -kInfinite;
      c.shown = fmt::format("<= {:g}", *most);
    } else {
      if (between->kind != Kind::array || between->items.size() != 2)
        document_.fail(*between, fmt::format("between = {}: it must be [LOW, HIGH].", between->shown()));
      c.low = number(between->items[0], "between");
      c.high = number(between->items[1], "between");
      if (c.low > c.high) document_.fail(*between, "between: LOW is above HIGH.");
      c.value = (c.low + c.high) / 2;
      c.shown = fmt::format("{:g}..{:g}", c.low, c.high);
    }
  }

  void mapping(const Node& table, Claim& c) const {
    const std::string take = optional_text(table, "take");
    if (!take.empty()) {
      const auto* const it = std::ranges::find(kTakeNames, take);
      if (it == kTakeNames.end())
        document_.fail(*table.find("take"),
                       fmt::format("take = \"{}\"{}.", take, config::suggestion(take, kTakeNames)));
      c.take = static_cast<Take>(it - kTakeNames.begin());
    }
    if (const Node* findings = table.find("findings")) {
      if (findings->kind != Kind::array)
        document_.fail(*findings,
                       fmt::format("findings = {}: it must be a list of names.", findings->shown()));
      for (const Node& item : findings->items) {
        if (item.kind != Kind::text || std::ranges::count(item.text, '/') < 2)
          document_.fail(item, fmt::format("findings: {} is no name such as \"dsm/pair/put/one-way/rate\".",
                                           item.shown()));
        c.findings.push_back(item.text);
      }
    }
    const bool two = c.take == Take::ratio || c.take == Take::loss;
    if (!c.findings.empty() && two && c.findings.size() != 2)
      document_.fail(*table.find("findings"),
                     fmt::format("take = \"{}\": it needs two findings, and {} are given.",
                                 kTakeNames.at(static_cast<std::size_t>(c.take)), c.findings.size()));
    if (const auto scale = optional_number(table, "scale")) c.scale = *scale;
  }

  void claim(const Node& table) {
    if (table.kind != Kind::table) document_.fail(table, "claim: write [[claim]].");
    document_.check_keys(table, "claim.", kClaimKeys);
    Claim c;
    c.id = text(table, "id");
    if (std::ranges::any_of(board_.claims, [&](const Claim& other) { return other.id == c.id; }))
      document_.fail(*table.find("id"), fmt::format("id = \"{}\": another claim has it.", c.id));
    c.says = text(table, "says");
    c.place = text(table, "place");
    c.unit = optional_text(table, "unit");
    c.conditions = optional_text(table, "conditions");
    c.estimator = optional_text(table, "estimator");
    c.note = optional_text(table, "note");
    c.source = board_.sources.size() - 1;
    c.hardware =
        table.find("hardware") == nullptr ? board_.sources.back().hardware : optional_text(table, "hardware");
    band(table, c);
    mapping(table, c);
    c.other = optional_number(table, "other");
    c.other_place = optional_text(table, "other_place");
    if (c.other.has_value() == c.other_place.empty())
      document_.fail(table, "other and other_place go together: the second number, and where it stands.");
    board_.claims.push_back(std::move(c));
  }

  Board& board_;
  const Document& document_;
};

}  // namespace

void read_into(Board& board, std::string_view text, const std::string& file) {
  const Document document(text, file);
  Reader(board, document).read(std::filesystem::path(file).stem().string());
}

Board read_board(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  if (files.empty())
    throw Error(Fault::caller, fmt::format("{}: there are no claims (*.toml) in it.", folder.string()));
  std::ranges::sort(files);
  Board board;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw Error(Fault::caller, fmt::format("{}: it cannot be read.", file.string()));
    read_into(board, text.str(), file.string());
  }
  return board;
}

}  // namespace plumb::claims
