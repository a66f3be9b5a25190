// The strongest adversary there is, by backward induction: it sees every outcome so far and picks
// the next release, its epsilon and its delta, to tell two neighbours apart. With the worst
// mechanisms of their guarantee (reveal with probability delta, else randomised response) and with
// Gaussian noise the delta that it reaches at the table's epsilon is computed, and may not pass the
// table's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "core/accounting/filter.hpp"
#include "core/accounting/gdp_profile.hpp"

namespace dpmix {
namespace {

// Losses are multiples of one unit, so that the loss so far is an integer.
struct Move {
  Spending charge;
  double reveal;  // the probability of telling all
  struct Outcome {
    int loss;
    double probability;
  };
  std::vector<Outcome> outcomes;
};

Move randomised_response(const Filter& filter, double unit, int units, double delta) {
  const double truth = 1 / (1 + std::exp(-units * unit));
  return {filter.charge_of(units * unit, delta, {}), delta, {{units, truth}, {-units, 1 - truth}}};
}

// The loss of Gaussian noise is normal; rounded down to a unit, so that what is reached with it is
// never more than what the noise gives away. Losses of no consequence are left out.
Move gaussian(const Filter& filter, double unit, double mu_squared, double delta) {
  const double mu = std::sqrt(mu_squared);
  Move move = {filter.charge_of(epsilon_of_gdp(mu_squared, delta), delta,
                                cost_of_gaussian(filter.accounting(), mu)),
               0,
               {}};
  const auto above = [&](int k) {
    return std::erfc((k * unit - mu_squared / 2) / mu / std::numbers::sqrt2) / 2;
  };
  const int last = static_cast<int>((mu_squared / 2 + 5 * mu) / unit);
  for (int k = static_cast<int>((mu_squared / 2 - 5 * mu) / unit); k < last; ++k) {
    move.outcomes.push_back({k, above(k) - above(k + 1)});
  }
  move.outcomes.push_back({last, above(last)});
  return move;
}

class Adversary {
 public:
  Adversary(const Filter& filter, double epsilon, double unit, std::vector<Move> moves)
      : filter_(filter), epsilon_(epsilon), unit_(unit), moves_(std::move(moves)) {}

  double best_delta() { return best(std::vector<int>(moves_.size()), 0, {}); }
  std::size_t states() const { return known_.size(); }

 private:
  // The expected gain max(0, 1 - e^{epsilon - loss}) under play that is best from here.
  double best(const std::vector<int>& made, int loss, const Spending& spent) {
    const auto [entry, fresh] = known_.try_emplace({made, loss}, 0);
    if (!fresh) return entry->second;
    double most = std::max(0.0, -std::expm1(epsilon_ - loss * unit_));
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const Move& move = moves_[i];
      if (!filter_.admits(spent, move.charge)) continue;
      std::vector<int> next = made;
      ++next[i];
      const Spending total = spent + move.charge;
      double gain = 0;
      for (const Move::Outcome& outcome : move.outcomes) {
        gain += outcome.probability * best(next, loss + outcome.loss, total);
      }
      most = std::max(most, move.reveal + (1 - move.reveal) * gain);
    }
    return known_[{made, loss}] = most;
  }

  const Filter& filter_;
  double epsilon_, unit_;
  std::vector<Move> moves_;
  std::map<std::pair<std::vector<int>, int>, double> known_;
};

TEST(FilterAdversary, NeverBeatsBasic) {
  const Filter filter(Accountant::basic, Decimal::printed(1.5), Decimal::printed(.1), 0);
  Adversary adversary(
      filter, 1.5, .125,
      {randomised_response(filter, .125, 1, 0), randomised_response(filter, .125, 2, .02),
       randomised_response(filter, .125, 4, .05)});
  const double reached = adversary.best_delta();
  EXPECT_LE(reached, .1);
  EXPECT_GT(reached, .05);  // it does reach what its moves give it
}

TEST(FilterAdversary, NeverBeatsRenyiGdpOrGaussian) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    for (const double epsilon : {.75, 1.5}) {
      for (const double delta : {.4, .05}) {
        SCOPED_TRACE(testing::Message() << name(accountant) << " " << epsilon << " " << delta);
        const Filter filter(accountant, Decimal::printed(epsilon), Decimal::printed(delta),
                            choose_order(epsilon, delta));
        Adversary adversary(
            filter, epsilon, .125,
            {randomised_response(filter, .125, 1, 0), randomised_response(filter, .125, 2, 0),
             randomised_response(filter, .125, 4, filter.limits().added_delta.approximate() * .4)});
        const double reached = adversary.best_delta();
        EXPECT_LE(reached, delta);
        EXPECT_GT(reached, delta / 20);
        EXPECT_GT(adversary.states(), 100u);
      }
    }
  }
}

// Gaussian noise, which `gdp` prices exactly, and a release that may tell all: each answer decides
// which of the two comes next.
double reached_with_gaussians(const Filter& filter, double epsilon, double delta) {
  constexpr double unit = .05;
  const double added = filter.limits().added_delta.approximate();
  const double whole = filter.accounting().counts_mu_squared() ? filter.amount_total().approximate()
                                                               : gdp_of_budget(epsilon, delta / 2);
  Adversary adversary(filter, epsilon, unit,
                      {gaussian(filter, unit, whole / 4 * (1 - 1e-9), added / 2),
                       gaussian(filter, unit, whole * (1 - 1e-9), added / 2),
                       randomised_response(filter, unit, 2, added / 2)});
  return adversary.best_delta();
}

TEST(FilterAdversary, NeverBeatsGdpWithGaussians) {
  for (const Accountant accountant : {Accountant::gdp, Accountant::gaussian}) {
    for (const double epsilon : {.75, 1.5}) {
      for (const double delta : {.4, .05}) {
        SCOPED_TRACE(testing::Message() << name(accountant) << " " << epsilon << " " << delta);
        const Filter filter(accountant, Decimal::printed(epsilon), Decimal::printed(delta), 0);
        const double reached = reached_with_gaussians(filter, epsilon, delta);
        EXPECT_LE(reached, delta);
        EXPECT_GT(reached, delta * (accountant == Accountant::gdp ? .5 : .8));
      }
    }
  }
}

// The same games at budgets smaller than those that the filters were built for are lost: the tests
// can fail.
TEST(FilterAdversary, BeatsAFilterThatIsTooWide) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    const Filter filter(accountant, Decimal::printed(3), Decimal::printed(.4), choose_order(3, .4));
    Adversary adversary(
        filter, .3, .25,
        {randomised_response(filter, .25, 1, 0), randomised_response(filter, .25, 2, 0),
         randomised_response(filter, .25, 4, .04)});
    EXPECT_GT(adversary.best_delta(), .4) << name(accountant);
  }
  // What Gaussian noise gives away at 1.5 is more than half as much again at 1.
  for (const Accountant accountant : {Accountant::gdp, Accountant::gaussian}) {
    const Filter filter(accountant, Decimal::printed(1.5), Decimal::printed(.05), 0);
    EXPECT_GT(reached_with_gaussians(filter, .75, .05), .05) << name(accountant);
  }
}

}  // namespace
}  // namespace dpmix
