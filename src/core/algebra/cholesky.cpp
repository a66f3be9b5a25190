#include "core/algebra/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/poll.hpp"

namespace dpmix {

using Eigen::Index;

namespace {

// The factor of a small block, in place, column after column; false: it has none.
bool factor_block(Eigen::Ref<Matrix> a) {
  for (Index j = 0; j < a.cols(); ++j) {
    const Index rest = a.rows() - j - 1;
    const double square = a(j, j) - a.row(j).head(j).squaredNorm();
    if (!(square > 0)) return false;
    a(j, j) = std::sqrt(square);
    for (Index k = 0; k < j; ++k) a.col(j).tail(rest) -= a(j, k) * a.col(k).tail(rest);
    a.col(j).tail(rest) /= a(j, j);
  }
  return true;
}

// solve(columns) for blocks of columns of x.
template <class Solve>
Matrix in_columns(const Matrix& lower, Matrix x, Solve solve) {
  const Index block = polled_columns(lower.rows());
  for (Index first = 0; first < x.cols(); first += block) {
    solve(x.middleCols(first, std::min(block, x.cols() - first)));
    poll();
  }
  return x;
}

}  // namespace

std::optional<Matrix> cholesky(Matrix matrix) {
  const Index size = matrix.rows();
  constexpr Index block = 32;
  for (Index j = 0; j < size; j += block) {
    const Index n = std::min(block, size - j);
    auto columns = matrix.block(j, j, size - j, n);  // what is left of them, diagonal block first
    if (j > 0) {
      add_product(columns, -1, matrix.block(j, 0, size - j, j),
                  matrix.block(j, 0, n, j).transpose());
    }
    if (!factor_block(columns)) return std::nullopt;
    matrix.block(0, j, j, n).setZero();
    matrix.block(j, j, n, n).triangularView<Eigen::StrictlyUpper>().setZero();
    poll();
  }
  return matrix;
}

Matrix solve_lower(const Matrix& lower, Matrix x) {
  return in_columns(lower, std::move(x), [&](auto columns) {
    lower.triangularView<Eigen::Lower>().solveInPlace(columns);
  });
}

Matrix solve_transposed(const Matrix& lower, Matrix x) {
  return in_columns(lower, std::move(x), [&](auto columns) {
    lower.transpose().triangularView<Eigen::Upper>().solveInPlace(columns);
  });
}

Matrix inverse_of_lower(const Matrix& lower) {
  return solve_lower(lower, Matrix::Identity(lower.rows(), lower.cols()));
}

Matrix solve_cholesky(const Matrix& lower, Matrix b) {
  return solve_transposed(lower, solve_lower(lower, std::move(b)));
}

double log_determinant(const Matrix& lower) {
  return lower.diagonal().array().log().sum();
}

}  // namespace dpmix
