// What somebody with rows in several blocks is promised: less than a unit of one block
// (docs/proofs/blocks.md, "Many blocks of one person").
#pragma once

#include "core/accounting/accountant.hpp"

namespace dpmix {

struct BlockBudget {  // of each block
  double epsilon, delta;
  Accounting accounting;
};

// The least epsilon proved at the budget's delta, which is above 0, as long as all charges are of
// Gaussian noise alone. together: how many of the person's blocks one noisy number reads at most,
// 1 to blocks.
double epsilon_of_many_blocks(const BlockBudget& budget, int blocks, int together);

// Whatever the charges are: group privacy. delta may be 1 or more, which promises nothing.
struct ManyBlocks {
  double epsilon, delta;
};
ManyBlocks group_of_blocks(const BlockBudget& budget, int blocks);
// Where each release takes a person as a whole, as all do about a population: the budgets add up
// (docs/proofs/populations.md). Of Gaussian noise alone: epsilon_of_many_blocks(.., 1).
ManyBlocks sum_of_blocks(const BlockBudget& budget, int blocks);

}  // namespace dpmix
