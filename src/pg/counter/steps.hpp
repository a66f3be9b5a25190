// How the steps of a counter weigh blocks, and what they charge.
#pragma once

#include "core/counter/factorisation.hpp"
#include "pg/counter/plan.hpp"
#include "pg/release/terms.hpp"

namespace dpmix::pg {

// Blocks by weight, at the step that comes after these; those of equal weight together, the oldest
// first. Inside guard(): no more than `most_ages`.
struct BlockAges {
  int count;
  int64* from;    // the first block of each but the first
  int64* weight;  // weights in 64ths
};
int most_ages(const CounterFactorisation& counter);
BlockAges ages_after(const Counter* counter, const StoredSteps& steps);

// What a step is charged. blocks: those that enter.
Terms terms_of_step(const CounterPlan& plan, const CounterPrice& price, BlockRange* blocks);

}  // namespace dpmix::pg
