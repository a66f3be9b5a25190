// Inverses of square matrices of any kind, by LU with partial pivots.
#pragma once

#include "core/algebra/matrix.hpp"

namespace dpmix {

struct Inverse {
  Matrix matrix;
  double log_determinant;  // log |det| of what was inverted
};
Inverse inverse_of(const Matrix& matrix);

}  // namespace dpmix
