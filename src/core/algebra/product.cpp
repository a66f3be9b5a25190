#include "core/algebra/product.hpp"

#include <algorithm>

#include "core/base/poll.hpp"

namespace dpmix {

using Eigen::Index;

Index polled_columns(Index rows, Index depth) {
  constexpr double operations_at_once = 5e7;  // some 10 ms
  const double one = static_cast<double>(rows) * static_cast<double>(depth);
  return static_cast<Index>(std::clamp(operations_at_once / std::max(one, 1.), 8., 256.));
}

Index polled_columns(Index size) {
  return polled_columns(size, size);
}

void add_product(Eigen::Ref<Matrix> c, double factor, const ConstBlock& a, const ConstBlock& b) {
  const Index block = polled_columns(a.rows(), a.cols());
  for (Index first = 0; first < b.cols(); first += block) {
    const Index count = std::min(block, b.cols() - first);
    c.middleCols(first, count).noalias() += factor * a * b.middleCols(first, count);
    poll();
  }
}

Matrix product(const ConstBlock& a, const ConstBlock& b) {
  Matrix c = Matrix::Zero(a.rows(), b.cols());
  add_product(c, 1, a, b);
  return c;
}

Matrix congruence(const ConstBlock& a, const ConstBlock& s) {
  return product(product(a, s), a.transpose());
}

Matrix diagonal_congruence(const ConstBlock& a, const Eigen::Ref<const Vector>& d) {
  return product(a * d.asDiagonal(), a.transpose());
}

}  // namespace dpmix
