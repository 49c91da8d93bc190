// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/experiment.h"
#include "core/provenance.h"
#include "record/recording.h"
#include "report/html/lookup.h"
#include "topology/map.h"

namespace plumb::report::html {

/// A recording, told apart by experiment.
struct Part {
  Provenance provenance;
  std::vector<std::string> warnings;
  std::vector<std::string> flags;  ///< of its measurements, each once with how often it was raised
  std::map<std::string, std::vector<Measurement>> measurements;  ///< by experiment
};

/// What one report tells of one card: findings of every experiment that its parts have.
struct Card {
  std::string label;  ///< "NVIDIA H200 6e6fff6a", to tell it from others of a fleet
  std::vector<Part> parts;
  std::vector<Experiment> experiments;  ///< that any part has
  std::vector<Finding> findings;
  std::optional<topology::Map> map;
  std::size_t mapped = 0;  ///< the part that the map is of

  [[nodiscard]] const std::vector<Measurement>* of(const std::string& experiment) const;
  [[nodiscard]] bool has(const std::string& experiment) const { return of(experiment) != nullptr; }
};

/// Recordings to cards, with their findings. Parts of one card are recordings of the same card (by its hash),
/// and of the same kind of card where they share less than half of the experiments of the smaller: those that
/// Plumb ships, one for each subject, were made on several cards of a kind. What two parts have, the first
/// answers.
[[nodiscard]] std::vector<Card> cards_of(std::vector<record::Recording> recordings,
                                         std::span<const Experiment> experiments);

/// "NVIDIA H200 6e6fff6a".
[[nodiscard]] std::string label_of(const Provenance& provenance);

}  // namespace plumb::report::html
