#include "core/base/polled_algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Householder>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/base/poll.hpp"

namespace dpmix {

using Eigen::Index;
using Eigen::Lower;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double operations_at_once = 5e7;  // a product's, some 10 ms

// body(first, count) for blocks of columns.
template <class Body>
void in_columns(Index size, Index columns, Body body) {
  const Index block = polled_columns(size);
  for (Index first = 0; first < columns; first += block) {
    body(first, std::min(block, columns - first));
    poll();
  }
}

}  // namespace

Index polled_columns(Index size) {
  const double d = static_cast<double>(std::max<Index>(size, 1));
  return static_cast<Index>(std::clamp(operations_at_once / (d * d), 8., 256.));
}

MatrixXd polled_product(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd product(a.rows(), b.cols());
  in_columns(a.rows(), b.cols(), [&](Index first, Index count) {
    product.middleCols(first, count).noalias() = a * b.middleCols(first, count);
  });
  return product;
}

void polled_cholesky(MatrixXd& matrix) {
  const Index size = matrix.rows();
  constexpr Index block = 32;
  for (Index j = 0; j < size; j += block) {
    const Index n = std::min(block, size - j), rest = size - j - n;
    auto corner = matrix.block(j, j, n, n);
    auto below = matrix.block(j + n, j, rest, n);
    const auto left = matrix.block(j, 0, n, j);
    corner.noalias() -= left * left.transpose();
    below.noalias() -= matrix.block(j + n, 0, rest, j) * left.transpose();
    const Eigen::LLT<MatrixXd> root(corner);
    if (root.info() != Eigen::Success) throw std::logic_error("matrix is not positive definite");
    corner = root.matrixL();
    root.matrixU().solveInPlace<Eigen::OnTheRight>(below);
    matrix.block(0, j, j, n).setZero();
    poll();
  }
}

void polled_solve(const MatrixXd& lower, MatrixXd& x) {
  in_columns(lower.rows(), x.cols(), [&](Index first, Index count) {
    auto columns = x.middleCols(first, count);
    lower.triangularView<Lower>().solveInPlace(columns);
  });
}

void polled_solve_transposed(const MatrixXd& lower, MatrixXd& x) {
  in_columns(lower.rows(), x.cols(), [&](Index first, Index count) {
    auto columns = x.middleCols(first, count);
    lower.transpose().triangularView<Eigen::Upper>().solveInPlace(columns);
  });
}

namespace {

// A symmetric tridiagonal matrix, which QR steps make diagonal. The rotations wait, and turn the
// rows of the eigenvectors a panel at a time: those of many steps go over a panel while it is in
// the cache.
class TridiagonalQr {
 public:
  TridiagonalQr(VectorXd diagonal, VectorXd beside)
      : diagonal_(std::move(diagonal)),
        beside_(std::move(beside)),
        vectors_(MatrixXd::Identity(diagonal_.size(), diagonal_.size())) {}

  PolledEigen solve() {
    Index end = diagonal_.size() - 1;
    std::int64_t steps = 0;
    while (end > 0) {
      for (Index k = 0; k < end; ++k) {
        const double scale = std::abs(diagonal_(k)) + std::abs(diagonal_(k + 1));
        if (std::abs(beside_(k)) <= std::numeric_limits<double>::epsilon() * scale) beside_(k) = 0;
      }
      while (end > 0 && beside_(end - 1) == 0) --end;
      if (end == 0) break;
      Index start = end - 1;
      while (start > 0 && beside_(start - 1) != 0) --start;
      if (++steps > 60 * diagonal_.size()) throw std::logic_error("QR steps do not converge");
      step(start, end);
      if (static_cast<Index>(rotations_.size()) > 32 * diagonal_.size()) rotate();
    }
    rotate();
    return {std::move(diagonal_), std::move(vectors_)};
  }

 private:
  struct Rotation {
    Index column;  // and the next
    double cosine, sine;
  };

  // Of the block start .. end, none of whose beside_ is 0; the shift is Wilkinson's.
  void step(Index start, Index end) {
    const double last = beside_(end - 1), half = (diagonal_(end - 1) - diagonal_(end)) / 2;
    const double shift =
        diagonal_(end) - last * (last / (half + std::copysign(std::hypot(half, last), half)));
    double x = diagonal_(start) - shift, z = beside_(start);
    for (Index k = start; k < end; ++k) {
      const double r = std::hypot(x, z);
      if (r == 0) return;  // the block has come apart here
      const double c = x / r, s = z / r;
      if (k > start) beside_(k - 1) = r;
      const double a = diagonal_(k), b = beside_(k), g = diagonal_(k + 1);
      diagonal_(k) = c * (c * a + s * b) + s * (c * b + s * g);
      diagonal_(k + 1) = s * (s * a - c * b) - c * (s * b - c * g);
      beside_(k) = c * s * (g - a) + (c - s) * (c + s) * b;
      rotations_.push_back({k, c, s});
      if (k + 1 == end) break;
      x = beside_(k);
      z = s * beside_(k + 1);
      beside_(k + 1) *= c;
    }
    poll();
  }

  void rotate() {
    constexpr int rows = 32;
    Eigen::Matrix<double, rows, Eigen::Dynamic> panel(rows, vectors_.cols());
    for (Index first = 0; first < vectors_.rows(); first += rows) {
      const Index count = std::min<Index>(rows, vectors_.rows() - first);
      if (count < rows) panel.setZero();
      panel.topRows(count) = vectors_.middleRows(first, count);
      for (const Rotation& r : rotations_) {
        const Eigen::Matrix<double, rows, 1> left = panel.col(r.column);
        auto right = panel.col(r.column + 1);
        panel.col(r.column) = r.cosine * left + r.sine * right;
        right = r.cosine * right - r.sine * left;
      }
      vectors_.middleRows(first, count) = panel.topRows(count);
      poll();
    }
    rotations_.clear();
  }

  VectorXd diagonal_, beside_;
  MatrixXd vectors_;
  std::vector<Rotation> rotations_;
};

}  // namespace

PolledEigen polled_eigen(MatrixXd matrix) {
  const Index size = matrix.rows();
  if (size == 0) return {};
  // Of numbers near 1, products neither overflow nor vanish.
  double scale = 0;
  for (Index j = 0; j < size; ++j) {
    scale = std::max(scale, matrix.col(j).tail(size - j).cwiseAbs().maxCoeff());
  }
  if (scale == 0) return {VectorXd::Zero(size), MatrixXd::Identity(size, size)};
  matrix.triangularView<Lower>() = matrix / scale;

  VectorXd beside(size - 1), weights(size - 1);
  for (Index i = 0; i + 1 < size; ++i) {
    const Index rest = size - i - 1;
    auto x = matrix.col(i).tail(rest);
    x.makeHouseholderInPlace(weights(i), beside(i));
    x(0) = 1;
    auto corner = matrix.bottomRightCorner(rest, rest);
    VectorXd h = corner.selfadjointView<Lower>() * (weights(i) * x);
    h -= weights(i) / 2 * h.dot(x) * x;
    corner.selfadjointView<Lower>().rankUpdate(x, h, -1);
    poll();
  }
  PolledEigen eigen = TridiagonalQr(matrix.diagonal(), beside).solve();
  const auto reflections =
      Eigen::householderSequence(matrix, weights).setLength(size - 1).setShift(1);
  in_columns(size, size, [&](Index first, Index count) {
    auto columns = eigen.vectors.middleCols(first, count);
    columns.applyOnTheLeft(reflections);
  });
  eigen.values *= scale;
  return eigen;
}

}  // namespace dpmix
