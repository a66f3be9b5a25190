#include "core/algebra/spectrum.hpp"

#include <Eigen/Householder>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/algebra/product.hpp"
#include "core/base/poll.hpp"

namespace dpmix {

using Eigen::Index;
using Eigen::Lower;

namespace {

// Householder's: on return the diagonal is that of a tridiagonal matrix, and each column below it
// holds a reflection 1 - weight v v', whose v begins with 1.
struct Reflections {
  Vector beside, weights;  // beside: what stands beside the diagonal
};

Reflections tridiagonalise(Matrix& matrix) {
  const Index size = matrix.rows();
  Reflections out{Vector(size - 1), Vector(size - 1)};
  for (Index i = 0; i + 1 < size; ++i) {
    const Index rest = size - i - 1;
    auto x = matrix.col(i).tail(rest);
    x.makeHouseholderInPlace(out.weights(i), out.beside(i));
    x(0) = 1;
    auto corner = matrix.bottomRightCorner(rest, rest);
    Vector h = corner.selfadjointView<Lower>() * (out.weights(i) * x);
    h -= out.weights(i) / 2 * h.dot(x) * x;
    corner.selfadjointView<Lower>().rankUpdate(x, h, -1);
    poll();
  }
  return out;
}

// What the reflections make of the vectors, a block of reflections at a time: their product is
// 1 - V T V' with T upper triangular (Bischof and Van Loan's, in the form of Schreiber's).
void reflect(const Matrix& matrix, const Vector& weights, Matrix& vectors) {
  constexpr Index block = 32;
  const Index many = weights.size();
  for (Index first = (many - 1) / block * block; first >= 0; first -= block) {
    const Index n = std::min(block, many - first), rest = many - first;
    Matrix v = matrix.block(first + 1, first, rest, n);
    v.triangularView<Eigen::StrictlyUpper>().setZero();
    const Matrix across = v.transpose(), inner = product(across, v);
    Matrix t = Matrix::Zero(n, n);
    for (Index j = 0; j < n; ++j) {
      const double weight = weights(first + j);
      t(j, j) = weight;
      t.col(j).head(j) = -weight * (t.topLeftCorner(j, j) * inner.col(j).head(j));
    }
    auto rows = vectors.bottomRows(rest);
    add_product(rows, -1, v, product(t, product(across, rows)));
  }
}

// A symmetric tridiagonal matrix, which QR steps make diagonal. The rotations wait, and turn the
// rows of the eigenvectors a panel at a time: those of many steps go over a panel while it is in
// the cache.
class TridiagonalQr {
 public:
  TridiagonalQr(Vector diagonal, Vector beside)
      : diagonal_(std::move(diagonal)),
        beside_(std::move(beside)),
        vectors_(Matrix::Identity(diagonal_.size(), diagonal_.size())) {}

  Spectrum solve() {
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

  // One step of QR on the block start .. end, where beside_ is nowhere 0; the shift is Wilkinson's.
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

  Vector diagonal_, beside_;
  Matrix vectors_;
  std::vector<Rotation> rotations_;
};

Spectrum ascending(const Spectrum& from) {
  std::vector<Index> order(static_cast<std::size_t>(from.values.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return from.values(a) < from.values(b); });
  return {from.values(order), from.vectors(Eigen::seqN(0, from.vectors.rows()), order)};
}

}  // namespace

Matrix Spectrum::with(const Vector& other) const {
  return diagonal_congruence(vectors, other);
}

Spectrum spectrum_of(Matrix matrix, bool diagonal) {
  const Index size = matrix.rows();
  if (diagonal) return {matrix.diagonal(), Matrix::Identity(size, size)};
  if (size == 0) return {};
  // Products of numbers near 1 neither overflow nor vanish.
  double scale = 0;
  for (Index j = 0; j < size; ++j) {
    scale = std::max(scale, matrix.col(j).tail(size - j).cwiseAbs().maxCoeff());
  }
  if (scale == 0) return {Vector::Zero(size), Matrix::Identity(size, size)};
  matrix.triangularView<Lower>() = matrix / scale;
  const Reflections reflections = tridiagonalise(matrix);
  Spectrum spectrum = TridiagonalQr(matrix.diagonal(), reflections.beside).solve();
  reflect(matrix, reflections.weights, spectrum.vectors);
  spectrum.values *= scale;
  return ascending(spectrum);
}

}  // namespace dpmix
