// A mixture fitted to a noisy histogram, and how many components that asks for. Post-processing of
// noisy cells; docs/proofs/mixture_em.md ("Number of components").
#pragma once

#include <optional>
#include <vector>

#include "core/input/cell_grid.hpp"
#include "core/mixture/gaussian_mixture.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

struct NoisyCells {
  CellGrid grid;              // of one view
  std::vector<double> count;  // perhaps negative
  double noise;               // deviation of each
};

// Fits a mixture in the grid's coordinates, with as many features as it has axes. components: their
// number; nullopt to choose it.
GaussianMixture fit_cells(const NoisyCells& cells, std::optional<int> components,
                          RandomStream& random);

}  // namespace dpmix
