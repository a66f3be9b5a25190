// Where to look for the components of unlabelled rows: all rows as one component, then noisy
// histograms along single directions, one of the directions that tell most, and a mixture fitted.
//
// Enters: bounds, adjacency and a Gaussian-DP parameter mu, all public; then the exact statistics
// of four passes, with more than two features five (docs/proofs/mixture_em.md). Leaves: components
// to start from, mu-GDP.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/input/cell_grid.hpp"
#include "core/mixture/methods/em_component.hpp"
#include "core/mixture/methods/method.hpp"

namespace dpmix {

class GmmStart {
 public:
  static constexpr double least_share = .12;  // of the start's mu^2, that a pass gets

  // mu: of all passes. Error PV005 as box_frame.
  GmmStart(const GmmRequest& request, double mu);

  bool done() const { return pass_ == std::ssize(shares_); }
  Pass next() const;
  void take(RandomStream& random, const PassStatistics& exact);
  // When done: at least one.
  const std::vector<GmmComponent>& components() const { return components_; }
  const MomentFrame& box() const { return box_; }

  // The noise of the next pass: deviations for soft moments and for each bin or cell; pass_mu():
  // how far neighbours may move them, in those deviations.
  const std::vector<MomentNoise>& noise() const { return soft_.noise; }
  double bin_noise() const;
  double pass_mu() const;

 private:
  void locate(const NoisyMoments& moments);
  void take_distances(RandomStream& random, const BinCounts& exact);
  std::vector<double> noisy_cells(RandomStream& random, const BinCounts& exact) const;
  void choose_axes(const std::vector<double>& cells);
  void lay_grid();
  void take_cells(RandomStream& random, const std::vector<double>& cells);

  Adjacency adjacency_;
  double mu_;
  std::optional<int> wanted_;  // components
  MomentFrame box_;
  std::span<const double> shares_;  // of mu^2, pass by pass
  GmmComponent all_;
  SoftPass soft_;
  CellGrid grid_;
  std::vector<GmmComponent> components_;
  int axes_ = 1;  // of the grid
  int pass_ = 0;
};

}  // namespace dpmix
