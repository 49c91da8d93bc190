// SPDX-License-Identifier: Apache-2.0
// Little's law with a ceiling: what a path brings by what is on its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/line.h"

namespace plumb::model {

/// One way of keeping bytes on their way to an SM.
struct Flight {
  double bytes = 0.0;    ///< on their way to one SM at once
  double stages = 1.0;   ///< of them in a row behind one thread or warp, which takes them in order
  double issuers = 1.0;  ///< warps of the SM that issue
  double command = 0.0;  ///< bytes of one warp instruction, or of one box
};

/// The parameters of a path. Latency and ceiling are Little's law; the rest says how the two meet and what a
/// path adds of its own.
struct Path {
  double latency_ns = 0.0;  ///< unloaded: of one fill with nothing else on its way
  double ceiling = 0.0;     ///< GB/s of one SM, its share of what all together get
  double sharpness = 3.0;   ///< of the knee: infinite is a corner, 1 a queue that is felt from the first byte
  double stage_ns =
      0.0;  ///< more latency for each stage after the first: the thread comes back that much later
  double command_ns = 0.0;  ///< more latency for a command of 1 KiB; it grows as the 0.8th power of its size
  double issue_ns = 0.0;    ///< from one command of a warp to its next, at least
  double unit_ns = 0.0;     ///< from one command of an SM to its next, at least, and
  double port = 0.0;        ///< GB/s at which the bytes of a command pass besides
};
inline constexpr std::size_t kPathParameters = 8;

/// GB/s of one SM. What one could do without the others:
///   flight = bytes / (latency + stage_ns (stages - 1) + command_ns (command / KiB)^0.8)
///   issue  = issuers x command / issue_ns
///   unit   = command / (unit_ns + command / port)
/// flight and the two limits of issuing meet almost in a corner (exponent 8): one thread waits for one thing
/// at a time. They and the ceiling meet in a knee: 1 / rate^p = 1 / that^p + 1 / ceiling^p, p = sharpness.
[[nodiscard]] double rate(const Path& path, const Flight& flight);

/// Bytes on their way at once to reach `part` of the ceiling, with one stage and `command` bytes a command.
[[nodiscard]] double knee(const Path& path, double part, double command);

struct Rated {
  Flight flight;
  double rate = 0.0;  ///< GB/s of one SM, measured
};

struct PathFit {
  Path path;
  Path low, high;                  ///< 95 %, each parameter by itself, from points drawn with replacement
  stats::Estimate knee90, knee95;  ///< bytes, for commands of the median size
  double held_out_median = 0.0;    ///< |predicted / measured - 1|, of points the fit had not seen
  double held_out_most = 0.0;
  double held_out_95 = 0.0;           ///< what 95 of 100 held-out points are within
  std::vector<double> held_out;       ///< predicted / measured - 1 of each point that was used, else NaN
  std::vector<std::size_t> contrary;  ///< points that others contradict; see fit_path
  std::vector<Path> draws;            ///< the fits of the drawn points
};

/// Least squares of log(predicted / measured), robust against single points, by Levenberg and Marquardt. The
/// ceiling is held near the highest rate seen: what was not reached is not known. Held-out errors by five
/// folds, or by each point in turn where there are fewer than 40. Points that the data themselves contradict
/// are set aside where there are 40 or more, so that a fit can tell: of two points with the same commands
/// from as many warps of which the one with more of them on their way brings less, by 4 % or more, the one
/// further from a first fit. Throws std::invalid_argument for fewer than 8 points or a rate that is not
/// positive.
[[nodiscard]] PathFit fit_path(std::span<const Rated> points, std::uint64_t seed);

/// How long a wave takes: time^p = latency^p + (bytes / rate + commands x unit_ns)^p.
struct Wave {
  double latency_ns = 0.0;
  double rate = 0.0;  ///< GB/s of one SM at which a large wave is served
  double sharpness = 1.0;
  double unit_ns = 0.0;  ///< for each command of an SM
};
[[nodiscard]] double time_ns(const Wave& wave, double bytes, double commands);

struct Timed {
  double bytes = 0.0;     ///< on their way to one SM
  double commands = 1.0;  ///< that it has issued for them
  double ns = 0.0;        ///< median
  double least = 0.0;     ///< 0: not known
  double most = 0.0;      ///< likewise
};

struct WaveFit {
  Wave wave;
  std::vector<double> held_out;       ///< predicted / measured - 1 of each point that was used, else NaN
  std::vector<std::size_t> outside;   ///< points whose median lies outside their own least and most
  std::vector<std::size_t> contrary;  ///< points of a second mode: others at equal bytes are in the first
  double held_out_median = 0.0;
  double held_out_most = 0.0;
};

/// Likewise, after points that the data themselves contradict are set aside: medians outside their own range,
/// and the smaller of two modes of the residuals where both occur at equal bytes; then also those that the
/// rest of the first mode, without them, would have in the second. Throws std::invalid_argument for fewer
/// than 5 points that are left.
[[nodiscard]] WaveFit fit_wave(std::span<const Timed> points, std::uint64_t seed);

}  // namespace plumb::model
