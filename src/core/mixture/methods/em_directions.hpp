// The directions along which to look for components. Rows are seen along each feature and along the
// widest principal directions; of those the ones are taken in which rows lie in separate heaps.
// Tables have clusters along features; whitened, those are hidden by whatever else varies.
//
// Enters: what was released of all rows together, then noisy counts along each candidate. Leaves:
// frames; post-processing throughout (docs/proofs/mixture_em.md, "Start"). Units: those of the box.
#pragma once

#include <span>

#include "core/algebra/matrix.hpp"
#include "core/input/cell_grid.hpp"
#include "core/mixture/methods/em_component.hpp"

namespace dpmix {

// A row each: candidate directions w, so scaled that w (x - centre) has about deviation 1 over all
// rows. At most 21, whatever the rows.
Matrix candidate_directions(const GmmComponent& all);

// Counts along each of them, a view each, one axis.
CellGrid views_along(const MomentFrame& box, const GmmComponent& all, const Matrix& directions);

// The one to `most` directions along which rows are farthest from one heap, the best first, without
// those that almost repeat another. counts: of view v at v * grid.side. noise: deviation of each.
Matrix telling_directions(const GmmComponent& all, const Matrix& directions,
                          std::span<const double> counts, double noise, int most);

// all, in axes whose first coordinates are those along the directions, and in which the others are
// what these do not explain.
GmmComponent seen_along(const GmmComponent& all, const Matrix& directions);

}  // namespace dpmix
