// What the release of a copula costs, and how its budget is shared: columns first, then how their
// ranks go together. Known before any row is read.
//
// Enters: public numbers. Leaves: the noise of single columns and the Gaussian-DP parameter of the
// mixture of scores; both together mu-GDP, mu being that of (epsilon, delta), and what the release
// adds to a table's accounts. Proof: docs/proofs/copula.md.
#pragma once

#include "core/mixture/methods/method.hpp"
#include "core/tree_model/plan.hpp"

namespace dpmix {

struct CopulaPlan {
  double mu;  // of the release
  TreePlan columns;
  GmmRequest scores;
  Cost own;  // in what the table's accountant adds up
};

// Error PV005 as plan_tree(), and more classes and columns than a mixture takes.
CopulaPlan plan_copula(const TreeRequest& request, int classes);

}  // namespace dpmix
