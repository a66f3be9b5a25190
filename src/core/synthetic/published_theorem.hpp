// What Theorem 1 of Saha, Tonoy, Imtiaz, "DP-CDA" (2024), states for synthetic rows: for comparison
// only, NOT a guarantee. Nothing is charged by it. What is wrong with it, and how its formulas are
// read: docs/proofs/synthetic_epsilon.md.
#pragma once

#include "core/synthetic/dominating_pairs.hpp"

namespace dpmix {

// The epsilon for N = class_rows records and T = rows, both of one class; sigma_y infinite. Only
// class_rows, mix, rows, clip and scale count. Infinity where no order up to 1024 gives a number.
double published_cda_epsilon(const MixedRows& rows, double delta);

}  // namespace dpmix
