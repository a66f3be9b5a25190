// How many units are weighed down, released beside a query's answers: 1% of its mu^2 is for that.
//
// Enters: mu of the release, and how many lists of rows have weights that may be below 1. Leaves:
// what of mu its statistics have, and the noise of the numbers, one for each list: a unit moves
// each of them by at most 1. Together they are mu-GDP, as they were. Proof:
// docs/proofs/query_units.md.
#pragma once

#include "core/noise/law.hpp"

namespace dpmix {

double mu_beside_bounded(double mu, int lists);  // lists 0: all of it
NoiseLaw bounded_law(double mu, int lists);

}  // namespace dpmix
