#include "core/synthetic/row_target.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/accounting/losses/loss_composition.hpp"
#include "core/base/next_double.hpp"
#include "core/base/normal_tail.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

enum class Change { more, replaced };  // of the records of a class

// What one class's rows must not show more of than Gaussian noise of this mu, but for the slack.
struct Requirement {
  Change change;
  double mu, slack;
};
using Requirements = std::vector<Requirement>;

// A record that changes its class is seen in both: each gets half of what the target allows.
Requirements requirements(const RowTarget& target) {
  if (target.adjacency == Adjacency::add_remove) {
    return {{Change::more, target.mu, target.slack}};
  }
  const Requirement replaced = {Change::replaced, target.mu, target.slack};
  if (target.adjacency == Adjacency::replace && target.one_class) return {replaced};
  const double root = next_up(std::sqrt(2.0));
  Requirements all = {{Change::more, next_down(target.mu / root), target.slack / 2}};
  if (target.adjacency == Adjacency::replace) {  // the one that mostly decides comes first
    all.insert(all.begin(), replaced);
  }
  return all;
}

// How far a row's sum moves, in norms of a record.
double shift(const Requirement& required) {
  return required.change == Change::replaced ? 2 : 1;
}

constexpr double kLeastLogStep = -36 + most_halvings;

// Losses on some hundreds of grid points: twice as many save a third of a percent of noise
// (measured) and take twice the time.
double grid_step(const Requirement& required, double rate, double mu, double tail) {
  const double largest = mu * (std::sqrt(-2 * std::log(tail)) + mu / 2);
  const double range = largest < 700 ? std::log1p(rate * std::expm1(largest)) : largest;
  const double step =
      std::max({std::min(range / 512, required.mu / 64), required.mu / 1024, range / 65536});
  return std::exp2(std::clamp(std::floor(std::log2(step)), kLeastLogStep, 0.0));
}

constexpr double kLeastSlack = 1e-280;  // losses of less probability are no doubles
constexpr double kLargestShift = 64, kSmallestTarget = 0x1p-24, kLargestTarget = 23;

bool keeps(const LossComposition& rows, const RowTarget& target, const Requirement& required) {
  if (!target.only) return rows.dominated(required.mu, required.slack);
  return std::ranges::all_of(*target.only, [&](const RowTarget::Promise& promise) {
    return rows.delta(promise.epsilon) <= promise.delta;
  });
}

// Whether rows keep what is required with this mu, in both directions.
bool keeps(const RowTarget& target, const Requirement& required, const ClassLoad& load, double mu,
           int halvings) {
  // Such noise hides nothing or is beyond all use; its losses would need grids without end.
  if (required.slack < kLeastSlack || mu > kLargestShift || required.mu < kSmallestTarget ||
      required.mu > kLargestTarget)
    return false;
  constexpr double kUnseen = 1e-3;  // of the slack, spent on losses off the grid
  const double tail = kUnseen * required.slack / static_cast<double>(load.rows);
  const double step = std::ldexp(grid_step(required, load.rate, mu, tail), -halvings);
  const auto kept = [&](const LossDistribution& row) {
    poll();
    LossComposition rows;
    rows.add(row, load.rows);
    return keeps(rows, target, required);
  };
  if (required.change == Change::replaced) {  // its own mirror image
    return kept(loss_of_replaced_gaussian(load.rate, mu, step, tail));
  }
  return std::ranges::all_of(
      std::array{Direction::with_record, Direction::without_record}, [&](Direction direction) {
        return kept(loss_of_subsampled_gaussian(load.rate, mu, direction, step, tail));
      });
}

// About: for guesses alone.
double rough_delta(double epsilon, double mu) {
  return upper_tail(epsilon / mu - mu / 2) - std::exp(epsilon) * upper_tail(epsilon / mu + mu / 2);
}

// Where the increasing f is about 0, between low and high, both > 0.
template <class F>
double rough_root(double low, double high, F f) {
  while (high > low * 1.003) {
    const double middle = std::sqrt(low * high);
    (f(middle) < 0 ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

double plain(const Requirement& required, std::int64_t rows) {
  const double root = next_up(std::sqrt(static_cast<double>(rows)));
  return next_up(next_up(next_up(shift(required) * root)) / required.mu);
}

double likely(const Requirement& required, const ClassLoad& load) {
  const auto rows = static_cast<double>(load.rows);
  if (required.slack < kLeastSlack) return plain(required, load.rows);
  // Rows that look like Gaussian noise of rate * sqrt(rows (e^(1/z^2) - 1)) deviations, or of
  // rate * sqrt(rows 4 sinh(1/z^2)).
  const double ratio = required.mu / (load.rate * std::sqrt(rows));
  const double many =
      1 / std::sqrt(required.change == Change::replaced ? std::asinh(ratio * ratio / 4)
                                                        : std::log1p(ratio * ratio));
  // One row that the record joined tells it all: where the target's delta is some times the slack.
  const double delta = 16 * required.slack;
  const double epsilon = rough_root(1e-3 * required.mu, 1e3 * required.mu,
                                    [&](double e) { return delta - rough_delta(e, required.mu); });
  const double inner = std::log1p(std::expm1(std::min(epsilon, 700.)) / load.rate);
  const double largest = delta / (rows * load.rate);
  if (!(largest < .1)) return many;
  const double mu =
      rough_root(1e-3, 1e2, [&](double m) { return rough_delta(inner, m) - largest; });
  return std::max(many, 1 / mu);
}

template <class F>
double most(const RowTarget& target, F f) {
  double result = 0;
  for (const Requirement& required : requirements(target)) result = std::max(result, f(required));
  return result;
}

}  // namespace

bool rows_keep(const RowTarget& target, const ClassLoad& load, double multiplier, int halvings) {
  if (multiplier >= plain_multiplier(target, load.rows)) return true;
  const double mu = next_up(1 / multiplier);
  return std::ranges::all_of(requirements(target), [&](const Requirement& required) {
    return keeps(target, required, load, mu, halvings);
  });
}

// Enough for any rate: a record that joins a row with a smaller probability shows less. Rounded up.
double plain_multiplier(const RowTarget& target, std::int64_t rows) {
  return most(target, [&](const Requirement& required) { return plain(required, rows); });
}

double likely_multiplier(const RowTarget& target, const ClassLoad& load) {
  return most(target, [&](const Requirement& required) { return likely(required, load); });
}

}  // namespace dpmix
