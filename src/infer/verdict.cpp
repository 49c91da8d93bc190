// SPDX-License-Identifier: Apache-2.0
#include "infer/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <utility>

#include "infer/quantities.h"
#include "plumb/core/error.h"

namespace plumb::infer {
namespace {

constexpr std::array<std::string_view, 3> kNames{"refuted", "survives", "cannot tell"};
constexpr double kOdds = 1000.0;
constexpr double kMatters = 1.0;  // in units of log likelihood: less is no difference

std::string quantity(const ObservedCase& c, std::size_t row, double cycles) {
  const auto* traffic = std::get_if<Traffic>(&c.point.work);
  if (traffic == nullptr) return fmt::format("{:.0f} cycles", cycles);
  return fmt::format("{:.2f} B/cycle", static_cast<double>(traffic->flows[row].bytes) / cycles);
}

std::string participant(const ObservedCase& c, std::size_t row) {
  const auto* traffic = std::get_if<Traffic>(&c.point.work);
  if (traffic == nullptr) return fmt::format("row {}", row);
  const Flow& f = traffic->flows[row];
  return fmt::format("{} {} > {}", name_of(f.op), f.source, f.destination);
}

/// A machine refitted to one half and what it says of the other.
struct Half {
  std::vector<Scored> rows;
  Likelihood likelihood;
};

class Judge {
 public:
  Judge(std::span<const ObservedCase> cases, SimMachine machine, const ExplainOptions& options)
      : machine_(std::move(machine)), options_(options) {
    std::map<std::string, std::size_t> families;
    for (const ObservedCase& c : cases) families.emplace(c.family, 0);
    std::size_t i = 0;
    for (auto& [name, half] : families) half = i++ % 2;
    for (const ObservedCase& c : cases) halves_.at(families.at(c.family)).push_back(c);
    for (std::size_t h = 0; h < 2; ++h) {
      base_.at(h) = fitted(machine_, h, 0.0, options.seed);
      again_.at(h) = fitted(machine_, h, base_.at(h).likelihood.model, options.seed + 1);
    }
  }

  Judged judge(const Hypothesis& h) {
    Judged out{.hypothesis = h, .comparison = {}, .deciding = {}, .failure = {}};
    std::vector<double> losses;
    std::vector<double> chances;
    std::vector<std::string> patterns;
    std::array<std::optional<Deciding>, 2> speaking;  // for the hypothesis, and for the machine
    try {
      SimMachine variant = machine_;
      variant.parameters = applied(h, variant.parameters);
      for (std::size_t half = 0; half < 2; ++half) {
        const Half theirs = fitted(variant, half, base_.at(half).likelihood.model, options_.seed);
        note(h, half, theirs, losses, speaking);
        for (std::size_t c = 0; c < halves_.at(1 - half).size(); ++c) {
          patterns.push_back(pattern_of(halves_.at(1 - half)[c].point));
          chances.push_back(again_.at(half).likelihood.losses[c] - base_.at(half).likelihood.losses[c]);
        }
      }
    } catch (const Error& error) {
      out.failure = error.what();
      out.comparison.verdict = Verdict::refuted;
      return out;
    }
    out.comparison = compare(losses, chances, patterns);
    if (out.comparison.verdict != Verdict::cannot_tell)
      out.deciding = speaking.at(out.comparison.loss > 0.0 ? 1 : 0);
    return out;
  }

 private:
  /// Fitted to one half, scored on the other; `model` 0: the error of the model that fits that best.
  Half fitted(const SimMachine& start, std::size_t half, double model, std::uint64_t seed) {
    CalibrationOptions how{.free = options_.free,
                           .evaluations = options_.evaluations,
                           .samples = options_.samples,
                           .seed = seed,
                           .memory = {},
                           .progress = {}};
    const SimMachine m = refit(halves_.at(half), start, how);
    const auto& others = halves_.at(1 - half);
    Half out{.rows = score(others, m, options_.samples, seed), .likelihood = {}};
    out.likelihood =
        model == 0.0 ? likelihood(out.rows, others.size()) : likelihood(out.rows, others.size(), model);
    return out;
  }

