#include "core/report/charge_account.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "core/base/next_double.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/query/family_noise.hpp"
#include "core/query/plan.hpp"
#include "core/synthetic/cda.hpp"
#include "core/tree_model/plan.hpp"

namespace dpmix {
namespace {

// What an accountant counts besides epsilon and delta. `basic` has none of it.
struct Words {
  Accountant accountant;
  std::string_view cost, cost_meaning, limit, limit_meaning, mu_of_cost, share;
};
constexpr std::array<Words, 3> kWords = {{
    {Accountant::renyi, "rho",
     "the Renyi divergence of that order between neighbours, at most, in nats", "B(alpha)",
     "epsilon + log(alpha/(alpha-1)) + (log(delta/2) + log alpha)/(alpha-1): a sum of rho up to it "
     "proves epsilon at delta/2",
     "sqrt(2 rho / alpha)", "a quarter of delta"},
    {Accountant::gdp, "mu^2", "the square of the Gaussian-DP parameter, which composition adds up",
     "limit of mu^2", "that of Gaussian noise which is (epsilon, delta/2)-DP",
     "the root of the cost", "a quarter of delta"},
    {Accountant::gaussian, "mu^2",
     "the square of the Gaussian-DP parameter, which composition adds up", "limit of mu^2",
     "that of Gaussian noise which is (epsilon, 0.9 delta)-DP", "the root of the cost",
     "a twentieth of delta"},
}};

const Words* words_of(Accountant accountant) {
  for (const Words& words : kWords) {
    if (words.accountant == accountant) return &words;
  }
  return nullptr;
}

// The mu of Gaussian noise that costs so much.
double mu_of_cost(const Accounting& accounting, double amount) {
  return accounting.accountant == Accountant::renyi ? std::sqrt(2 * amount / accounting.order)
                                                    : std::sqrt(amount);
}

std::string digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string guarantee(const Decimal& epsilon, const Decimal& delta) {
  return "epsilon " + epsilon.str() + ", delta " + delta.str();
}

std::string cost_text(const Words& words, const Spending& spending) {
  return std::string(words.cost) + " " + spending.amount.str() + ", added delta " +
         spending.added_delta.str();
}

struct Guarantee {  // as charged, and the doubles that the noise was calibrated to
  double epsilon, delta, epsilon_below, delta_below;
};

Guarantee guarantee_of(const ChargeFacts& facts) {
  const Decimal &epsilon = facts.charge.epsilon, &delta = facts.charge.delta;
  return {epsilon.approximate(), delta.approximate(), epsilon.lower_double(), delta.lower_double()};
}

// The release's own profile. `known` is false where the record does not tell.
struct OwnProfile {
  std::optional<Cost> cost;
  bool known = true;
  std::string why;
};

Cost own_with_search(const ChargeFacts& facts, const Filter& filter, Problem problem,
                     const DiscoveryShares& shares, Family family) {
  problem.asked_epsilon = problem.epsilon = shares.epsilon;
  problem.asked_delta = problem.delta = shares.delta;
  const SearchedProblem searched{problem, shares.search, facts.charge.epsilon.approximate(),
                                 facts.charge.delta.approximate()};
  return with_search(price_of(problem, family), searched, filter).own;
}

OwnProfile profile_of_query(const ChargeFacts& facts, const Filter& filter, const Guarantee& asked,
                            Family family) {
  Problem problem{
      asked.epsilon,        asked.delta, asked.epsilon_below, asked.delta_below, facts.accounting,
      calibrate_on_lattice, {}};
  if (facts.threshold) {  // in how many groups a unit may be is part of the noise, not of its price
    const DiscoveryShares shares = share_with_threshold(problem.epsilon, problem.delta, 1);
    return {own_with_search(facts, filter, problem, shares, family), true,
            "Gaussian noise of the mu below, which tells the groups too; added delta: of groups of "
            "one unit alone"};
  }
  if (facts.noise.empty()) {
    return {std::nullopt, false,
            "from all statistics of the query, which the record does not list"};
  }
  for (const auto& [steps, cells, together] : facts.noise) {
    problem.together = problem.together.value_or(false) || together;
    problem.shifts.push_back(
        {steps, together ? cells * steps : steps, steps, cells, cells, together});
  }
  if (facts.coins > 0) {
    const DiscoveryShares shares = share_with_coins(
        problem.epsilon, problem.delta, problem.statistics(), facts.coins, is_pure(family));
    return {own_with_search(facts, filter, problem, shares, family), true,
            "of the statistics, and of the coins that keep groups"};
  }
  const QueryPlan plan = price_of(problem, family);
  const bool geometric = family == Family::laplace;
  return {plan.has_own ? std::optional(plan.own) : std::nullopt, true,
          geometric ? "sum over the statistics of the curve of two-sided geometric noise, of those "
                      "that have it together once"
                    : "sum over the parts into which the guarantee was divided"};
}

OwnProfile profile_of_cda(const Guarantee& asked, const ChargeFacts& facts) {
  const CdaPlan plan = plan_cda({.classes = facts.classes,
                                 .norm = 1,
                                 .rows = facts.classes,
                                 .epsilon = asked.epsilon,
                                 .delta = asked.delta,
                                 .adjacency = facts.adjacency,
                                 .accounting = facts.accounting,
                                 .mix = 0,
                                 .demix = Demix::none,
                                 .class_rows = ClassRows::balanced});
  return {plan.own, true,
          "noisy class counts and rows no more telling than Gaussian noise, but for a slack"};
}

OwnProfile profile_of_tree(const Guarantee& asked, const ChargeFacts& facts) {
  const TreePlan plan = plan_tree({.columns = facts.tree.columns,
                                   .binned = facts.tree.binned,
                                   .fine_levels = facts.tree.fine_levels,
                                   .epsilon = asked.epsilon,
                                   .delta = asked.delta,
                                   .adjacency = facts.adjacency,
                                   .accounting = facts.accounting});
  return {plan.own, true, "of the noise in all counts, and of the draws of the pairs to count"};
}

OwnProfile own_profile(const ChargeFacts& facts, const Filter& filter) {
  const Guarantee asked = guarantee_of(facts);
  if (!facts.accounting.counts_cost()) return {};
  if (facts.difference_mu > 0) {
    return {cost_of_gaussian(facts.accounting, facts.difference_mu), true,
            "Gaussian noise of the mu below: what was missing to answers in memory"};
  }
  if (facts.tree.columns > 0) return profile_of_tree(asked, facts);
  if (facts.mechanism == name(Family::gaussian) && facts.coins == 0 && !facts.threshold) {
    return {cost_of_gaussian(facts.accounting, gdp_mu(asked.epsilon_below, asked.delta_below)),
            true, "Gaussian noise of the mu below"};
  }
  if (facts.mechanism == "poisson_mixing") {
    return profile_of_cda(asked, facts);
  }
  if (facts.mechanism.ends_with("exponential")) {
    return {std::nullopt, false, "from the ranges of all draws, which the record does not list"};
  }
  const std::optional<Family> family = family_of(facts.mechanism);
  if (!family) return {};
  return profile_of_query(facts, filter, asked, *family);
}

bool close(const Decimal& a, const Decimal& b) {
  const double x = a.approximate(), y = b.approximate();
  return std::fabs(x - y) <= 1e-9 * std::fmax(x, y);
}

RecordCheck compare(const Spending& recorded, const Spending& computed) {
  if (recorded.amount == computed.amount && recorded.added_delta == computed.added_delta) {
    return RecordCheck::same;
  }
  const bool near =
      close(recorded.amount, computed.amount) && close(recorded.added_delta, computed.added_delta);
  return near ? RecordCheck::rounding : RecordCheck::differs;
}

std::string verdict(RecordCheck check) {
  switch (check) {
    case RecordCheck::same:
      return "matches the record";
    case RecordCheck::rounding:
      return "matches the record but for its last digits";
    case RecordCheck::unknown:
      return "not computed again";
    case RecordCheck::differs:
      break;
  }
  return "DOES NOT MATCH THE RECORD";
}

class Account {
 public:
  explicit Account(const ChargeFacts& facts)
      : facts_(facts), words_(words_of(facts.accounting.accountant)) {}

