// Demixing: gives synthetic rows back the spread that averaging took from their class.
//
// Enters: released synthetic rows of a class, in half widths, and the public numbers they were made
// with. Leaves: an affine map of rows. Post-processing: costs no privacy, reads no record
// (docs/proofs/synthetic_demix.md).
//
// A row is (1/mix) * (sum of records that each join with probability `rate`) + noise. With m and S
// the mean and the covariance of the class, rows have mean m (as far as the noisy count is right)
// and covariance a S + B, where a = (1 - rate)/mix and B = a m m' + noise^2 I is what they would
// have if the records did not differ. Where B looks like I, directions that stand out of it (by the
// edge of a Wishart's spectrum) are stretched to the spread of the records; what the rows' spread
// exceeds B by in the others together is shared out evenly there.
#pragma once

#include <cstdint>

#include "core/algebra/matrix.hpp"
#include "core/synthetic/class_mixing.hpp"

namespace dpmix {

// The most coordinates: demixing holds five d x d matrices of doubles, 170 MB at the most.
constexpr int most_demixed = 2048;

// How the rows of a class were made; noise: deviation of a coordinate, in half widths.
struct Mixing {
  double mix, rate, noise;
};
Mixing mixing_of(const MixedClass& mixed);

// Mean and scatter of rows, summed in blocks.
class RowMoments {
 public:
  explicit RowMoments(int features);
  void add(const double* row);
  void flush();  // after the last row

  std::int64_t rows = 0;
  Vector sum;
  Matrix squares;  // lower triangle

 private:
  static constexpr int block = 64;
  Matrix pending_;
  int waiting_ = 0;
};

// The spread of the rows of one class, or of several pooled, each about its own mean and in units
// of its own noise.
class MixedSpread {
 public:
  explicit MixedSpread(int features);
  // rows: all of a class, flushed. Returns their mean.
  Vector add(const RowMoments& rows, const Mixing& mixing);

 private:
  friend class Demixing;
  // A class whose records all join every row tells nothing; nor does a single row.
  double freedom_ = 0;                  // degrees of, of the covariance
  double records_ = 0, precision_ = 0;  // sums over them of a / noise^2 and 1 / noise^2
  Matrix covariance_, unspread_;        // sums of C / noise^2 and B / noise^2; lower triangles
};

// What the rows tell about the records' common covariance. Maps are the linear part A of
// row -> mean + A (row - mean); where the rows told nothing, A is 1.
class Demixing {
 public:
  explicit Demixing(MixedSpread spread);
  // The map for the one class that was added: mapped rows have the estimated covariance exactly.
  Matrix map() const;
  // The map for a class with this mean: from the covariance that rows made so have to the records'.
  Matrix map(const Mixing& mixing, const Vector& mean) const;

 private:
  Eigen::Index size_;
  double signal_, precision_;  // means of a / noise^2, 0: nothing was told, and of 1 / noise^2
  Vector mixed_;               // eigenvalues of L^-1 C L'^-1, where B = LL'
  Vector records_;             // of L^-1 S L'^-1
  Matrix there_, back_;        // L'^-1 V and L V: to the eigenvectors V and back
};

}  // namespace dpmix
