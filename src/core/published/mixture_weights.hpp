// The random mapping of mixture weights of the published mechanism: (15), (16), Proposition 2.
// For comparison only: it is not private. The probabilities of the table's own column do not sum to
// one, and tables that are neighbours map to different sets of outcomes
// (docs/proofs/published_gmm.md).
#pragma once

#include <vector>

#include "core/random/stream.hpp"

namespace dpmix {

struct PublishedWeights {
  // Numerators over the number of rows: the table's own, then those of S'(D), one label changed;
  // every class keeps a row.
  std::vector<std::vector<int>> outcome;
  std::vector<double> divergence;   // g_i of (13), less what does not depend on the outcome
  std::vector<double> probability;  // F'_{i,j*} of (27), as printed: does not sum to 1
  std::vector<double> elsewhere;    // F'_{i,j} of (28), for every j other than j*
};

// rows: of each class, at least 1. component_cost: what a unit of weight on each class adds to g.
PublishedWeights map_weights(const std::vector<int>& rows,
                             const std::vector<double>& component_cost, double epsilon);

// Draws with probability lambda any of the (N-1 over K-1) vectors of S, all alike; else an outcome,
// by its probability divided by their sum. Returns numerators.
std::vector<int> draw_weights(RandomStream& random, const PublishedWeights& weights, double lambda);

}  // namespace dpmix
