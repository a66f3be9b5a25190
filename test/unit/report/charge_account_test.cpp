#include "core/report/charge_account.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/noise/gaussian/gdp.hpp"
#include "core/query/contribution.hpp"
#include "core/synthetic/cda.hpp"
#include "core/tree_model/plan.hpp"
#include "unit/query/planned_query.hpp"

namespace dpmix {
namespace {

BudgetRecord budget(double epsilon, double delta) {
  return {Decimal::printed(epsilon), Decimal::printed(delta), "set by anna"};
}

ChargeFacts facts_of(const std::string& mechanism, const Spending& charge,
                     Accountant accountant = Accountant::renyi) {
  return {.mechanism = mechanism,
          .accounting = {accountant, order_of(accountant)},
          .adjacency = Adjacency::add_remove,
          .charge = charge,
          .before = {},
          .charges_before = 0,
          .budgets = {budget(4, 1e-6)},
          .in_force = 0,
          .noise = {}};
}

Spending gaussian_charge(double epsilon, double delta, Accountant accountant = Accountant::renyi) {
  const double mu =
      gdp_mu(Decimal::printed(epsilon).lower_double(), Decimal::printed(delta).lower_double());
  const Cost own = cost_of_gaussian({accountant, order_of(accountant)}, mu);
  return filter_of(accountant).charge_of(epsilon, delta, own);
}

std::string value_of(const ChargeAccount& account, const std::string& item) {
  for (const AccountLine& line : account.lines) {
    if (line.item == item) return line.value;
  }
  return "";
}

std::string meaning_of(const ChargeAccount& account, const std::string& item) {
  for (const AccountLine& line : account.lines) {
    if (line.item == item) return line.meaning;
  }
  return "";
}

RecordCheck check(const ChargeFacts& facts) {
  return account_of(facts).cost;
}

Spending scaled(const Spending& charge, double factor) {
  Spending changed = charge;
  changed.amount = Decimal::printed(charge.amount.approximate() * factor);
  return changed;
}

TEST(ChargeAccount, GaussianCostIsThatOfItsMu) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    const Spending charge = gaussian_charge(.1, 1e-9, accountant);
    const ChargeAccount account = account_of(facts_of("gaussian", charge, accountant));
    EXPECT_EQ(account.cost, RecordCheck::same);
    ASSERT_TRUE(account.budget);
    const double mu = std::stod(value_of(account, "mu"));
    EXPECT_NEAR(mu, gdp_mu(.1, 1e-9), 1e-5 * mu);
    EXPECT_LE(std::stod(value_of(account, "delta of that mu")), 1e-9);
    EXPECT_NE(meaning_of(account, "cost").find("own profile, the cheaper one: matches the record"),
              std::string::npos);
    EXPECT_EQ(meaning_of(account, "Renyi order").find("maximises") != std::string::npos,
              accountant == Accountant::renyi);
  }
}

// A tree costs its noise and its draws, which only under gdp is what Gaussian noise of its mu does.
TEST(ChargeAccount, TreesCostNoiseAndDraws) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    for (const RecordedTree& tree : {RecordedTree{1, 0, 0}, {3, 0, 0}, {14, 2, 6}}) {
      const TreePlan plan = plan_tree({.columns = tree.columns,
                                       .binned = tree.binned,
                                       .fine_levels = tree.fine_levels,
                                       .epsilon = 1,
                                       .delta = 1e-6,
                                       .accounting = {accountant, order_of(accountant)}});
      const Spending charge = filter_of(accountant).charge_of(1, 1e-6, plan.own);
      ChargeFacts facts = facts_of("gaussian", charge, accountant);
      facts.tree = tree;
      const ChargeAccount account = account_of(facts);
      EXPECT_EQ(account.cost, RecordCheck::same);
      EXPECT_NEAR(std::stod(value_of(account, "mu")), plan.mu, 1e-5 * plan.mu);
      facts.charge = scaled(charge, .99);
      EXPECT_EQ(check(facts), RecordCheck::differs);
    }
  }
}

// What any query is charged is computed again from what its record says of it.
void price_again(Accountant accountant, Adjacency adjacency, Family family,
                 const std::vector<StatisticShift>& shifts) {
  SCOPED_TRACE(std::string(name(accountant)) + " " + std::string(name(adjacency)) + " " +
               std::string(name(family)) + " " + std::to_string(shifts[0].groups));
  const double delta = is_pure(family) ? 0 : 1e-9;
  QueryRequest request{.5, delta, family};
  request.accurate = shifts[0].together;
  const Planned made = planned(request, shifts, accountant, false);
  const auto own = made.plan.has_own ? std::optional(made.plan.own) : std::nullopt;
  const Spending recorded =
      filter_of(accountant).charge_of(made.plan.epsilon, made.plan.delta, own);
  ChargeFacts facts = facts_of(std::string(name(family)), recorded, accountant);
  facts.adjacency = adjacency;
  for (std::size_t i = 0; i < made.noise.size(); ++i) {
    const NoiseLaw& law = made.noise[i].law;
    facts.noise.push_back({law.sensitivity, shifts[i].groups, is_of_box(law)});
  }
  // The curve of a mixture's own law may be cheaper than its parts, and is not on record.
  const bool mixture = family == Family::multi_gaussian;
  const RecordCheck found = check(facts);
  EXPECT_TRUE(found == RecordCheck::same || (mixture && found == RecordCheck::unknown));
  // A record that was changed is found out, where it is not said to be unknown.
  facts.charge = scaled(recorded, .99);
  EXPECT_EQ(check(facts), mixture ? RecordCheck::unknown : RecordCheck::differs);
  if (found != RecordCheck::same) return;
  facts.charge = scaled(recorded, 1.01);
  EXPECT_EQ(check(facts), RecordCheck::differs);
  facts.charge = scaled(recorded, 1 + 1e-11);
  EXPECT_EQ(check(facts), RecordCheck::rounding);
}

