// Draws for the published mechanisms and their baselines, in doubles: good for comparison. A
// release adds exact noise to integers instead (core/random).
#pragma once

#include "core/algebra/matrix.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/random/stream.hpp"
#include "core/random/uniform.hpp"

namespace dpmix {

// Standard normals, rounded to 2^-32.
class NormalDraws {
 public:
  double operator()(RandomStream& random) const { return to_double(law_(random)) / steps; }
  Vector vector(RandomStream& random, Eigen::Index size) const {
    return Vector::NullaryExpr(size, [&] { return (*this)(random); });
  }
  Matrix matrix(RandomStream& random, Eigen::Index rows, Eigen::Index columns) const {
    return Matrix::NullaryExpr(rows, columns, [&] { return (*this)(random); });
  }

 private:
  static constexpr double steps = 0x1p32;
  RoundedNormal law_{steps};
};

}  // namespace dpmix
