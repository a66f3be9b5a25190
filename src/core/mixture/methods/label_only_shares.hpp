// Which labels the rows of public clusters have, from noisy counts. Post-processing.
// Source: docs/proofs/mixture_label_only.md ("Labels of clusters").
#pragma once

#include "core/algebra/matrix.hpp"

namespace dpmix {

// counts: noisy, one row for each label, one column for each cluster; noise: the deviation of each.
// rows: of each cluster, public. Leaves the part of each cluster's rows that has each label;
// columns sum to 1, or less where the counts say beyond their noise that rows lack a label.
Matrix label_shares(const Matrix& counts, double noise, const Vector& rows);

}  // namespace dpmix
