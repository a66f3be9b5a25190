// Where the rows of each class are looked at from, before their moments are summed.
//
// Enters: public numbers, or numbers released before: for each class k a centre c_k, a whitening
// map W_k and a radius r_k; for each feature a box that makes +-Inf well defined (clamped to the
// box, then mapped). Leaves: for a row of class k the integer vector q of W_k (x - c_k), in units
// of r_k / resolution, clipped to its ball along the ray to the centre and rounded toward zero.
// Guaranteed, checked on the integers: sum q_i^2 <= resolution^2. Proof: docs/proofs/stats.md.
//
// A frame may look at rows through a projection: what the rest of it sees, box included, is then
// map (x - centre) of a row x with more features, once for all classes
// (docs/proofs/mixture_projected.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dpmix {

struct MomentFrame {
  static constexpr int max_features = 100, max_classes = 1000;
  static constexpr std::int64_t max_products = 1 << 20;  // classes * features * (features + 1) / 2
  static constexpr std::int64_t max_resolution = 1 << 20;

  struct Class {
    double radius = 1;              // of W (x - c)
    std::vector<double> centre;     // one per feature
    std::vector<double> whitening;  // W: row-major, or its diagonal
  };
  struct Projection {
    std::vector<double> lower, upper;  // a box again: x is clamped to it first; one per input
    std::vector<double> centre;        // one per input
    std::vector<double> map;           // features x inputs, row-major
  };
  int features = 0;
  bool diagonal = false;
  std::int64_t resolution = max_resolution;  // steps from the centre to the radius
  std::vector<double> lower, upper;          // the box, one per feature
  std::vector<Class> classes;
  std::optional<Projection> projection;  // from at least as many inputs as features

  // Numbers in a row, before the projection.
  int inputs() const;

  // One lattice step of class k, in units of W (x - c).
  double step(std::size_t k) const { return classes[k].radius / static_cast<double>(resolution); }

  // Throws Error PV005 unless shapes and sizes fit and everything is finite, also
  // |W| |x - c| over the box, so that no row of it can overflow.
  void check() const;

  // The frame as one array of doubles, the form in which a query carries it: version, classes,
  // features, diagonal, resolution, lower, upper, then radius, centre, whitening of each class.
  // Version 2, with a projection: inputs, lower, upper, centre and map of it come after resolution.
  // pack() and unpack() check.
  std::vector<double> pack() const;
  static MomentFrame unpack(std::span<const double> packed);
  // Reads a frame from the front of `packed`, which is left with the numbers that follow it.
  static MomentFrame unpack_front(std::span<const double>& packed);
};

}  // namespace dpmix
