// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/verbs.h"
#include "core/version.h"
#include "plumb/core/error.h"
#include "report/terminal.h"

namespace {

int exit_code(plumb::Fault fault) {
  switch (fault) {
    case plumb::Fault::check:
      return 1;
    case plumb::Fault::caller:
      return 2;
    case plumb::Fault::device:
      return 3;
  }
  return 3;
}

int fail(const char* message, int code) {
  fmt::print(stderr, "{} {}\n",
             plumb::report::paint("plumb:", plumb::report::Tone::bad, plumb::report::colours_on(stderr)),
             message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Plumb measures how data moves inside an NVIDIA GPU, and shows what a recorded card did where there is "
      "none.\nStart with `plumb info`, then `plumb run`."};
  app.name("plumb");
  app.set_version_flag("--version", fmt::format("plumb {} ({})", plumb::kVersion, plumb::kCommit));
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 a check failed, 2 a mistake in the call or in a file, 3 the device failed, 130 "
      "interrupted.");
  plumb::cli::add_info(app);
  plumb::cli::add_list(app);
  plumb::cli::add_run(app, argc, argv);
  plumb::cli::add_analyze(app);
  plumb::cli::add_sim(app);
  plumb::cli::add_calibrate(app);
  plumb::cli::add_explain(app);
  plumb::cli::add_predict(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::RuntimeError& stop) {
    return stop.get_exit_code();
  } catch (const CLI::ParseError& error) {
    fail(error.what(), 2);
    fmt::print(stderr, "`plumb --help` and `plumb VERB --help` show what there is.\n");
    return 2;
  } catch (const plumb::Error& error) {
    return fail(error.what(), exit_code(error.fault()));
  } catch (const std::exception& error) {
    return fail(fmt::format("a fault of Plumb's own: {}. Please report it.", error.what()).c_str(), 3);
  }
  return 0;
}
