// SPDX-License-Identifier: Apache-2.0
#include "infer/likelihood.h"

#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <numeric>

namespace plumb::infer {
namespace {

constexpr double kFreedom = 4.0;

double scale_of(const Scored& s, double model) {
  return std::hypot(s.measured.error, model * s.measured.cycles);
}

double loss_of(const Scored& s, double model) {
  const double scale = scale_of(s, model);
  const double z = (s.simulated - s.measured.cycles) / scale;
  // In units of the duration, so that long rows and short ones have the same constant.
  return (kFreedom + 1) / 2 * std::log1p(z * z / kFreedom) + std::log(scale / s.measured.cycles);
}

}  // namespace

double Likelihood::total() const { return std::accumulate(losses.begin(), losses.end(), 0.0); }

Likelihood likelihood(std::span<const Scored> scored, std::size_t cases, double model) {
  Likelihood out{.losses = std::vector<double>(cases, 0.0), .model = model};
  std::vector<double> rows(cases, 0.0);
  for (const Scored& s : scored) {
    out.losses[s.of] += loss_of(s, model);
    rows[s.of] += 1.0;
  }
  for (std::size_t c = 0; c < cases; ++c)
    if (rows[c] > 0.0) out.losses[c] /= rows[c];
  return out;
}

Likelihood likelihood(std::span<const Scored> scored, std::size_t cases) {
  constexpr int kBits = 14;
  const auto total = [&](double log_model) { return likelihood(scored, cases, std::exp(log_model)).total(); };
  const auto best = boost::math::tools::brent_find_minima(total, std::log(kLeastModelError),
                                                          std::log(kMostModelError), kBits);
  return likelihood(scored, cases, std::exp(best.first));
}

double weight_of(const Scored& s, double model) {
  const double scale = scale_of(s, model);
  const double z = (s.simulated - s.measured.cycles) / scale;
  return (kFreedom + 1) / (kFreedom + z * z) / (scale * scale);
}

}  // namespace plumb::infer
