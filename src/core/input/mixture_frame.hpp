// Which components of a released mixture a row may belong to, and where it lies as seen from each.
//
// Enters: a MomentFrame with one class for each component, from which rows are placed; for each
// component the logarithm of a weight, a tightness, and the centre m_k and map V_k that densities
// are seen from, those of the frame unless others are given; all public or released before.
// Leaves, for each row x: integer vectors q_k as FramePlacer makes them, and integer shares
// w_k >= 0 with sum w_k <= whole: the posterior
//   p_k ~ exp(log_weight_k - tightness_k |V_k (x - m_k)|^2 / 2)
// in units of 1/whole, rounded down (hard: all of it for the largest p_k, the first of equals).
// Guaranteed, checked on the integers: sum w_k <= whole, sum q_ki^2 <= resolution^2.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/input/moment_frame.hpp"
#include "core/input/moment_frame_placer.hpp"

namespace dpmix {

struct MixtureFrame {
  static constexpr std::int64_t whole = 1 << 20;

  MomentFrame frame;
  bool hard = false;
  std::vector<double> log_weight, tightness;  // one for each component
  std::optional<MomentFrame> density;         // centres and maps of densities, as many; its box too

  // What follows the frame in a pass: hard, log weights, tightness, the frame of densities if any.
  std::vector<double> extra() const;
  // Reads frame and extra together. Error PV005 unless finite, of the right size, tightness >= 0.
  static MixtureFrame unpack(std::span<const double> packed);
};

// A view on memory that the caller keeps, as FramePlacer.
class MixturePlacer {
 public:
  static std::size_t memory_size(const MixtureFrame& frame);  // in doubles
  MixturePlacer() = default;
  MixturePlacer(const MixtureFrame& frame, double* memory);

  int components() const { return components_; }
  int inputs() const { return placer_.inputs(); }  // numbers in a row
  // shares: components() numbers. False when the row is missing.
  bool shares(const double* x, std::int64_t* shares) const;
  // Where a row that is not missing lies as seen from component k; q: FramePlacer::max_row.
  void place(int k, const double* x, std::int32_t* q) const { placer_.place(k, x, q); }
  // The most likely component; -1 when the row is missing.
  int most_likely(const double* x) const;

 private:
  // log_density: NULL or components() numbers. Returns the largest's number, -1 when missing.
  int densities(const double* x, double* log_density, double* most) const;

  FramePlacer placer_, density_;
  const double* log_weight_ = nullptr;
  const double* tightness_ = nullptr;  // halved, of squares in the lattice steps of density_
  int components_ = 0;
  bool hard_ = false;
};

}  // namespace dpmix
