#include "core/synthetic/cda_epsilon.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/accounting/renyi_profile.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/synthetic/published_theorem.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Losses of probability below 1e-30 are no longer told apart, and rows are up to 2^30.
constexpr double kLeastProvedDelta = 1e-20, kMostProvedDelta = .5;
constexpr double kMostShift = 30;
// A finer grid would change epsilon by about as much again.
constexpr double kClose = 1e-3;
// The finest steps, relative to epsilon and to one row's losses: bounds of windows and grid.
constexpr double kFinestTotal = 0x1p-15, kFinestRow = 0x1p-16;

// The least epsilon found at which Gaussian noise keeps delta.
double plain_epsilon(double mu, double delta) {
  if (gdp_delta(0, mu) <= delta) return 0;
  double low = 0, high = 1;
  while (gdp_delta(high, mu) > delta) {
    low = high;
    high *= 2;
    poll();
  }
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    (gdp_delta(middle, mu) > delta ? low : high) = middle;
    poll();
  }
  return high;
}

double power_of_two_below(double x) {
  return std::exp2(std::clamp(std::floor(std::log2(x)), -36.0, 0.0));
}

// The least epsilon that losses prove, at most `best`. Every grid proves a bound; finer ones are
// tried until they hardly differ, or one is no higher than another change of the table, by little.
double epsilon_by_losses(const CdaPair& pair, double delta, double best, double enough) {
  constexpr double kUnseen = 1e-4;  // of delta, spent on losses off the grid
  const double tail = kUnseen * delta / static_cast<double>(pair.rows);
  const double largest = pair.largest_loss(tail);
  double step = power_of_two_below(std::max(std::min(largest, best) / 128, kFinestRow * largest));
  for (double before = kInfinity;; step /= 2) {
    poll();
    const double here = pair.losses(step, tail).epsilon(delta);
    best = std::min(best, here);
    const bool close = here < kInfinity && before - here <= kClose * here;
    before = here;
    const double finest = std::max({kFinestRow * largest, kFinestTotal * best, 0x1p-35});
    if (close || best <= enough * (1 + kClose) || step / 2 < finest) return best;
  }
}

double epsilon_by_renyi(const CdaPair& pair, double delta) {
  const auto proved = [&](double log_above_one) {
    poll();
    const double order = 1 + std::exp(log_above_one);
    const double rho = pair.renyi(order);
    return rho < kInfinity ? epsilon_of_renyi(order, rho, delta) : kInfinity;
  };
  // Every order proves a bound: a coarse look at all, then closer around the best.
  double best_at = 0, best = kInfinity;
  const auto look = [&](double from, double to, double step) {
    for (double at = from; at <= to; at += step) {
      if (const double here = proved(at); here < best) {
        best = here;
        best_at = at;
      }
    }
  };
  look(std::log(1e-3), std::log(1e7), .25);
  for (const double step : {.05, .01}) {
    const double around = best_at;
    look(around - 5 * step, around + 5 * step, step);
  }
  return best;
}

}  // namespace

std::optional<CdaAccountant> cda_accountant_of(std::string_view name) {
  if (name == "pld") return CdaAccountant::pld;
  if (name == "rdp") return CdaAccountant::rdp;
  if (name == "published") return CdaAccountant::published;
  return std::nullopt;
}

double cda_epsilon(const MixedRows& rows, double delta, CdaAccountant accountant) {
  check_parameter(delta >= kLeastProvedDelta && delta <= kMostProvedDelta, "delta", delta,
                  "1e-20 to 0.5");
  check_mixed_rows(rows);
  if (accountant == CdaAccountant::published) return published_cda_epsilon(rows, delta);
  if (accountant == CdaAccountant::pld && rows.mix < rows.class_rows) {
    const double shift = rows.clip / rows.scale / static_cast<double>(rows.mix);
    check_parameter(shift <= kMostShift, "clip / (mix * scale)", shift,
                    "at most 30: with less noise records are seen as they are");
  }
  double worst = 0;
  for (const CdaPair& pair : cda_pairs(rows)) {
    if (accountant == CdaAccountant::rdp) {
      worst = std::max(worst, epsilon_by_renyi(pair, delta));
      continue;
    }
    double bound = plain_epsilon(pair.plain_mu(), delta);
    if (pair.rate < 1 && bound > worst) {
      bound = std::min(bound, epsilon_by_renyi(pair, delta));
      bound = epsilon_by_losses(pair, delta, bound, worst);
    }
    worst = std::max(worst, bound);
  }
  return worst;
}

}  // namespace dpmix
