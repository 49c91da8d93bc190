// SPDX-License-Identifier: Apache-2.0
#include "copy/sheet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "copy/rates.h"
#include "plumb/core/error.h"

namespace plumb::copy {
namespace {

constexpr int kLanes = 32;

/// The columns of a sheet that have a meaning, looked up once.
class Columns {
 public:
  Columns(const record::Csv& csv, const Sheet& sheet) : csv_(csv) {
    for (const auto& [meaning, name] : sheet.columns) {
      const auto& known = sheet_meanings();
      if (std::find(known.begin(), known.end(), meaning) == known.end())
        throw Error(Fault::caller, fmt::format("a column cannot mean '{}'; it can mean {}.", meaning,
                                               fmt::join(known, ", ")));
      places_[meaning] = csv.column(name);
    }
  }
  [[nodiscard]] bool has(std::string_view meaning) const { return places_.contains(meaning); }
  [[nodiscard]] int count(std::size_t row, std::string_view meaning, int otherwise) const {
    const auto it = places_.find(meaning);
    return it == places_.end() ? otherwise : csv_.count(row, it->second);
  }
  [[nodiscard]] std::optional<double> number(std::size_t row, std::string_view meaning) const {
    const auto it = places_.find(meaning);
    return it == places_.end() ? std::nullopt : std::optional(csv_.number(row, it->second));
  }

 private:
  const record::Csv& csv_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

Copy copy_of(const Columns& columns, std::size_t row, const Sheet& sheet) {
  Copy c{.path = sheet.path, .from = sheet.from};
  c.ctas = columns.count(row, "ctas", 1);
  c.stages = columns.count(row, "stages", 1);
  c.threads = columns.count(row, "threads", sheet.path == CopyPath::ldgsts ? c.threads : kLanes);
  if (sheet.path == CopyPath::ldgsts)
    c.width = columns.count(row, "width", c.width);
  else
    c.box = {columns.count(row, "box_width", 1), columns.count(row, "box_height", 1)};
  return c;
}

Axes axes_of(const Copy& c, std::string_view what) {
  Axes axes{{"what", std::string(what)},
            {"from", std::string(name_of(c.from))},
            {"stages", std::int64_t{c.stages}}};
  if (c.path == CopyPath::ldgsts) {
    axes["width"] = std::int64_t{c.width};
    axes["threads"] = std::int64_t{c.threads};
    axes["ctas"] = std::int64_t{c.ctas};
  } else {
    axes["path"] = std::string(name_of(c.path));
    axes["box"] = box_text(c);
    axes["warps"] = std::int64_t{c.threads / kLanes};
  }
  return axes;
}

std::int64_t whole(double value) { return std::llround(value); }

/// Picoseconds of a latency that the sheet gives in ns or in cycles.
std::optional<std::int64_t> picoseconds(const Columns& columns, std::size_t row, const Sheet& sheet,
                                        const std::string& what) {
  constexpr double kPicoseconds = 1000.0;
  if (const auto ns = columns.number(row, what + "_ns")) return whole(kPicoseconds * *ns);
  const auto cycles = columns.number(row, what + "_cycles");
  if (!cycles) return std::nullopt;
  if (!(sheet.clock_ghz > 0.0))
    throw Error(Fault::caller,
                fmt::format("{}_cycles: say how fast the SM clock was (clock_GHz), or name a column "
                            "in ns.",
                            what));
  return whole(kPicoseconds * *cycles / sheet.clock_ghz);
}

}  // namespace

const std::vector<std::string_view>& sheet_meanings() {
  static const std::vector<std::string_view> kAll{
      "ctas",      "stages",     "threads",        "width",    "box_width",    "box_height", "rate_Bps",
      "rate_GBps", "latency_ns", "latency_cycles", "least_ns", "least_cycles", "most_ns",    "most_cycles"};
  return kAll;
}

std::vector<Measurement> measurements_of(const record::Csv& csv, const Sheet& sheet,
                                         const std::string& source) {
  const Columns columns(csv, sheet);
  const bool rates = columns.has("rate_Bps") || columns.has("rate_GBps");
  const bool waves = columns.has("latency_ns") || columns.has("latency_cycles");
  if (rates == waves)
    throw Error(Fault::caller,
                "a sheet has either a rate (rate_Bps, rate_GBps) or a latency (latency_ns, "
                "latency_cycles); name the column of one of them.");
  if (sheet.sms < 1)
    throw Error(Fault::caller,
                fmt::format("sms = {}: say how many SMs the card of the sheet has.", sheet.sms));
  std::vector<Measurement> out;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    Copy copy = copy_of(columns, row, sheet);
    // How long the authors measured a rate is not known; the case says how Plumb would.
    copy = waves ? one_wave(copy) : steady(copy);
    const std::string where = fmt::format("as given in {}:{}", source, csv.line(row));
    try {
      validate(copy);
    } catch (const Error& error) {
      throw Error(Fault::caller, fmt::format("{}:{}: {}", source, csv.line(row), error.what()));
    }
    Measurement m{.point = {.experiment = sheet.path == CopyPath::ldgsts ? "copy/ldgsts" : "copy/tma",
                            .axes = axes_of(copy, waves ? "wave" : "rate"),
                            .work = copy,
                            .samples = 1,
                            .site = {.clusters = 0}},
                  .samples = {},
                  .conditions = {.readings = {}, .flags = {where}}};
    m.samples[std::string(column::sms)] = {{sheet.sms}};
    if (sheet.clock_ghz > 0.0) m.conditions.readings["sm_clock_GHz"] = sheet.clock_ghz;
    if (rates) {
      constexpr double kGiga = 1e9;
      const auto bps = columns.number(row, "rate_Bps");
      m.samples[std::string(column::given_bps)] = {
          {whole(bps ? *bps : kGiga * *columns.number(row, "rate_GBps"))}};
    } else {
      Column& column = m.samples[std::string(column::given_ps)];
      for (const char* what : {"latency", "least", "most"})
        if (const auto ps = picoseconds(columns, row, sheet, what)) column.push_back({*ps});
    }
    out.push_back(std::move(m));
  }
  return out;
}

}  // namespace plumb::copy
