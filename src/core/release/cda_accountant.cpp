#include "core/release/cda_accountant.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/accounting/loss_composition.hpp"
#include "core/next_double.hpp"
#include "core/poll.hpp"

namespace dpmix {
namespace {

// A replaced record is one that leaves and one that joins, each seen through half the noise's
// variance; each of the two gets half of what the target allows.
struct OneWay {
  double shift, mu, slack;
};
OneWay one_way(const RowTarget& target) {
  if (target.adjacency != Adjacency::replace) return {1, target.mu, target.slack};
  const double root = std::sqrt(2.0);
  return {next_up(root), next_down(target.mu / next_up(root)), target.slack / 2};
}

// Enough for any rate: a record that joins a row with a smaller probability shows less. Rounded up.
double plain_multiplier(const OneWay& one, std::int64_t rows) {
  return next_up(
      next_up(next_up(next_up(one.shift * std::sqrt(static_cast<double>(rows)))) / one.mu));
}

// Losses on some hundreds of grid points: twice as many save a third of a percent of noise
// (measured) and take twice the time.
double grid_step(const OneWay& one, double rate, double mu, double tail) {
  const double largest = mu * (std::sqrt(-2 * std::log(tail)) + mu / 2);
  const double range = largest < 700 ? std::log1p(rate * std::expm1(largest)) : largest;
  const double step = std::max({std::min(range / 512, one.mu / 64), one.mu / 1024, range / 65536});
  return std::exp2(std::clamp(std::floor(std::log2(step)), -36.0, 0.0));
}

// Loads up to this much lighter get the noise of the heaviest among them: a search takes some
// tenths of a second.
constexpr double kSameLoad = 1.02;

constexpr double kLeastSlack = 1e-280;  // losses of less probability are no doubles
constexpr double kLargestShift = 64, kSmallestTarget = 0x1p-24, kLargestTarget = 16;

// The least z for which kept(z), up to .5%, from a guess; kept(z) holds for the z returned.
template <class Kept>
double least_multiplier(double guess, Kept kept) {
  double z = guess, factor = 1.05, broken = 0;
  if (kept(z)) {
    for (broken = z / factor; kept(broken); broken = z / factor) {
      z = broken;
      factor *= factor;
    }
  } else {
    do {
      broken = z;
      z *= factor;
      factor *= factor;
    } while (!kept(z));
  }
  while (broken < z * .995) {
    const double middle = std::sqrt(broken * z);
    (kept(middle) ? z : broken) = middle;
  }
  return z;
}

// What the central limit says: rows that look like Gaussian noise of rate * sqrt(rows (e^(1/z^2) -
// 1)) deviations.
double rough_multiplier(const OneWay& target, const ClassLoad& load) {
  const double ratio = target.mu / (load.rate * std::sqrt(static_cast<double>(load.rows)));
  return target.shift / std::sqrt(std::log1p(ratio * ratio));
}

}  // namespace

bool rows_keep(const RowTarget& target, const ClassLoad& load, double multiplier) {
  const OneWay one = one_way(target);
  if (multiplier >= plain_multiplier(one, load.rows)) return true;
  const double mu = next_up(one.shift / multiplier);
  // Such noise hides nothing or is beyond all use; its losses would need grids without end.
  if (one.slack < kLeastSlack || mu > kLargestShift || one.mu < kSmallestTarget ||
      one.mu > kLargestTarget)
    return false;
  constexpr double kUnseen = 1e-3;  // of the slack, spent on losses off the grid
  const double tail = kUnseen * one.slack / static_cast<double>(load.rows);
  const double step = grid_step(one, load.rate, mu, tail);
  for (Direction direction : {Direction::with_record, Direction::without_record}) {
    poll();
    LossComposition rows;
    rows.add(loss_of_subsampled_gaussian(load.rate, mu, direction, step, tail), load.rows);
    if (!rows.dominated(one.mu, one.slack)) return false;
  }
  return true;
}

std::vector<double> row_noise(const RowTarget& target, std::span<const ClassLoad> classes) {
  const OneWay one = one_way(target);
  // From the heaviest load down; a lighter one is a post-processing of a heavier one.
  std::vector<std::size_t> order(classes.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(classes[a].rate, classes[a].rows) >
           std::pair(classes[b].rate, classes[b].rows);
  });
  std::vector<double> multipliers(classes.size());
  const ClassLoad* heavy = nullptr;
  double z = 0;
  for (const std::size_t k : order) {
    const ClassLoad& load = classes[k];
    if (load.rate == 1) {
      multipliers[k] = plain_multiplier(one, load.rows);
      continue;
    }
    const bool same =
        heavy != nullptr && load.rows <= heavy->rows && load.rate * kSameLoad >= heavy->rate &&
        static_cast<double>(load.rows) * kSameLoad * kSameLoad >= static_cast<double>(heavy->rows);
    if (!same) {
      const double lighter =
          heavy == nullptr ? 1.1 : z / rough_multiplier(one, *heavy);  // the central limit is rough
      const double guess =
          std::min(lighter * rough_multiplier(one, load), plain_multiplier(one, load.rows));
      z = std::min(least_multiplier(guess, [&](double z) { return rows_keep(target, load, z); }),
                   plain_multiplier(one, load.rows));
      heavy = &load;
    }
    multipliers[k] = z;
  }
  return multipliers;
}

}  // namespace dpmix
