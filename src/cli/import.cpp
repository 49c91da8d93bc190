// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cmath>
#include <memory>

#include "cli/verbs.h"
#include "config/sheet_file.h"
#include "copy/sheet.h"
#include "core/version.h"
#include "plumb/core/error.h"
#include "record/recording.h"

namespace plumb::cli {
namespace {

struct Options {
  std::string file;
  std::string output;
  std::string meanings;
  std::vector<std::string> columns;
  std::string path;
  std::string from;
  std::string gpu;
  std::string source;
  int sms = 0;
  double clock_ghz = 0.0;
};

/// The mapping file, and over it what the command line says.
config::SheetFile meaning_of(const Options& o) {
  config::SheetFile sheet;
  if (!o.meanings.empty()) sheet = config::read_sheet_file(o.meanings);
  if (!o.path.empty()) sheet.path = o.path;
  if (!o.from.empty()) sheet.from = o.from;
  if (!o.gpu.empty()) sheet.gpu = o.gpu;
  if (!o.source.empty()) sheet.source = o.source;
  if (o.sms != 0) sheet.sms = o.sms;
  if (o.clock_ghz > 0.0) sheet.clock_mhz = static_cast<int>(std::lround(1000.0 * o.clock_ghz));
  for (const std::string& column : o.columns) {
    const std::size_t equals = column.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == column.size())
      throw Error(Fault::caller, fmt::format("--column {}: write MEANING=NAME.", column));
    sheet.columns[column.substr(0, equals)] = column.substr(equals + 1);
  }
  return sheet;
}

Provenance provenance_of(const config::SheetFile& sheet, const std::string& command_line) {
  Provenance p;
  p.backend = "third-party";
  p.tool_version = kVersion;
  p.tool_commit = kCommit;
  p.command_line = command_line;
  p.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  p.gpu_name = sheet.source.empty() ? sheet.gpu : fmt::format("{} ({})", sheet.gpu, sheet.source);
  p.sm_count = sheet.sms;
  p.ecc = "unknown";
  if (sheet.clock_mhz > 0) p.clocks_mhz["sm"] = sheet.clock_mhz;
  return p;
}

}  // namespace

void add_import(CLI::App& app, int argc, const char* const* argv) {
  auto options = std::make_shared<Options>();
  std::string command_line = "plumb";
  for (int i = 1; i < argc; ++i) command_line += fmt::format(" {}", argv[i]);
  CLI::App* verb = app.add_subcommand(
      "import",
      "A published sheet of copy rates or latencies (CSV) becomes a recording, to be laid beside a run");
  verb->add_option("FILE", options->file, "The sheet: a line of column names, then values")->required();
  verb->add_option("-o,--output", options->output, "The recording to write")->required();
  verb->add_option("--meanings", options->meanings,
                   "A TOML file that says what the columns mean (examples/sheets)");
  std::string all;
  for (const std::string_view meaning : copy::sheet_meanings()) all += fmt::format(" {}", meaning);
  verb->add_option("--column", options->columns, "What a column means; meanings:" + all)
      ->type_name("MEANING=NAME")
      ->allow_extra_args(false);
  verb->add_option("--path", options->path, "ldgsts, bulk or tma");
  verb->add_option("--from", options->from, "dram or l2");
  verb->add_option("--gpu", options->gpu, "The card that the sheet is of");
  verb->add_option("--sms", options->sms, "How many SMs it has")->check(CLI::PositiveNumber);
  verb->add_option("--clock-ghz", options->clock_ghz, "SM clock, where latencies are in cycles")
      ->check(CLI::PositiveNumber);
  verb->add_option("--source", options->source, "Who published it, where");
  verb->callback([options, command_line] {
    const config::SheetFile sheet = meaning_of(*options);
    if (sheet.gpu.empty())
      throw Error(Fault::caller, "say which card the sheet is of: --gpu, or `gpu` in --meanings.");
    constexpr double kGiga = 1000.0;
    const auto measurements = copy::measurements_of(record::Csv::read(options->file),
                                                    {.path = copy_path_from(sheet.path),
                                                     .from = memory_from(sheet.from),
                                                     .sms = sheet.sms,
                                                     .clock_ghz = sheet.clock_mhz / kGiga,
                                                     .columns = sheet.columns},
                                                    options->file);
    record::Writer writer = record::Writer::create(options->output, provenance_of(sheet, command_line));
    for (const Measurement& m : measurements) writer.append(m);
    fmt::print("{} rows are in {}; `plumb analyze {}` shows them.\n", measurements.size(), options->output,
               options->output);
  });
}

}  // namespace plumb::cli
