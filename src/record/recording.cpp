// SPDX-License-Identifier: Apache-2.0
#include "record/recording.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/version.h"
#include "plumb/core/error.h"
#include "record/json.h"

namespace plumb::record {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string header_line(const Provenance& provenance) {
  Json header{{"plumb", "recording"}, {"schema", kSchema}};
  header.update(to_json(provenance));
  return header.dump();
}

Json parse(const std::string& line) {
  try {
    return Json::parse(line);
  } catch (const Json::exception&) {
    throw std::invalid_argument("it is not a whole JSON object");
  }
}

[[noreturn]] void damaged(const fs::path& path, std::size_t line, std::string_view why) {
  throw Error(Fault::caller, fmt::format("{}: line {} is damaged: {}. Lines before it are good; cut the file "
                                         "there, or record again.",
                                         path.string(), line, why));
}

Provenance header_of(const fs::path& path, const std::string& line) {
  Json json;
  try {
    json = parse(line);
  } catch (const std::invalid_argument&) {
    json = nullptr;
  }
  if (!json.is_object() || json.value("plumb", Json()) != "recording") {
    throw Error(Fault::caller,
                fmt::format("{}: line 1 is not the header of a Plumb recording; such a file begins with "
                            "{{\"plumb\":\"recording\",\"schema\":{}.",
                            path.string(), kSchema));
  }
  const Json schema = json.value("schema", Json());
  if (!schema.is_number_integer()) damaged(path, 1, "'schema' must be an integer");
  if (schema.get<std::int64_t>() > kSchema) {
    const Json writer = json.value("tool_version", Json());
    throw Error(
        Fault::caller,
        fmt::format("{}: it has schema {}, written by Plumb {}; this is Plumb {}, which reads up to "
                    "schema {}. Use Plumb {} or newer.",
                    path.string(), schema.dump(), writer.is_string() ? writer.get<std::string>() : "?",
                    kVersion, kSchema, writer.is_string() ? writer.get<std::string>() : "of that schema"));
  }
  if (schema.get<std::int64_t>() < 1) damaged(path, 1, "'schema' must be at least 1");
  try {
    return provenance_from(json);
  } catch (const std::invalid_argument& error) {
    damaged(path, 1, error.what());
  }
}

}  // namespace

Recording read(const fs::path& path) {
  Lines lines = read_lines(path);
  Recording recording;
  const bool has_rest = !lines.rest.empty();
  if (has_rest) lines.complete.push_back(lines.rest);
  if (lines.complete.empty())
    throw Error(Fault::caller, fmt::format("{}: the file is empty; it holds no recording.", path.string()));
  if (has_rest && lines.complete.size() == 1 && !Json::accept(lines.rest)) {
    throw Error(Fault::caller,
                fmt::format("{}: the header on line 1 is cut off; there is nothing to read.", path.string()));
  }
  recording.provenance = header_of(path, lines.complete.front());
  if (has_rest && lines.complete.size() > 1 && !Json::accept(lines.complete.back())) {
    recording.warnings.push_back(
        fmt::format("{}: line {} was cut off and is left out; the case is measured again with --resume.",
                    path.string(), lines.complete.size()));
    lines.complete.pop_back();
  }
  recording.measurements.resize(lines.complete.size() - 1);
  // The first damaged line is what is told, whichever core meets one first.
  std::vector<std::string> damage(recording.measurements.size());
  tbb::parallel_for(std::size_t{0}, damage.size(), [&](std::size_t i) {
    try {
      recording.measurements[i] = measurement_from(parse(lines.complete[i + 1]));
    } catch (const std::invalid_argument& error) {
      damage[i] = error.what();
    }
  });
  for (std::size_t i = 0; i < damage.size(); ++i)
    if (!damage[i].empty()) damaged(path, i + 2, damage[i]);
  if (lines.cut && recording.warnings.empty()) {
    recording.warnings.push_back(
        fmt::format("{}: the file ends before its end mark; it is good up to line {}, and a case that was "
                    "being written is lost.",
                    path.string(), lines.complete.size()));
  }
  return recording;
}

Writer Writer::create(const fs::path& path, const Provenance& provenance) {
  if (fs::exists(path)) {
    throw Error(Fault::caller, fmt::format("{} exists; go on with it by --resume, or choose another name "
                                           "with -o.",
                                           path.string()));
  }
  LineWriter lines(path);
  lines.write(header_line(provenance));
  return Writer(std::move(lines));
}

Writer Writer::resume(const fs::path& path, const Recording& so_far) {
  fs::path beside = path;
  beside.replace_filename(fmt::format(".{}.resumed{}", path.stem().string(), path.extension().string()));
  LineWriter lines(beside);
  lines.write(header_line(so_far.provenance));
  Writer writer(std::move(lines));
  for (const Measurement& m : so_far.measurements) writer.append(m);
  fs::rename(beside, path);
  return writer;
}

std::vector<Measurement> of_experiment(const Recording& recording, std::string_view name) {
  std::vector<Measurement> out;
  for (const Measurement& m : recording.measurements)
    if (m.point.experiment == name) out.push_back(m);
  return out;
}

void Writer::append(const Measurement& measurement) { lines_.write(to_json(measurement).dump()); }

}  // namespace plumb::record
