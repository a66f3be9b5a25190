// A Gaussian copula for each class: single columns as they were released, and how their ranks go
// together.
//
// Enters: released columns, and a mixture of their normal scores. Leaves: the scores of the codes,
// by which rows are seen once columns are released, and correlations of the normal numbers behind
// them. All of it is post-processing.
#pragma once

#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/mixture/gaussian_mixture.hpp"
#include "core/stats/code_scores.hpp"
#include "core/tree_model/model.hpp"

namespace dpmix {

struct CopulaModel {
  TreeModel columns;                // without pairs
  std::vector<Matrix> correlation;  // of each class, positive definite
};

// The codes of each column from low ranks to high ones: numbers ascend; categories, which have no
// order, go as their shares of the classes do (the first axis of a correspondence analysis).
std::vector<std::vector<int>> rank_orders(const TreeModel& columns);

// The score of each code: the mean of a normal number whose rank in the class is one of the code's.
CodeScores scores_of(const TreeModel& columns);

// scores: a component for each class.
CopulaModel copula_of(TreeModel columns, const GaussianMixture& scores);

}  // namespace dpmix
