// SPDX-License-Identifier: Apache-2.0
#include "report/html/lookup.h"

#include <algorithm>
#include <charconv>

namespace plumb::report::html {
namespace {

/// Whether a comes before b where runs of digits count as numbers.
bool before(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto end = [&](std::string_view s, std::size_t from) {
      while (from < s.size() && digit(s[from])) ++from;
      return from;
    };
    const std::string_view x = a.substr(i, end(a, i) - i);
    const std::string_view y = b.substr(j, end(b, j) - j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
    i += x.size(), j += y.size();
  }
  return a.size() - i < b.size() - j;
}

}  // namespace

Lookup::Lookup(const std::vector<Finding>& findings) {
  for (const Finding& f : findings) {
    const auto [it, is_new] = by_name_.try_emplace(f.name, &f);
    if (!is_new && f.estimator == "steady") it->second = &f;
  }
}

const Finding* Lookup::find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::vector<const Finding*> Lookup::under(std::string_view prefix) const {
  std::vector<const Finding*> out;
  for (auto it = by_name_.lower_bound(prefix); it != by_name_.end() && it->first.starts_with(prefix); ++it)
    out.push_back(it->second);
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding* a, const Finding* b) { return before(a->name, b->name); });
  return out;
}

std::vector<std::string> split(std::string_view name) {
  std::vector<std::string> out;
  for (std::size_t from = 0;;) {
    const std::size_t slash = name.find('/', from);
    out.emplace_back(name.substr(from, slash - from));
    if (slash == std::string_view::npos) return out;
    from = slash + 1;
  }
}

bool names_a_flow(std::string_view name) {
  for (const std::string& part : split(name))
    if (!part.empty() && part.front() >= '0' && part.front() <= '9' && part.find("to") != std::string::npos)
      return true;
  return false;
}

double number_in(std::string_view text, double otherwise) {
  double value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double box_bytes(const std::string& box) {
  double bytes = 4;
  for (std::size_t at = 0; at != std::string::npos; at = box.find('x', at)) {
    if (box[at] == 'x') ++at;
    bytes *= number_in(std::string_view(box).substr(at), 0);
  }
  return bytes;
}

}  // namespace plumb::report::html
