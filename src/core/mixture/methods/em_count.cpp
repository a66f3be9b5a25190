#include "core/mixture/methods/em_count.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/poll.hpp"
#include "core/mixture/density.hpp"
#include "core/mixture/point_mixture.hpp"

namespace dpmix {
namespace {

// Deviations of noise: cells below are taken for empty, and those alone, to be sure, below the
// second: a few such would ask for a component of their own.
constexpr double kCutOff = 2.5, kAlone = 4;
constexpr int kRestarts = 8;
constexpr double kShape = .05, kStray = 5e-4;  // of a cell's rows, of all: not worth a component
constexpr double kPenalty = 2.5;               // of a parameter, in those of BIC
constexpr int kMostComponents = 10;            // that are tried
constexpr int kPatience = 3;  // numbers without a better one, before no more are tried
// What each component must add, as a part of what all gain over one.
constexpr double kLeastGain = .05;

// The middle of a cell.
void middle(const CellGrid& grid, int cell, double* x) {
  for (int i = grid.axes; i-- > 0; cell /= grid.side) x[i] = grid.middle(0, cell % grid.side);
}

bool beside_another(const NoisyCells& cells, int cell) {
  const int axes = cells.grid.axes, side = cells.grid.side;
  int places = 1;
  for (int i = 0; i < axes; ++i) places *= 3;
  for (int place = 0; place < places; ++place) {
    int other = 0, stride = 1, left = cell, step = place;
    bool inside = true;
    for (int i = 0; i < axes; ++i, left /= side, step /= 3, stride *= side) {
      const int part = left % side + step % 3 - 1;
      inside = inside && part >= 0 && part < side;
      other += part * stride;
    }
    if (inside && other != cell &&
        cells.count[static_cast<std::size_t>(other)] > kCutOff * cells.noise) {
      return true;
    }
  }
  return false;
}

WeightedPoints points_of(const NoisyCells& cells) {
  WeightedPoints points;
  points.features = cells.grid.axes;
  std::vector<double> x(static_cast<std::size_t>(cells.grid.axes));
  for (int c = 0; c < std::ssize(cells.count); ++c) {
    const double weight = cells.count[static_cast<std::size_t>(c)];
    if (weight <= kCutOff * cells.noise) continue;
    if (weight <= kAlone * cells.noise && !beside_another(cells, c)) continue;
    middle(cells.grid, c, x.data());
    points.points.insert(points.points.end(), x.begin(), x.end());
    points.weights.push_back(weight);
  }
  if (points.weights.empty()) {  // nothing but noise, or no rows: one point in the middle
    points.points.assign(x.size(), 0);
    points.weights.push_back(1);
  }
  return points;
}

// -2 ln of how likely the mixture makes the noisy cells, up to a constant. The fit is to the
// middles of cells, so its density there is about the mean over the cell.
double badness(const NoisyCells& cells, const GaussianMixture& mixture) {
  const MixtureDensity density(mixture);
  std::vector<double> x(static_cast<std::size_t>(cells.grid.axes)), out(density.components());
  std::vector<double> expected;
  double sum = 0, rows = 0;
  for (int c = 0; c < std::ssize(cells.count); ++c) {
    middle(cells.grid, c, x.data());
    expected.push_back(std::exp(density.log_densities(x.data(), out.data())));
    sum += expected.back();
    rows += cells.count[static_cast<std::size_t>(c)];
  }
  rows = std::max(rows, 1.);
  double bad = 0;
  for (std::size_t c = 0; c < expected.size(); ++c) {
    const double mean = sum > 0 ? rows * expected[c] / sum : 0;
    // No component is quite normal, and none is known within a cell.
    const double shape = kShape * mean + kStray * rows;
    const double variance = mean + cells.noise * cells.noise + shape * shape;
    bad += std::pow(cells.count[c] - mean, 2) / variance + std::log(variance);
  }
  return bad;
}

double parameters(int components, int features) {
  return components * (1 + features + features * (features + 1) / 2.) - 1;
}

}  // namespace

GaussianMixture fit_cells(const NoisyCells& cells, std::optional<int> components,
                          RandomStream& random) {
  const WeightedPoints points = points_of(cells);
  PointMixtureOptions options;
  options.restarts = kRestarts;
  const double side = 2 * cells.grid.frame.classes.front().radius / cells.grid.side;
  // What rows of a cell all the same vary by in it; a density may not see into cells, or a column
  // of them would be the likeliest component.
  options.least_variance = side * side / 12;
  if (components) return fit_points(points, *components, random, options).mixture;
  std::vector<PointMixture> fits;
  std::size_t best = 0;
  double least = HUGE_VAL;
  const double penalty = kPenalty * std::log(static_cast<double>(cells.count.size()));
  for (std::size_t n = 0; n < kMostComponents && n < best + kPatience + 1; ++n) {
    poll();
    const int k = static_cast<int>(n) + 1;
    fits.push_back(fit_points(points, k, random, options));
    const double criterion =
        badness(cells, fits.back().mixture) + penalty * parameters(k, cells.grid.axes);
    if (criterion < least) least = criterion, best = n;
  }
  // What is not normal is likelier as several components: those that gain little beside what tells
  // the others apart do not count.
  const double gained = fits[best].log_likelihood - fits[0].log_likelihood;
  std::size_t fewest = 0;
  while (fits[best].log_likelihood - fits[fewest].log_likelihood >
         kLeastGain * static_cast<double>(best - fewest) * gained) {
    ++fewest;
  }
  return fits[fewest].mixture;
}

}  // namespace dpmix
