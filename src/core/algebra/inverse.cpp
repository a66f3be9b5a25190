#include "core/algebra/inverse.hpp"

#include <Eigen/LU>

#include "core/base/poll.hpp"

namespace dpmix {

Inverse inverse_of(const Matrix& matrix) {
  const Eigen::PartialPivLU<Matrix> lu(matrix);
  poll();
  return {lu.inverse(), lu.matrixLU().diagonal().array().abs().log().sum()};
}

}  // namespace dpmix
