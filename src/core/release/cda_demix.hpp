// Demixing: gives synthetic rows back the spread that averaging took from their class.
//
// Enters: released synthetic rows of a class, in half widths, and the public numbers they were made
// with. Leaves: an affine map of rows. Post-processing: costs no privacy, reads no record.
//
// A row is (1/mix) * (sum of records that each join with probability `rate`) + noise. With m and S
// the mean and the covariance of the class, rows have mean m (as far as the noisy count is right)
// and covariance C = (1 - rate)/mix * (S + m m') + noise^2 I. Directions of C that stand out of
// the noise (by the edge of a Wishart's spectrum) are mapped so that the covariance of the mapped
// rows is S there; the others hold nothing but noise and are projected onto the mean.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace dpmix {

// Mean and scatter of rows, summed in blocks.
class RowMoments {
 public:
  explicit RowMoments(int features);
  void add(const double* row);
  void flush();  // after the last row

  std::int64_t rows = 0;
  Eigen::VectorXd sum;
  Eigen::MatrixXd squares;  // lower triangle

 private:
  static constexpr int block = 64;
  Eigen::MatrixXd pending_;
  int waiting_ = 0;
};

// The spread of one class's rows, or that of several pooled, each class about its own mean.
class MixedSpread {
 public:
  explicit MixedSpread(int features);
  // Classes whose records all join every row (rate 1) have no spread left to tell.
  // rows: all of a class, flushed; noise: deviation a coordinate, in half widths. Returns their
  // mean.
  Eigen::VectorXd add(const RowMoments& rows, double mix, double rate, double noise);
  // The linear part A of row -> mean + A (row - mean).
  Eigen::MatrixXd demixing_map() const;

 private:
  double rows_ = 0;
  // Sums over rows:
  double noise_ = 0;                    // of noise^2
  double stretch_ = 0;                  // of (1 - rate) / mix
  Eigen::MatrixXd covariance_, means_;  // of C and m m'; lower triangles
};

}  // namespace dpmix
