// Covariances, correlations and lines, and intervals around them, from noisy integers:
// post-processing, free of charge.
//
// Enters: of the rows that have both values the released count, the centred sums of x and of y,
// the sums of their centred squares, and the sum of the products of their distances from the
// middles; and the lattices of these. Leaves: PostgreSQL's covar_pop, corr, regr_slope and
// regr_intercept. Never NULL, NaN or infinite; a correlation is between -1 and 1, and 0 where a
// variance is not above 0, as the slope is. Of an empty group all but the intercept are 0.
// Nothing here reads data. Proof: docs/proofs/query_regression.md.
#pragma once

#include "core/base/int128.hpp"
#include "core/input/lattice.hpp"
#include "core/query/answers.hpp"

namespace dpmix {

// The lattice of x * y, where each is counted in steps of its own centred lattice. integral: both
// are whole.
Lattice product_lattice(const Lattice& x, const Lattice& y, bool integral);

struct PairColumn {
  Lattice centred;
  double lower, upper;
};
struct PairColumns {
  PairColumn x, y;
  Lattice products;
};
// What an answer does not ask for is not looked at.
struct PairTotals {
  Int128 count, x, y, x_squares, y_squares, products;
};
struct PairReach {  // of the noise of each, as noise_reach gives it for as many parts as are asked
  double count, x, y, x_squares, y_squares, products;
};

double covariance_answer(const PairColumns& of, const PairTotals& noisy);
double correlation_answer(const PairColumns& of, const PairTotals& noisy);
double slope_answer(const PairColumns& of, const PairTotals& noisy);      // of y over x
double intercept_answer(const PairColumns& of, const PairTotals& noisy);  // of y at x = 0

// What is possible where all statistics that are asked for stay within their reach, and the count
// is 1 at least. The ends of a slope or an intercept are infinite where x may have no variance.
NoiseInterval covariance_interval(const PairColumns& of, const PairTotals& noisy,
                                  const PairReach& reach);
NoiseInterval correlation_interval(const PairColumns& of, const PairTotals& noisy,
                                   const PairReach& reach);
NoiseInterval slope_interval(const PairColumns& of, const PairTotals& noisy,
                             const PairReach& reach);
NoiseInterval intercept_interval(const PairColumns& of, const PairTotals& noisy,
                                 const PairReach& reach);

}  // namespace dpmix