  ChargeAccount make() {
    made_.budget = admitting_budget();
    const std::size_t budget = made_.budget.value_or(facts_.in_force);
    const Filter filter = filter_of(facts_.budgets[budget]);
    terms();
    guarantee_lines(filter);
    budget_line(budget);
    sums(filter);
    admission(filter);
    remains(filter);
    return std::move(made_);
  }

 private:
  void line(std::string item, std::string value, std::string meaning) {
    made_.lines.push_back({std::move(item), std::move(value), std::move(meaning)});
  }

  Filter filter_of(const BudgetRecord& budget) const {
    return {facts_.accounting.accountant, budget.epsilon, budget.delta, facts_.accounting.order};
  }

  bool admits(const BudgetRecord& budget) const {
    return filter_of(budget).admits(facts_.before, facts_.charge);
  }

  // A change of budget is in force from its commit, which comes after its time; clocks may be set.
  std::optional<std::size_t> admitting_budget() const {
    if (admits(facts_.budgets[facts_.in_force])) return facts_.in_force;
    for (std::size_t i = facts_.budgets.size(); i-- > 0;) {
      if (admits(facts_.budgets[i])) return i;
    }
    return std::nullopt;
  }

  void terms() {
    if (words_ == nullptr) {
      line("accountant", std::string(name(facts_.accounting.accountant)),
           "adds up epsilon and delta as decimals");
      return;
    }
    line("accountant", std::string(name(facts_.accounting.accountant)),
         "adds up epsilon and delta, and besides " + std::string(words_->cost) + ": " +
             std::string(words_->cost_meaning));
    if (facts_.accounting.accountant == Accountant::renyi) order_line();
  }

