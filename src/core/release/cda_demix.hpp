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
#include <span>

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

// What a class's rows were made with, and what they turned out to be.
struct MixedMoments {
  std::int64_t rows = 0;
  double mix = 1, rate = 1, noise = 0;  // noise: deviation a coordinate, in half widths
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;  // lower triangle
};
MixedMoments moments_of(const RowMoments& rows, double mix, double rate, double noise);

// The linear part A of row -> mean + A (row - mean). Several classes share one map: their
// covariances are pooled, each class keeping its own mean.
Eigen::MatrixXd demixing_map(std::span<const MixedMoments> classes);

}  // namespace dpmix
