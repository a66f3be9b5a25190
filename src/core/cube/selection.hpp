// Sums of cells of a table of grouping sets: coarser groups, and filters on keys.
//
// Enters: keys that some set has together and, for each of them, lists of its values, one or more.
// Leaves: for each choice of one list a key, the sum over the cells with these values, the first
// key slowest. The lists of a key are disjoint and, but for empty ones, of one length, so that all
// sums of cells have the same variance: SumReaches. Proof: docs/proofs/cube.md, Derived
// answers.
#pragma once

#include <span>
#include <vector>

#include "core/base/int128.hpp"
#include "core/cube/workload.hpp"

namespace dpmix {

struct CubeSelection {
  KeySet keys = 0;
  std::vector<std::vector<std::vector<int>>> lists;  // of each key, ascending

  // The most values of each key that a sum is over; 0: no list has any, and sums are 0 exactly.
  std::vector<int> lengths() const;
  double cells() const;  // the most cells that a sum is over
};

// table: of the selection's keys, as CubeLeastSquares::marginal() and whole_marginal() give it.
std::vector<double> selected_sums(const CubeWorkload& workload, const CubeSelection& selection,
                                  std::span<const double> table);
std::vector<Int128> selected_sums(const CubeWorkload& workload, const CubeSelection& selection,
                                  std::span<const Int128> table);

}  // namespace dpmix