  void order_line() {
    std::string why = "alpha, fixed when the table was first protected";
    for (const BudgetRecord& budget : facts_.budgets) {
      const double best = choose_order(budget.epsilon.approximate(), budget.delta.approximate());
      if (std::fabs(best - facts_.accounting.order) > 1e-6 * best) continue;
      why += ": it maximises B(alpha)/alpha, hence the number of Gaussian answers, for " +
             guarantee(budget.epsilon, budget.delta);
      break;
    }
    line("Renyi order", digits(facts_.accounting.order), why);
  }

  void guarantee_lines(const Filter& filter) {
    const Guarantee asked = guarantee_of(facts_);
    const Spending& charge = facts_.charge;
    line("declared guarantee", guarantee(charge.epsilon, charge.delta),
         "of the whole release, adjacency " + std::string(name(facts_.adjacency)));
    const Spending generic = filter.charge_of(asked.epsilon, asked.delta, std::nullopt);
    if (words_ == nullptr) {
      made_.cost = compare(charge, generic);
      line("cost", "0", "this accountant has none besides the guarantee: " + verdict(made_.cost));
      return;
    }
    line("generic profile", cost_text(*words_, generic),
         "of any release with this guarantee: randomised response, but for an event of "
         "probability delta");
    const OwnProfile own = own_profile(facts_, filter);
    const Spending computed = filter.charge_of(asked.epsilon, asked.delta, own.cost);
    if (own.cost) {
      const Spending particular{
          {}, {}, Decimal::round_up(own.cost->amount), Decimal::round_up(own.cost->added_delta)};
      line("own profile", cost_text(*words_, particular), own.why);
    }
    made_.cost = compare(charge, computed);
    cost_line(filter, generic, computed, own);
    gaussian_lines(asked);
  }

  void cost_line(const Filter& filter, const Spending& generic, const Spending& computed,
                 const OwnProfile& own) {
    const bool cheaper = filter.price(facts_.charge) < filter.price(generic);
    // The curve of a mixture needs its law, which the record does not hold.
    const bool untold = !own.known || facts_.mechanism == name(Family::multi_gaussian);
    if (made_.cost == RecordCheck::differs && untold &&
        filter.price(facts_.charge) <= filter.price(computed)) {
      made_.cost = RecordCheck::unknown;
      line("cost", cost_text(*words_, facts_.charge),
           "the release's own profile, computed " +
               (own.known ? "from the law of its noise" : own.why) + "; " + verdict(made_.cost) +
               ". It " + (cheaper ? "is cheaper than" : "costs as much as") + " the generic one");
      return;
    }
    std::string meaning =
        cheaper ? "the release's own profile, the cheaper one"
                : "the generic profile" + std::string(own.cost ? ", no dearer than its own" : "");
    meaning += ": " + verdict(made_.cost);
    if (made_.cost == RecordCheck::differs) {
      meaning += ", computed was " + cost_text(*words_, computed);
    }
    line("cost", cost_text(*words_, facts_.charge), meaning);
  }

