#include "pg/counter/steps.hpp"

#include "pg/border/guard.hpp"

namespace dpmix::pg {

int most_ages(const CounterFactorisation& counter) {
  int count = 1;
  for (int age = 1; age < counter.steps(); age++) {
    count += counter.weight(age) != counter.weight(age - 1);
  }
  return count;
}

BlockAges ages_after(const Counter* counter, const StoredSteps& steps) {
  BlockAges ages = {0, (int64*)palloc(sizeof(int64) * (steps.count + 1)),
                    (int64*)palloc(sizeof(int64) * (steps.count + 1))};
  guard([&] {
    const CounterFactorisation weights(counter->steps);
    for (int step = 0; step <= steps.count; step++) {
      const int64 weight = weights.weight(steps.count - step);
      if (ages.count > 0 && ages.weight[ages.count - 1] == weight) continue;
      if (ages.count > 0) ages.from[ages.count - 1] = steps.through[step - 1] + 1;
      ages.weight[ages.count++] = weight;
    }
  });
  return ages;
}

Terms terms_of_step(const CounterPlan& plan, const CounterPrice& price, BlockRange* blocks) {
  Terms terms = {.kind = "counter",
                 .table = plan.table,
                 .blocks = {1, blocks},
                 .epsilon = price.plan.epsilon,
                 .delta = price.plan.delta};
  if (price.plan.has_own) terms.own = price.plan.own;
  return terms;
}

}  // namespace dpmix::pg
