// SPDX-License-Identifier: Apache-2.0
#include "config/sheet_file.h"

#include <array>
#include <limits>

#include "config/document.h"

namespace plumb::config {
namespace {

using Kind = Node::Kind;

void text(const Document& document, const Node& root, std::string_view key, std::string& to) {
  const Node* node = root.find(key);
  if (node == nullptr) return;
  if (node->kind != Kind::text) document.fail(*node, "give a text in quotes.");
  to = node->text;
}

void whole(const Document& document, const Node& root, std::string_view key, int& to) {
  const Node* node = root.find(key);
  if (node == nullptr) return;
  if (node->kind != Kind::integer || node->integer < 1 || node->integer > std::numeric_limits<int>::max())
    document.fail(*node, "give a whole number of 1 or more.");
  to = static_cast<int>(node->integer);
}

}  // namespace

SheetFile read_sheet_file(const std::filesystem::path& path) {
  const Document document = Document::read(path);
  const Node& root = document.root();
  document.check_keys(
      root, "",
      std::to_array<std::string_view>({"path", "from", "gpu", "source", "sms", "clock_MHz", "columns"}));
  SheetFile sheet;
  text(document, root, "path", sheet.path);
  text(document, root, "from", sheet.from);
  text(document, root, "gpu", sheet.gpu);
  text(document, root, "source", sheet.source);
  whole(document, root, "sms", sheet.sms);
  whole(document, root, "clock_MHz", sheet.clock_mhz);
  const Node* columns = root.find("columns");
  if (columns == nullptr) return sheet;
  if (columns->kind != Kind::table) document.fail(*columns, "give a table: [columns].");
  for (const Node& column : columns->items) {
    if (column.kind != Kind::text) document.fail(column, "give the name of a column, in quotes.");
    sheet.columns[column.key] = column.text;
  }
  return sheet;
}

}  // namespace plumb::config