  void gaussian_lines(const Guarantee& asked) {
    if (facts_.mechanism != name(Family::gaussian) || facts_.coins > 0) return;
    const double mu = gdp_mu(asked.epsilon_below, asked.delta_below);
    // Draws have another Renyi curve than Gaussian noise: their cost does not tell their mu.
    const bool drawn = facts_.tree.columns > 0;
    const double meant =
        drawn ? mu : mu_of_cost(facts_.accounting, facts_.charge.amount.approximate());
    line("mu", digits(meant),
         std::string(drawn ? "of counts and draws together" : words_->mu_of_cost) +
             ": telling neighbours apart is no easier than N(0,1) from N(mu,1)");
    const double reached = gdp_delta(asked.epsilon_below, mu);
    line("delta of that mu", digits(reached),
         std::string("of Gaussian noise of this mu at epsilon, by its exact curve: ") +
             (reached <= asked.delta ? "within" : "ABOVE") + " the declared delta");
  }

  void budget_line(std::size_t budget) {
    const BudgetRecord& record = facts_.budgets[budget];
    std::string meaning = record.set_by;
    if (budget != facts_.in_force) {
      meaning += "; by the clock another one was in force, which does not admit the charge";
    }
    line("budget in force", guarantee(record.epsilon, record.delta), meaning);
  }

  std::string sum_text(const Spending& spending) const {
    std::string text = guarantee(spending.epsilon, spending.delta);
    if (words_ != nullptr) text += ", " + cost_text(*words_, spending);
    return text;
  }

  void sums(const Filter& filter) {
    if (words_ != nullptr) {
      line(std::string(words_->limit), filter.amount_total().str(),
           std::string(words_->limit_meaning));
    }
    line("before", sum_text(facts_.before),
         facts_.payer.empty()
             ? "sums of the table's " + std::to_string(facts_.charges_before) + " earlier charges"
             : "sums of the " + std::to_string(facts_.charges_before) + " earlier charges of " +
                   facts_.payer + ", the fullest of those that pay");
    line("after", sum_text(facts_.before + facts_.charge), "sums with this charge");
  }

  // Each rule by itself: the other one is overdrawn.
  void admission(const Filter& filter) {
    Spending by_guarantee = facts_.before, by_cost = facts_.before;
    by_guarantee.amount += filter.amount_total() + Decimal::printed(1);
    by_cost.epsilon += Decimal::printed(1e8);
    const bool first = filter.admits(by_guarantee, facts_.charge);
    const bool second = words_ != nullptr && filter.admits(by_cost, facts_.charge);
    const std::string share = words_ != nullptr ? std::string(words_->share) : "delta";
    const std::string cost = words_ != nullptr ? std::string(words_->cost) : "";
    const std::string limit = words_ != nullptr ? std::string(words_->limit) : "";
    const std::string guarantee_rule =
        "the sum of epsilon is within epsilon, that of delta within " + share;
    const std::string cost_rule =
        "the sum of " + cost + " is within " + limit + ", that of added delta within " + share;
    if (first && second) {
      line("admitted", "by both rules", guarantee_rule + "; " + cost_rule);
    } else if (first) {
      line("admitted", "by the guarantees", guarantee_rule);
    } else if (second) {
      line("admitted", "by the cost", cost_rule);
    } else {
      line("admitted", verdict(RecordCheck::differs), "no budget on record admits it");
    }
  }

  void remains(const Filter& filter) {
    const Spending after = facts_.before + facts_.charge;
    const double spent = filter.epsilon_spent(after);
    line("proved after it", "epsilon " + digits(spent),
         "the least epsilon at the budget's delta for everything released up to it: a gauge");
    line("share spent", digits(filter.share_spent(after)),
         "of what the accountant allows, by the rule that is least used: at 1 nothing more fits");
    const double delta = facts_.charge.delta.approximate();
    const double largest = filter.largest_epsilon(after, delta);
    line("fitted after it", largest > 0 ? "epsilon " + digits(largest) : "nothing",
         "the largest epsilon of one more release with the same delta and the generic profile");
  }

  const ChargeFacts& facts_;
  const Words* words_;
  ChargeAccount made_{};
};

}  // namespace

ChargeAccount account_of(const ChargeFacts& facts) {
  return Account(facts).make();
}

}  // namespace dpmix