TEST(ChargeAccount, EveryFamilyIsPricedAgain) {
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    for (const Family family : kFamilies) {
      for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
        const bool grouped = adjacency == Adjacency::replace;
        price_again(accountant, adjacency, family,
                    RowRequest{.5, 0, family, adjacency, grouped}.shifts(kStatistics));
        auto box = RowRequest{.5, 0, family, adjacency, grouped}.shifts(kStatistics);
        box[0].together = box[2].together = true;
        price_again(accountant, adjacency, family, box);
        const Contribution unit = contribution_of(5, 3);
        price_again(
            accountant, adjacency, family,
            {shift_of(kStatistics[0], adjacency, unit, {7}),
             shift_of(kCountLattice, adjacency, unit, {7, 4}), shift_of_units(adjacency, unit, 7)});
      }
    }
  }
}

TEST(ChargeAccount, ARecordWithoutItsStatisticsIsNotJudged) {
  const Spending generic = filter_of(Accountant::renyi).charge_of(.5, 0, std::nullopt);
  EXPECT_EQ(check(facts_of("laplace", generic)), RecordCheck::same);
  EXPECT_EQ(check(facts_of("laplace", scaled(generic, .5))), RecordCheck::unknown);
  EXPECT_EQ(check(facts_of("laplace", scaled(generic, 2))), RecordCheck::differs);
  EXPECT_EQ(check(facts_of("probe", scaled(generic, .5))), RecordCheck::differs);
}

TEST(ChargeAccount, SyntheticTables) {
  constexpr Adjacency replace = Adjacency::replace;
  for (const Accountant accountant : {Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
    for (const auto& [adjacency, classes] :
         {std::pair{Adjacency::add_remove, 3}, {replace, 3}, {replace, 1}, {Adjacency::label, 3}}) {
      const CdaPlan plan = plan_cda({.classes = classes,
                                     .norm = 1,
                                     .rows = 1000,
                                     .epsilon = .7,
                                     .delta = 1e-8,
                                     .adjacency = adjacency,
                                     .accounting = {accountant, order_of(accountant)},
                                     .mix = 7,
                                     .demix = Demix::tied,
                                     .class_rows = ClassRows::balanced});
      ChargeFacts facts = facts_of("poisson_mixing",
                                   filter_of(accountant).charge_of(.7, 1e-8, plan.own), accountant);
      facts.adjacency = adjacency;
      facts.classes = classes;
      EXPECT_EQ(check(facts), RecordCheck::same);
      facts.charge = scaled(facts.charge, .99);
      EXPECT_EQ(check(facts), RecordCheck::differs);
    }
  }
}

TEST(ChargeAccount, BasicHasNoOtherCost) {
  const Spending charge = gaussian_charge(.1, 1e-9, Accountant::basic);
  ChargeFacts facts = facts_of("gaussian", charge, Accountant::basic);
  const ChargeAccount account = account_of(facts);
  EXPECT_EQ(account.cost, RecordCheck::same);
  EXPECT_EQ(value_of(account, "admitted"), "by the guarantees");
  EXPECT_EQ(value_of(account, "mu"), "");
  facts.charge.amount = Decimal::printed(.1);
  EXPECT_EQ(check(facts), RecordCheck::differs);
}

TEST(ChargeAccount, TellsWhichRuleAdmitted) {
  const Spending charge = gaussian_charge(.1, 1e-9);
  ChargeFacts facts = facts_of("gaussian", charge);
  EXPECT_EQ(value_of(account_of(facts), "admitted"), "by both rules");
  facts.before.epsilon = Decimal::printed(3.95);
  EXPECT_EQ(value_of(account_of(facts), "admitted"), "by the cost");
  facts.before.epsilon = Decimal::printed(3.9);
  facts.before.amount = Decimal::printed(100);
  EXPECT_EQ(value_of(account_of(facts), "admitted"), "by the guarantees");
  facts.before.epsilon = Decimal::printed(3.95);
  const ChargeAccount refused = account_of(facts);
  EXPECT_FALSE(refused.budget);
  EXPECT_EQ(value_of(refused, "admitted"), "DOES NOT MATCH THE RECORD");
}

// A budget counts from its commit, which the clock of its record does not tell.
TEST(ChargeAccount, FindsTheBudgetThatAdmits) {
  ChargeFacts facts = facts_of("gaussian", gaussian_charge(.1, 1e-9));
  facts.before.epsilon = Decimal::printed(5);
  facts.before.amount = Decimal::printed(2.5);
  facts.budgets = {budget(4, 1e-6), budget(8, 1e-6), budget(2, 1e-6)};
  facts.in_force = 1;
  EXPECT_EQ(account_of(facts).budget, 1u);
  facts.in_force = 0;
  const ChargeAccount account = account_of(facts);
  EXPECT_EQ(account.budget, 1u);
  EXPECT_EQ(value_of(account, "budget in force"), "epsilon 8, delta 0.000001");
  EXPECT_NE(meaning_of(account, "budget in force").find("by the clock another"), std::string::npos);
}

}  // namespace
}  // namespace dpmix
