// Totals of plans beside an independent accountant's (bench/accounting/accountant.py): losses
// [first last]. Leaves a table in Markdown on stdout: delta(epsilon) and epsilon(delta) here /
// there, over the deltas of a plan, least and most; and the time of one pair of answers.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>

#include "unit/accounting/accountant_plans.hpp"

namespace dpmix::test {
namespace {

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

std::string described(const PlanPart& part) {
  constexpr const char* kNames[] = {"gaussian",         "laplace",
                                    "subsampled, with", "subsampled, without",
                                    "multi_gaussian",   "quasi_gaussian"};
  char text[120];
  std::snprintf(text, sizeof text, part.second > 0 ? "%lld × %s(%g, %g)" : "%lld × %s(%g)",
                static_cast<long long>(part.times), kNames[static_cast<int>(part.kind)], part.first,
                part.second);
  return text;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void print(int first, int last) {
  std::printf("| plan | delta | δ here / above | / below | ε here / there | losses | a total |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (int i = first; i <= last; ++i) {
    auto start = std::chrono::steady_clock::now();
    const LossComposition plan = composed(kPlans[i]);
    const double made = milliseconds_since(start);
    Range deltas, above, below, epsilons;
    int totals = 0;
    start = std::chrono::steady_clock::now();
    for (const PlanTotal& total : kPlanTotals) {
      if (total.plan != i) continue;
      const double delta = plan.delta(total.epsilon);
      deltas.add(total.above);
      above.add(delta / total.above);
      below.add(delta / total.below);
      epsilons.add(plan.epsilon(total.above) / total.epsilon);
      ++totals;
    }
    std::string name;
    for (const PlanPart& part : kPlans[i].parts) {
      if (part.times > 0) name += (name.empty() ? "" : ", ") + described(part);
    }
    std::printf("| %s | %.2g–%.2g | ≤ %.5f | ≥ %.7f | %.5f–%.5f | %.0f ms | %.0f ms |\n",
                name.c_str(), deltas.most, deltas.least, above.most, below.least, epsilons.least,
                epsilons.most, made, milliseconds_since(start) / (2 * totals));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace dpmix::test

int main(int count, char** arguments) {
  const bool some = count == 3;
  dpmix::test::print(
      some ? std::atoi(arguments[1]) : 0,
      some ? std::atoi(arguments[2]) : static_cast<int>(std::size(dpmix::test::kPlans)) - 1);
  return 0;
}
