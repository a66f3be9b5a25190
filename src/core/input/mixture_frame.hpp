// Which components of a released mixture a row may belong to, and where it lies as seen from each.
//
// Enters: a MomentFrame with one class for each component, and for each component the logarithm of
// a weight and how tight it is, as a whole or along each coordinate of W (x - c); all public or
// released before. Leaves, for each row x: integer vectors q_k as FramePlacer makes them, and
// integer shares w_k >= 0 with sum w_k <= whole: the posterior
//   p_k ~ exp(log_weight_k - sum_i tightness_ki (W_k (x - c_k))_i^2 / 2)
// in units of 1/whole, rounded down (hard: all of it for the largest p_k, the first of equals).
// Guaranteed, checked on the integers: sum w_k <= whole, sum q_ki^2 <= resolution^2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/input/frame.hpp"
#include "core/input/frame_placer.hpp"

namespace dpmix {

struct MixtureFrame {
  static constexpr std::int64_t whole = 1 << 20;

  MomentFrame frame;
  bool hard = false;
  std::vector<double> log_weight;  // one for each component
  std::vector<double> tightness;   // one for each component, or for each of its features

  // What follows the frame in a pass: hard, log weights, tightness.
  std::vector<double> extra() const;
  // From frame and extra together. Error PV005 unless finite, of the right size, tightness >= 0.
  static MixtureFrame unpack(std::span<const double> packed);
};

// A view on memory that the caller keeps, as FramePlacer.
class MixturePlacer {
 public:
  static std::size_t memory_size(const MixtureFrame& frame);  // in doubles
  MixturePlacer() = default;
  MixturePlacer(const MixtureFrame& frame, double* memory);

  int components() const { return components_; }
  // shares: components() numbers. False when the row is missing.
  bool shares(const double* x, std::int64_t* shares) const;
  // Where a row that is not missing lies as seen from component k; q: FramePlacer::max_row.
  void place(int k, const double* x, std::int32_t* q) const { placer_.place(k, x, q); }
  // The most likely component; -1 when the row is missing.
  int most_likely(const double* x) const;

 private:
  // log_density: NULL or components() numbers. Returns the largest's number, -1 when missing.
  int densities(const double* x, double* log_density, double* most) const;

  FramePlacer placer_;
  const double* log_weight_ = nullptr;
  const double* tightness_ = nullptr;  // halved, of a placed row's squares, in lattice steps
  std::size_t stride_ = 0;
  int components_ = 0;
  bool hard_ = false;
};

}  // namespace dpmix
