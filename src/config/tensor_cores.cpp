// SPDX-License-Identifier: Apache-2.0
#include "config/tensor_cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/document.h"

namespace plumb::config {
namespace {

using model::TensorCores;
constexpr std::string_view kTable = "tensor_cores";

/// A whole number of the table, and what it may be.
struct Field {
  std::string_view key;
  int TensorCores::*member;
  int low;
  int high;
};

constexpr int kMostCycles = 1000;
constexpr std::array<Field, 17> kFields{{
    {"flop_per_cycle", &TensorCores::flop_per_cycle, 1, 1 << 20},
    {"full_rows", &TensorCores::full_rows, 16, 256},
    {"shared_bytes_per_cycle", &TensorCores::shared_bytes_per_cycle, 1, 4096},
    {"register_issue", &TensorCores::register_issue, 0, kMostCycles},
    {"trip", &TensorCores::trip, 0, kMostCycles},
    {"trip_elsewhere", &TensorCores::trip_elsewhere, 0, kMostCycles},
    {"trip_hidden", &TensorCores::trip_hidden, 0, kMostCycles},
    {"observed_alone", &TensorCores::observed_alone, -kMostCycles, kMostCycles},
    {"crowd", &TensorCores::crowd, 0, kMostCycles},
    {"crowd_elsewhere", &TensorCores::crowd_elsewhere, 0, kMostCycles},
    {"pair_trip", &TensorCores::pair_trip, 0, kMostCycles},
    {"half_pair_trip", &TensorCores::half_pair_trip, 0, kMostCycles},
    {"pair_pipeline", &TensorCores::pair_pipeline, 0, 64},
    {"pair_pipeline_trip", &TensorCores::pair_pipeline_trip, 0, kMostCycles},
    {"half_pair_pipeline", &TensorCores::half_pair_pipeline, 0, 64},
    {"half_pair_pipeline_trip", &TensorCores::half_pair_pipeline_trip, 0, kMostCycles},
    {"scale_trip", &TensorCores::scale_trip, 0, kMostCycles},
}};

TensorCoreFile read(const Document& document) {
  const Node& root = document.root();
  const Node* name = root.find("name");
  if (name == nullptr || name->kind != Node::Kind::text) document.fail(root, "name is missing.");
  const Node* table = root.find(kTable);
  if (table == nullptr || table->kind != Node::Kind::table)
    document.fail(root, fmt::format("the table [{}] is missing: nothing is known of the tensor cores of {}.",
                                    kTable, name->text));
  std::vector<std::string_view> allowed{"family", "fetch_first"};
  for (const Field& f : kFields) allowed.push_back(f.key);
  document.check_keys(*table, fmt::format("{}.", kTable), allowed);
  TensorCoreFile out{.name = name->text, .cores = {}, .values = {}};
  const auto value = [&](std::string_view key) -> const Node& {
    return evidence_entry(document, *table, key, out.values);
  };
  const Node& family = value("family");
  if (family.text != "wgmma" && family.text != "tcgen05")
    document.fail(family, fmt::format("{}.family = {}: allowed are wgmma, tcgen05.", kTable, family.shown()));
  out.cores.family = mma_family_from(family.text);
  out.values.back().value = family.text;
  for (const Field& f : kFields) {
    const Node& node = value(f.key);
    if (node.kind != Node::Kind::integer || node.integer < f.low || node.integer > f.high)
      document.fail(node, fmt::format("{}.{} = {}: it must be a whole number from {} to {}.", kTable, f.key,
                                      node.shown(), f.low, f.high));
    out.cores.*f.member = static_cast<int>(node.integer);
    out.values.back().value = node.text;
  }
  const Node& first = value("fetch_first");
  if (first.kind != Node::Kind::boolean)
    document.fail(first,
                  fmt::format("{}.fetch_first = {}: allowed are true and false.", kTable, first.shown()));
  out.cores.fetch_first = first.boolean;
  out.values.back().value = first.text;
  return out;
}

}  // namespace

TensorCoreFile tensor_cores_from(std::string_view text, const std::string& file) {
  return read(Document(text, file));
}

TensorCoreFile read_tensor_cores(const std::string& name, const std::filesystem::path& folder) {
  return read(Document::read(machine_path(name, folder)));
}

}  // namespace plumb::config
