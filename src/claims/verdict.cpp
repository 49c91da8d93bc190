// SPDX-License-Identifier: Apache-2.0
#include "claims/verdict.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "stats/describe.h"

namespace plumb::claims {
namespace {

/// Findings whose names match. Most part from a glob before its first wildcard, and a board asks for all of
/// them a hundred times.
std::vector<const Finding*> matching(const std::string& glob, std::span<const Finding> findings) {
  const std::string_view plain = std::string_view(glob).substr(0, glob.find_first_of("*?[\\"));
  std::vector<const Finding*> out;
  for (const Finding& f : findings)
    if (f.name.starts_with(plain) && fnmatch(glob.c_str(), f.name.c_str(), 0) == 0) out.push_back(&f);
  return out;
}

/// Findings of one pattern, by the claim's estimator, or else by the better one of each name.
std::vector<const Finding*> found(const Claim& claim, const std::string& glob,
                                  std::span<const Finding> findings) {
  std::vector<const Finding*> out = matching(glob, findings);
  std::set<std::string_view> steady;
  for (const Finding* f : out)
    if (f->estimator == "steady") steady.insert(f->name);
  std::erase_if(out, [&](const Finding* f) {
    return claim.estimator.empty() ? f->estimator == "published" && steady.contains(f->name)
                                   : f->estimator != claim.estimator;
  });
  return out;
}

Number of(const Finding& f) { return {f.value, f.low, f.high, {}, {}}; }

/// The finding in the middle, with its own interval.
Number median(const std::vector<const Finding*>& some) {
  std::vector<double> value;
  std::vector<double> low;
  std::vector<double> high;
  for (const Finding* f : some) {
    value.push_back(f->value);
    low.push_back(f->low);
    high.push_back(f->high);
  }
  return {stats::median(value), stats::median(low), stats::median(high), {}, {}};
}

Number sum(const std::vector<const Finding*>& some) {
  Number out;
  double below = 0.0;
  double above = 0.0;
  for (const Finding* f : some) {
    out.value += f->value;
    below += std::pow(f->value - f->low, 2);
    above += std::pow(f->high - f->value, 2);
  }
  out.low = out.value - std::sqrt(below);
  out.high = out.value + std::sqrt(above);
  return out;
}

double relative(double part, double whole) { return whole == 0.0 ? 0.0 : part / whole; }

/// a / b, their relative half-widths in quadrature.
Number ratio(const Number& a, const Number& b) {
  const double value = a.value / b.value;
  const double below = std::hypot(relative(a.value - a.low, a.value), relative(b.high - b.value, b.value));
  const double above = std::hypot(relative(a.high - a.value, a.value), relative(b.value - b.low, b.value));
  return {value, value * (1 - below), value * (1 + above), {}, {}};
}

Number spread(const std::vector<const Finding*>& some) {
  const auto by_value = [](const Finding* a, const Finding* b) { return a->value < b->value; };
  const auto [least, most] = std::ranges::minmax_element(some, by_value);
  const Number r = ratio(of(**most), of(**least));
  return {100 * (r.value - 1), 100 * (r.low - 1), 100 * (r.high - 1), {}, {}};
}

std::optional<Number> number_of(const Claim& claim, const Measured& recording) {
  std::vector<std::vector<const Finding*>> parts;
  std::vector<const Finding*> all;
  for (const std::string& glob : claim.findings) {
    parts.push_back(found(claim, glob, recording.findings));
    if (parts.back().empty()) return std::nullopt;
    all.insert(all.end(), parts.back().begin(), parts.back().end());
  }
  if (all.empty()) return std::nullopt;
  const auto by_value = [](const Finding* a, const Finding* b) { return a->value < b->value; };
  Number out;
  switch (claim.take) {
    case Take::value:
    case Take::median:
      out = median(all);
      break;
    case Take::min:
      out = of(**std::ranges::min_element(all, by_value));
      break;
    case Take::max:
      out = of(**std::ranges::max_element(all, by_value));
      break;
    case Take::sum:
      out = sum(all);
      break;
    case Take::spread:
      out = spread(all);
      break;
    case Take::ratio:
    case Take::loss: {
      out = ratio(median(parts[0]), median(parts[1]));
      if (claim.take == Take::loss)
        out = {100 * (1 - out.value), 100 * (1 - out.high), 100 * (1 - out.low), {}, {}};
      break;
    }
  }
  out = {out.value * claim.scale, out.low * claim.scale, out.high * claim.scale, recording.gpu, {}};
  for (const Finding* f : all) out.findings.push_back(f->name);
  return out;
}

/// In %, from the value, or from the nearer bound where the claim is a range.
double off(const Claim& claim, const Number& number) {
  const bool is_range = claim.low != claim.high && (!std::isfinite(claim.low) || !std::isfinite(claim.high) ||
                                                    claim.shown.find("..") != std::string::npos);
  const double from = !is_range                   ? claim.value
                      : number.value < claim.low  ? claim.low
                      : number.value > claim.high ? claim.high
                                                  : number.value;
  return from == 0.0 ? 0.0 : 100 * (number.value - from) / std::abs(from);
}

std::set<std::string> words(std::string_view text) {
  std::set<std::string> out;
  std::string word;
  for (const char c : std::string(text) + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      out.insert(std::exchange(word, {}));
    }
  }
  out.erase("nvidia");
  return out;
}

}  // namespace

std::string_view name_of(Verdict verdict) noexcept {
  return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

bool is_of(std::string_view gpu, std::string_view hardware) {
  const auto a = words(gpu);
  const auto b = words(hardware);
  if (b.empty()) return true;
  return !a.empty() && (std::ranges::includes(a, b) || std::ranges::includes(b, a));
}

Judged judge(const Claim& claim, std::span<const Measured> recordings) {
  Judged out;
  bool right_hardware = recordings.empty();
  for (const bool right : {true, false}) {
    for (const Measured& recording : recordings) {
      if (is_of(recording.gpu, claim.hardware) != right) continue;
      right_hardware |= right;
      if (!out.number) out.number = number_of(claim, recording);
    }
  }
  if (claim.other) {
    out.verdict = Verdict::contradicts_itself;
  } else if (!right_hardware) {
    out.verdict = Verdict::other_hardware;
  } else if (!out.number || !is_of(out.number->gpu, claim.hardware)) {
    out.verdict = Verdict::not_measured;
  } else if (out.number->low <= claim.high && claim.low <= out.number->high) {
    out.verdict = Verdict::reproduced;
  } else {
    out.verdict = Verdict::differs;
    out.off_percent = off(claim, *out.number);
  }
  return out;
}

std::vector<std::string> experiments_of(std::span<const Claim> claims) {
  std::set<std::string> out;
  for (const Claim& c : claims)
    for (const std::string& f : c.findings) out.insert(f.substr(0, f.find('/', f.find('/') + 1)));
  return {out.begin(), out.end()};
}

}  // namespace plumb::claims
