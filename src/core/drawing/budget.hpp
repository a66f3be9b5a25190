// A picture of a privacy budget: what was spent over time and by whom, below the budget, as a
// standalone SVG document in ASCII. Of charges alone, so of nothing that is private.
//
// The top of the stack is the composed total, what all charges so far prove at the budget's delta.
// A charge adds less to it than its own epsilon; how much, depends on what came before. So each
// step of the total is shared among the roles charged in it, in proportion to what the accountant
// adds up of their charges (their costs, or their epsilon while the sum of epsilon proves less).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dpmix {

constexpr int budget_colors = 6;  // bands in colours of their own

struct BudgetPicture {
  struct Band {
    std::string role;  // UTF-8, or any bytes
    std::int64_t charges = 0;
    double epsilon = 0;  // sum of the charges' own
  };
  struct Part {  // what a band was charged in a step
    std::size_t band;
    double epsilon, cost;
  };
  // All charges since the step before, drawn at the time of the last of them.
  struct Step {
    double at;     // seconds since 2000-01-01 00:00 UTC, as all times here
    double total;  // composed epsilon of all charges up to here; never falls
    std::vector<Part> parts;
  };
  struct Budget {
    double at, epsilon;
  };

  std::string relation, accountant;
  double from = 0, to = 1;      // of the axis; from <= to
  double delta = 0;             // of the newest budget
  std::vector<Budget> budgets;  // one or more, in order; the last holds
  std::vector<Step> steps;      // in order
  std::vector<Band> bands;  // from the bottom up; the first budget_colors in colour, others grey
  bool sees_all = true;     // else the last band is what others spent, known at the steps alone
  bool active = true;       // still protected
};

// What each band has added to the total after each step: steps x bands, each row adds up to total.
std::vector<std::vector<double>> budget_stack(const BudgetPicture& picture);

std::string draw_budget(const BudgetPicture& picture);

}  // namespace dpmix
