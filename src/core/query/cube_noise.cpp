#include "core/query/cube_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/next_double.hpp"
#include "core/cube/shares.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

constexpr double kRoundUp = 1 + 0x1p-48;  // more than all roundings of a few terms

double upper_sum(double a, double b) {
  return next_up(a + b);
}
double upper_product(double a, double b) {
  return next_up(a * b);
}
// The precision of a table with this stretch of its deviation, rounded up: at least 1 / stretch^2.
double upper_precision(double stretch) {
  return next_up(1 / next_down(stretch * stretch));
}

int as_int(double count) {
  return static_cast<int>(std::min(count, double{std::numeric_limits<int>::max()}));
}

// The most that a row changes all tables at once, in squares times precisions: what it adds goes
// from x in one cell to y in the same or another one. The table of no key has no other cell.
double square_of_row(const Lattice& lattice, Adjacency adjacency,
                     std::span<const CubeTable> tables) {
  double all = 0, single = 0, others = 0;
  for (const CubeTable& table : tables) {
    const double precision = upper_precision(table.stretch);
    all = upper_sum(all, precision);
    double& part = table.cells > 1 ? others : single;
    part = upper_sum(part, precision);
  }
  const double low = static_cast<double>(std::min<std::int64_t>(lattice.low, 0));
  const double high = static_cast<double>(std::max<std::int64_t>(lattice.high, 0));
  const double far = std::max(-low, high);
  if (adjacency == Adjacency::add_remove) return upper_product(all, upper_product(far, far));
  const double across = next_up(high - low);
  // The row goes from end to end in one cell, from an end to the same end of another cell, or
  // missing.
  return std::max({upper_product(all, upper_product(across, across)),
                   upper_product(upper_product(2, others), upper_product(far, far)),
                   upper_product(all, upper_product(far, far))});
}

struct Precisions {  // of the residuals: of their noise, and of roundings of variance 1
  std::vector<double> noise, roundings;
};

Precisions precisions_of(const CubeWorkload& workload, std::span<const double> tables) {
  std::vector<double> squared;
  for (const double precision : tables) squared.push_back(precision * precision);
  Precisions made{workload.precisions(tables), workload.precisions(squared)};
  for (std::size_t a = 0; a < made.noise.size(); ++a) {
    made.roundings[a] = made.noise[a] * made.noise[a] / made.roundings[a];
  }
  return made;
}

}  // namespace

CubeNoise cube_noise(const CubeWorkload& workload) {
  std::vector<double> stretch;
  for (const double share : cube_shares(workload).share) stretch.push_back(std::sqrt(1 / share));
  return cube_noise(workload, stretch);
}

CubeNoise cube_noise(const CubeWorkload& workload, std::span<const double> stretch) {
  CubeNoise made;
  made.stretch.assign(stretch.begin(), stretch.end());
  for (const double each : stretch) made.precision.push_back(1 / (each * each));
  const Precisions residual = precisions_of(workload, made.precision);
  made.variance = workload.variances(residual.noise);
  made.squares = workload.variances(residual.roundings);
  return made;
}

SumReaches::SumReaches(const CubeWorkload& workload, std::span<const double> stretch)
    : workload_(workload), least_stretch_(*std::ranges::min_element(stretch)), cells_(0) {
  std::vector<double> tables;
  for (const double each : stretch) tables.push_back(1 / (each * each));
  Precisions residual = precisions_of(workload, tables);
  noise_ = std::move(residual.noise);
  roundings_ = std::move(residual.roundings);
  for (std::size_t i = 0; i < workload.sets(); ++i) {
    cells_ += static_cast<double>(workload.cells(workload.set(i)));
  }
}

CubeReach SumReaches::sum(KeySet keys, std::span<const int> values) const {
  return {workload_.variance_of_sum(keys, values, noise_),
          workload_.variance_of_sum(keys, values, roundings_), least_stretch_, cells_};
}

NoiseLaw stretched_law(const NoiseLaw& law, double stretch) {
  NoiseLaw made = law;
  made.scale = next_up(law.scale * stretch);
  return made;
}

StatisticShift cube_shift(const Lattice& lattice, Adjacency adjacency, const Contribution& unit,
                          double groups, std::span<const CubeTable> tables) {
  StatisticShift shift{0, 0, 0, 0, 1};
  double square = 0, cells = 0;
  // All rows of a unit may be in one cell of a coarser table.
  const double rows = std::min<double>(
      unit.rows, unit.rows_per_group * std::min(static_cast<double>(unit.groups), groups));
  for (const CubeTable& table : tables) {
    const Contribution here =
        table.whole ? unit : Contribution{as_int(rows), as_int(rows), as_int(rows)};
    const StatisticShift one =
        shift_of(lattice, adjacency, here, {std::max(as_int(table.cells), 1), 1});
    shift.each = std::max(shift.each, one.each);
    shift.l1 = upper_sum(shift.l1, one.l1);
    cells += one.groups;
    square = upper_sum(
        square, upper_product(upper_precision(table.stretch), upper_product(one.l2, one.l2)));
  }
  if (unit.rows == 1) square = square_of_row(lattice, adjacency, tables);
  shift.l2 = next_up(std::sqrt(square));
  shift.groups = as_int(cells);
  return shift;
}

double cube_reach(const NoiseLaw& law, const CubeReach& of, double level, int parts) {
  check_level(level);
  constexpr double kRoundingShare = 1.0 / 16;  // of the tail, for errors of rounding
  const double tail = (1 - level) / parts;     // of both sides
  const double normal = normal_tail_quantile(tail * (1 - kRoundingShare));
  // Errors of rounding are independent, within a half, and uniform where the noise is not narrow
  // (docs/proofs/query_quantiles.md, Tails).
  const bool narrow = law.scale * of.least_stretch < 1;
  const double out = -std::log(tail / 2 * kRoundingShare) + (narrow ? 0 : of.cells * 0x1p-26);
  const double rounding = std::sqrt(2 * (narrow ? 0.25 : 1.0 / 12) * out * of.squares);
  return (normal * law.scale * std::sqrt(of.variance) + rounding) * (1 + 0x1p-30) * kRoundUp + 0.5;
}

double cube_deviation(const NoiseLaw& law, const CubeReach& of, int keys) {
  return std::sqrt(of.variance * law.scale * law.scale + (of.squares + std::ldexp(1, keys)) / 12);
}

}  // namespace dpmix
