// SPDX-License-Identifier: Apache-2.0
#include "infer/objective.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "plumb/core/error.h"

namespace plumb::infer {
namespace {

constexpr double kImpossible = 1e12;

/// What a calibration is of: another one's evaluations say nothing about it.
std::string identity_of(std::span<const ObservedCase> cases, const SimMachine& machine,
                        const CalibrationOptions& options) {
  std::string text =
      fmt::format("{} {} {} {}", fmt::join(options.free, " "), options.samples, options.seed, machine.name);
  for (const auto& p : fabric::parameters()) text += ' ' + fabric::text_of(machine.parameters, p);
  for (const ObservedCase& c : cases) {
    text += '\n' + id_of(c.point);
    for (const Observed& o : c.rows) text += fmt::format(" {}", o.cycles);
  }
  return fmt::format("{:016x}", std::hash<std::string>{}(text));
}

}  // namespace

Objective::Objective(std::span<const ObservedCase> cases, SimMachine machine,
                     const CalibrationOptions& options)
    : cases_(cases), machine_(std::move(machine)), options_(options) {
  for (const std::string& name : options.free) {
    const fabric::Parameter* p = fabric::find_parameter(name);
    const auto* member = p == nullptr ? nullptr : std::get_if<int fabric::Parameters::*>(&p->member);
    if (member == nullptr)
      throw Error(Fault::caller,
                  fmt::format("free parameter {}: {}; only whole numbers can be fitted.", name,
                              p == nullptr ? "there is none of that name" : "it is no whole number"));
    members_.push_back(*member);
    start_.push_back(machine_.parameters.**member);
  }
  if (!options.memory.empty()) remember(options);
}

void Objective::remember(const CalibrationOptions& options) {
  const std::string identity = identity_of(cases_, machine_, options);
  std::vector<std::string> lines;
  std::error_code error;
  if (std::filesystem::exists(options.memory, error)) {
    lines = record::read_lines(options.memory).complete;
    const auto head = lines.empty() ? nlohmann::json{} : nlohmann::json::parse(lines.front(), nullptr, false);
    if (!head.is_object() || head.value("calibration", "") != identity)
      throw Error(
          Fault::caller,
          fmt::format("{}: it is not of this calibration (other cases, machine, free parameters or seed); "
                      "remove it or give another -o.",
                      options.memory.string()));
  }
  memory_.emplace(options.memory);
  memory_->write(nlohmann::json{{"calibration", identity}}.dump());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto line = nlohmann::json::parse(lines[i], nullptr, false);
    if (!line.is_object() || !line.contains("at") || !line.contains("loss")) continue;
    known_.emplace(line["at"].get<Point>(), line["loss"].get<double>());
    memory_->write(lines[i]);
  }
  remembered_ = static_cast<int>(known_.size());
}

SimMachine Objective::machine_at(const Point& at) const {
  SimMachine m = machine_;
  for (std::size_t i = 0; i < at.size(); ++i) m.parameters.*members_[i] = at[i];
  return m;
}

std::vector<Scored> Objective::rows(const Point& at) const {
  return score(cases_, machine_at(at), options_.samples, options_.seed);
}

double Objective::operator()(const Point& at, std::string_view what) {
  ++evaluations_;
  if (options_.progress) options_.progress(evaluations_, what);
  if (const auto it = known_.find(at); it != known_.end()) return it->second;
  double loss = kImpossible;
  try {
    fabric::validate(machine_at(at).parameters);
    loss = likelihood(rows(at), cases_.size()).total();
  } catch (const Error&) {
    // Parameters that the fabric refuses, or with which a case gets stuck, explain nothing.
  }
  known_.emplace(at, loss);
  if (memory_) memory_->write(nlohmann::json{{"at", at}, {"loss", loss}}.dump());
  return loss;
}

}  // namespace plumb::infer