  void note(const Hypothesis& h, std::size_t half, const Half& theirs, std::vector<double>& losses,
            std::array<std::optional<Deciding>, 2>& speaking) const {
    const auto& cases = halves_.at(1 - half);
    const Half& ours = base_.at(half);
    for (std::size_t c = 0; c < cases.size(); ++c) {
      losses.push_back(theirs.likelihood.losses[c] - ours.likelihood.losses[c]);
    }
    for (std::size_t r = 0; r < ours.rows.size(); ++r) {
      const Scored& a = ours.rows[r];
      const Scored& b = theirs.rows[r];
      const double loss = theirs.likelihood.losses[a.of] - ours.likelihood.losses[a.of];
      const double further = std::abs(b.deviation()) - std::abs(a.deviation());
      // The case that speaks most for a side, and of its rows the one that does.
      const std::size_t side = loss > 0.0 ? 1 : 0;
      const double speaks = side == 1 ? loss + further : -loss - further;
      std::optional<Deciding>& deciding = speaking.at(side);
      if (deciding && speaks <= deciding->loss) continue;
      const ObservedCase& c = cases[a.of];
      deciding = Deciding{
          .text = fmt::format("{}, {}: {} on the card, {} in the machine, {} with {}.", id_of(c.point),
                              participant(c, a.measured.row), quantity(c, a.measured.row, a.measured.cycles),
                              quantity(c, a.measured.row, a.simulated),
                              quantity(c, a.measured.row, b.simulated), h.name),
          .loss = speaks};
    }
  }

  SimMachine machine_;
  const ExplainOptions& options_;
  std::array<std::vector<ObservedCase>, 2> halves_;
  std::array<Half, 2> base_;
  std::array<Half, 2> again_;  // with another seed: what chance does
};

}  // namespace

std::string_view name_of(Verdict v) noexcept { return kNames.at(static_cast<std::size_t>(v)); }

Comparison compare(std::span<const double> losses, std::span<const double> chances,
                   std::span<const std::string> patterns) {
  struct Sum {
    double loss = 0.0, chance = 0.0, cases = 0.0;
  };
  std::map<std::string, Sum> sums;
  for (std::size_t c = 0; c < losses.size(); ++c) {
    Sum& s = sums[patterns[c]];
    s.loss += losses[c];
    s.chance += chances[c];
    s.cases += 1.0;
  }
  Comparison out{.verdict = Verdict::survives, .patterns = sums.size()};
  double size = 0.0;
  double squares = 0.0;
  for (const auto& [pattern, s] : sums) {
    out.loss += s.loss / s.cases;
    size += std::abs(s.loss / s.cases);
    squares += s.chance * s.chance / (s.cases * s.cases);
  }
  out.chance = std::sqrt(squares);
  if (size < kMatters) {
    out.verdict = Verdict::cannot_tell;
    return out;
  }
  const boost::math::students_t chance(static_cast<double>(std::max<std::size_t>(1, sums.size())));
  if (out.loss > std::log(kOdds) && out.loss > out.chance * boost::math::quantile(chance, 1 - 1 / kOdds))
    out.verdict = Verdict::refuted;
  return out;
}

std::vector<ObservedCase> spread_out(std::span<const ObservedCase> cases, std::size_t most) {
  std::map<std::string, std::vector<const ObservedCase*>> families;
  for (const ObservedCase& c : cases) families[c.family].push_back(&c);
  std::size_t each = most;
  for (; each > 1; --each) {
    std::size_t taken = 0;
    for (const auto& [name, all] : families) taken += std::min(each, all.size());
    if (taken <= most) break;
  }
  std::vector<ObservedCase> out;
  for (const auto& [name, all] : families) {
    const std::size_t count = std::min(each, all.size());
    for (std::size_t i = 0; i < count; ++i) out.push_back(*all[i * all.size() / count]);
  }
  return out;
}

std::vector<Judged> judge(std::span<const ObservedCase> cases, const SimMachine& machine,
                          std::span<const Hypothesis> all, const ExplainOptions& options) {
  if (options.progress) options.progress(1, all.size() + 1, "machine");
  Judge judges(cases, machine, options);
  std::vector<Judged> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (options.progress) options.progress(i + 2, all.size() + 1, all[i].name);
    out.push_back(judges.judge(all[i]));
  }
  return out;
}

}  // namespace plumb::infer
