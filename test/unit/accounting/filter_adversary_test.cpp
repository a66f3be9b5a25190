// The strongest adversary there is, by backward induction: it sees every outcome so far and picks
// the next release, its epsilon and its delta, to tell two neighbours apart. With the worst
// mechanisms of their guarantee (reveal with probability delta, else randomised response) the
// delta that it reaches at the table's epsilon is computed exactly, and may not pass the table's.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "core/accounting/filter.hpp"

namespace dpmix {
namespace {

class Adversary {
 public:
  // Epsilons are multiples of one unit, so that the loss so far is an integer.
  struct Move {
    int units;
    double delta;
  };
  static constexpr int kMoves = 3;
  using Counts = std::array<int, kMoves>;

  Adversary(const Filter& filter, double epsilon, double unit, std::array<Move, kMoves> moves)
      : filter_(filter), epsilon_(epsilon), unit_(unit), moves_(moves) {
    for (int i = 0; i < kMoves; ++i) {
      charges_[i] = filter.charge_of(moves[i].units * unit, moves[i].delta, {});
    }
  }

  double best_delta() { return best({}, 0, {}); }
  std::size_t states() const { return known_.size(); }

 private:
  // The expected gain max(0, 1 - e^{epsilon - loss}) under play that is best from here.
  double best(const Counts& made, int loss, const Spending& spent) {
    const auto [entry, fresh] = known_.try_emplace({made, loss}, 0);
    if (!fresh) return entry->second;
    double most = std::max(0.0, -std::expm1(epsilon_ - loss * unit_));
    for (int i = 0; i < kMoves; ++i) {
      if (!filter_.admits(spent, charges_[i])) continue;
      Counts next = made;
      ++next[i];
      const auto& [units, delta] = moves_[i];
      const double truth = 1 / (1 + std::exp(-units * unit_));
      const Spending total = spent + charges_[i];
      most = std::max(most, delta + (1 - delta) * (truth * best(next, loss + units, total) +
                                                   (1 - truth) * best(next, loss - units, total)));
    }
    return known_[{made, loss}] = most;
  }

  const Filter& filter_;
  double epsilon_, unit_;
  std::array<Move, kMoves> moves_;
  std::array<Spending, kMoves> charges_;
  std::map<std::pair<Counts, int>, double> known_;
};

TEST(FilterAdversary, NeverBeatsBasic) {
  const Filter filter(Accountant::basic, Decimal::printed(1.5), Decimal::printed(.1), 0);
  Adversary adversary(filter, 1.5, .125, {{{1, 0}, {2, .02}, {4, .05}}});
  const double reached = adversary.best_delta();
  EXPECT_LE(reached, .1);
  EXPECT_GT(reached, .05);  // it does reach what its moves give it
}

TEST(FilterAdversary, NeverBeatsRenyi) {
  for (const double epsilon : {.75, 1.5}) {
    for (const double delta : {.4, .05}) {
      SCOPED_TRACE(testing::Message() << epsilon << " " << delta);
      const Filter filter(Accountant::renyi, Decimal::printed(epsilon), Decimal::printed(delta),
                          choose_order(epsilon, delta));
      Adversary adversary(filter, epsilon, .125, {{{1, 0}, {2, 0}, {4, delta / 10}}});
      const double reached = adversary.best_delta();
      EXPECT_LE(reached, delta);
      EXPECT_GT(reached, delta / 20);
      EXPECT_GT(adversary.states(), 100u);
    }
  }
}

// The same game at ten times the budget that the filter was built for is lost: the test can fail.
TEST(FilterAdversary, BeatsAFilterThatIsTooWide) {
  const Filter filter(Accountant::renyi, Decimal::printed(3), Decimal::printed(.4),
                      choose_order(3, .4));
  Adversary adversary(filter, .3, .25, {{{1, 0}, {2, 0}, {4, .04}}});
  EXPECT_GT(adversary.best_delta(), .4);
}

}  // namespace
}  // namespace dpmix
