// Where to look for the components of unlabelled rows: all rows as one component, then a noisy
// histogram of the directions in which that is widest, and a mixture fitted to it.
//
// Enters: bounds, adjacency and a Gaussian-DP parameter mu, all public; then the exact statistics
// of four passes (docs/proofs/gmm_em.md). Leaves: components to start from, mu-GDP.
#pragma once

#include <vector>

#include "core/input/cell_grid.hpp"
#include "core/release/gmm_component.hpp"
#include "core/release/gmm_mechanism.hpp"

namespace dpmix {

class GmmStart {
 public:
  static constexpr int passes = 4;
  static constexpr double least_share = .15;  // of the start's mu^2, that a pass gets

  // mu: of all four passes. Error PV005 as box_frame.
  GmmStart(const GmmRequest& request, double mu);

  bool done() const { return pass_ == passes; }
  Pass next() const;
  void take(RandomStream& random, const PassStatistics& exact);
  // When done: at least one.
  const std::vector<GmmComponent>& components() const { return components_; }
  const MomentFrame& box() const { return box_; }

  // Of the next pass: deviations of soft moments, of each bin or cell; how far neighbours may move
  // them, in those deviations.
  const std::vector<MomentNoise>& noise() const { return soft_.noise; }
  double bin_noise() const;
  double pass_mu() const;

 private:
  void locate(const NoisyMoments& moments);
  void take_distances(RandomStream& random, const BinCounts& exact);
  void lay_grid();
  void take_cells(RandomStream& random, const BinCounts& exact);

  Adjacency adjacency_;
  double mu_;
  std::optional<int> wanted_;  // components
  MomentFrame box_;
  GmmComponent all_;
  SoftPass soft_;
  CellGrid grid_;
  std::vector<GmmComponent> components_;
  int pass_ = 0;
};

}  // namespace dpmix
