// How far neighbours move a sum over weighed rows.
//
// Enters: as for shift_of(). Leaves: the same in units of a row that counts in full: by L1,
// whatever groups the rows are in, and never less by L2. Proof: docs/proofs/query_units.md,
// "Weights".
#pragma once

#include "core/query/contribution.hpp"

namespace dpmix {

StatisticShift weighed_shift(const Lattice& lattice, Adjacency adjacency, const Contribution& unit,
                             const StatisticCells& cells);

}  // namespace dpmix
