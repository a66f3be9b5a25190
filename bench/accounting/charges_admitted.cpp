// How many charges a fresh table admits under each accountant: one kind of charge, repeated until
// it is refused. Beside them the Gaussian-DP optimum, what anything could get out of the whole
// delta for noise that is Gaussian. Prints a Markdown table. Nothing here depends on the machine.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "core/accounting/filter.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/synthetic/cda.hpp"

using namespace dpmix;

namespace {

constexpr double kManySteps = 0x1p20;  // a sum on a fine lattice

enum class Kind { gaussian, laplace, count, guarantee, cda };

struct Charge {
  Kind kind;
  double epsilon, delta;
};

const char* describe(Kind kind) {
  switch (kind) {
    case Kind::gaussian:
      return "gaussian";
    case Kind::laplace:
      return "laplace, a sum";
    case Kind::count:
      return "laplace, a count";
    case Kind::guarantee:
      return "optimal";
    case Kind::cda:
      return "dpmix.cda";
  }
  return "";
}

std::optional<Cost> own_cost(const Accounting& table, const Charge& charge) {
  switch (charge.kind) {
    case Kind::gaussian:
      return cost_of_gaussian(table, gdp_mu(charge.epsilon, charge.delta));
    case Kind::laplace:
      return cost_of_geometric(table, charge.epsilon, kManySteps);
    case Kind::count:
      return cost_of_geometric(table, charge.epsilon, 1);
    case Kind::guarantee:
      return std::nullopt;
    case Kind::cda:
      return plan_cda({.classes = 2,
                       .norm = 1,
                       .rows = 1000,
                       .epsilon = charge.epsilon,
                       .delta = charge.delta,
                       .adjacency = Adjacency::add_remove,
                       .accounting = table,
                       .mix = 1,
                       .demix = Demix::none,
                       .class_rows = ClassRows::balanced})
          .own;
  }
  return std::nullopt;
}

int admitted(const Filter& filter, const Charge& charge) {
  const Spending cost =
      filter.charge_of(charge.epsilon, charge.delta, own_cost(filter.accounting(), charge));
  Spending spent;
  int count = 0;
  for (; filter.admits(spent, cost); ++count) spent = spent + cost;
  return count;
}

Filter filter_of(Accountant accountant, double epsilon, double delta) {
  return {accountant, Decimal::printed(epsilon), Decimal::printed(delta),
          choose_order(epsilon, delta)};
}

struct Budget {
  double epsilon, delta;
};

}  // namespace

int main() {
  const std::vector<Charge> charges = {
      {Kind::gaussian, .01, 1e-10}, {Kind::gaussian, .1, 1e-9},  {Kind::gaussian, .1, 1e-7},
      {Kind::gaussian, .5, 1e-8},   {Kind::gaussian, 1, 1e-7},   {Kind::laplace, .01, 0},
      {Kind::laplace, .1, 0},       {Kind::laplace, .5, 0},      {Kind::count, .1, 0},
      {Kind::count, .5, 0},         {Kind::guarantee, .1, 1e-9}, {Kind::guarantee, .5, 1e-8},
      {Kind::cda, .5, 1e-8},        {Kind::cda, 1, 1e-7}};
  for (const Budget& budget : {Budget{1, 1e-6}, Budget{4, 1e-6}, Budget{8, 1e-5}}) {
    std::printf(
        "\n| of (%g, %g) | each (ε, δ) | `basic` | `renyi` | `gdp` | `gaussian` | Gaussian-DP |\n",
        budget.epsilon, budget.delta);
    std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
    const double most = gdp_mu(budget.epsilon, budget.delta);
    for (const Charge& charge : charges) {
      std::printf("| %s | %g, %g |", describe(charge.kind), charge.epsilon, charge.delta);
      for (const Accountant accountant :
           {Accountant::basic, Accountant::renyi, Accountant::gdp, Accountant::gaussian}) {
        std::printf(" %d |", admitted(filter_of(accountant, budget.epsilon, budget.delta), charge));
      }
      if (charge.kind == Kind::gaussian) {
        std::printf(" %.0f |\n",
                    std::floor(std::pow(most / gdp_mu(charge.epsilon, charge.delta), 2)));
      } else {
        std::printf(" |\n");
      }
    }
  }
}
