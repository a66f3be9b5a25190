// The private statistics of a comparison: what noise makes one table's counts mu-Gaussian-DP, and
// how far measures made of them are off.
//
// Enters: columns, adjacency and mu, all public; then exact integers of the protected table.
// Leaves: each of them plus rounded Gaussian noise, mu-GDP as a whole (docs/proofs/comparison.md).
#pragma once

#include <vector>

#include "core/base/adjacency.hpp"
#include "core/comparison/class_gaussians.hpp"
#include "core/comparison/measures.hpp"
#include "core/comparison/pair_tables.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

// Deviations, in lattice units. 0: not released with noise, being public under this adjacency or
// not there at all.
struct ComparisonNoise {
  double tested = 0;   // of right and wrong each
  double balance = 0;  // of each count of the label's marginal
  double cell = 0;     // of each count of the other marginals
  MomentNoise moments{};
  PairNoise pairs;
};

// Shares of mu^2: 5 for all tables of columns and pairs together, 4 for what the classifiers get
// right, halved where there are two, 3 for the moments, 2 for all marginals together, 1 for the
// class counts; those of parts that there are not go to the others. Under adjacency label only
// the classifiers, the class counts and the tables with the label look at what is private. Error
// PV005 when nothing is asked. mu > 0.
ComparisonNoise plan_comparison(const ComparedColumns& columns, Adjacency adjacency, double mu);

// rows stays unknown. Error PV005 unless the counts are of these columns and marginals.
TableStatistics add_noise(RandomStream& random, const TableCounts& exact,
                          const ComparedColumns& columns, const std::vector<Marginal>& marginals,
                          const ComparisonNoise& noise);

// Error PV005 unless the counts are of these columns' tables.
PairStatistics add_pair_noise(RandomStream& random, const BinCounts& exact,
                              const ComparedColumns& columns, const PairNoise& noise);

// A bound for each measure of compare_tables(), which its error because of noise keeps within in 95
// of 100 releases or more: the distance of the measure from itself under fresh noise, as simulated
// from a fixed key. An estimate, not proved. `model`: what scores rows where there is no label.
std::vector<double> error_bounds(const ComparedColumns& columns,
                                 const std::vector<Marginal>& marginals,
                                 const TableStatistics& noisy, const ComparisonNoise& noise,
                                 const GaussianModel* model);

}  // namespace dpmix
