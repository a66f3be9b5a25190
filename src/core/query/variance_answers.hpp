// Variances and standard deviations, and intervals around them, from noisy integers:
// post-processing, free of charge.
//
// Enters: the released count, centred sum and sum of centred squares of a cell, and the centred
// lattice they were summed on. Leaves: the population variance (divided by the count: PostgreSQL's
// var_pop, stddev_pop), in squared units of the column, or its root. Between 0 and the square of
// half of the bounds' range, which no variance within the bounds exceeds; never NULL, NaN or
// infinite. An empty group gives half of that square, the middle of what squares can be.
// Nothing here reads data. Proof: docs/proofs/query.md.
#pragma once

#include "core/base/int128.hpp"
#include "core/input/lattice.hpp"
#include "core/query/answers.hpp"

namespace dpmix {

struct SpreadCells {
  Int128 count, sum, squares;
};
struct SpreadReach {  // of the noise of each, as noise_reach gives it for 3 parts
  double count, sum, squares;
};

double variance_answer(const Lattice& centred, const SpreadCells& noisy);
double stddev_answer(const Lattice& centred, const SpreadCells& noisy);

// The variance as a share of the largest there is, from 0 to 1: of both, reach_of is the root.
double variance_share(const Lattice& centred, const SpreadCells& noisy);
NoiseInterval variance_share_interval(const Lattice& centred, const SpreadCells& noisy,
                                      const SpreadReach& reach);
// Half of the bounds' range, in units of the column; and a step of the squares, which are counted
// from half of its square, as a share of that square.
double reach_of(const Lattice& centred);
double square_unit(const Lattice& centred);

// What is possible where all three statistics stay within their reach, and the count is 1 at least.
NoiseInterval variance_interval(const Lattice& centred, const SpreadCells& noisy,
                                const SpreadReach& reach);
NoiseInterval stddev_interval(const Lattice& centred, const SpreadCells& noisy,
                              const SpreadReach& reach);

}  // namespace dpmix
