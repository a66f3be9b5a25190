#include "core/published/covering_ellipsoid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

using Eigen::ArrayXd, Eigen::Index;

[[noreturn]] void refuse(const char* detail) {
  refuse_parameter("no ellipsoid covers the shifts", detail,
                   "Leave out features that are constant or sums of others.");
}

// The program in its scale-free form, max 2 tr M(w)^(1/2) - sum w over w >= 0. Its gradient is
// q_n - 1 with q_n = u_n^T M^(-1/2) u_n; at the optimum q_n <= 1, with equality where w_n > 0, and
// M^(1/2) is the ellipsoid sought.
class Program {
 public:
  explicit Program(Matrix points) : points_(std::move(points)) {}

  Index size() const { return points_.rows(); }
  const Matrix& points() const { return points_; }

  // False: M is numerically singular.
  bool set(const ArrayXd& w) {
    spectrum_ = spectrum_of(diagonal_congruence(points_.transpose(), w.matrix()));
    const Vector& values = spectrum_.values;
    if (!(values[0] > 1e-14 * values[values.size() - 1])) return false;
    roots_ = values.cwiseSqrt();
    q_ = squares(points_);
    return true;
  }
  // u^T M^(-1/2) u of other points.
  ArrayXd squares(const Matrix& points) const {
    const Matrix scaled = spectrum_.vectors * roots_.cwiseSqrt().cwiseInverse().asDiagonal();
    return product(points, scaled).rowwise().squaredNorm().array();
  }
  const ArrayXd& q() const { return q_; }
  double trace_root() const { return roots_.sum(); }
  Matrix root() const { return spectrum_.with(roots_); }
  // F with dq = -F F^T dw.
  Matrix features() const {
    const Matrix z = product(points_, spectrum_.vectors);
    const Index d = z.cols();
    Matrix f(z.rows(), d * (d + 1) / 2);
    Index at = 0;
    for (Index i = 0; i < d; ++i) {
      for (Index j = i; j < d; ++j, ++at) {
        const double scale =
            std::sqrt((i == j ? 1 : 2) / (roots_[i] * roots_[j] * (roots_[i] + roots_[j])));
        f.col(at) = z.col(i).cwiseProduct(z.col(j)) * scale;
      }
    }
    return f;
  }

 private:
  Matrix points_;
  Spectrum spectrum_;
  Vector roots_;
  ArrayXd q_;
};

// (F F^T + diag)^-1 right, by whichever system is smaller; nullopt where doubles do not solve it.
std::optional<Vector> solve(const Matrix& f, const ArrayXd& diagonal, const ArrayXd& right) {
  const bool by_rows = f.rows() <= f.cols();
  // Both systems are scaled so that the diagonal is 1.
  const Vector scale = diagonal.sqrt().inverse();
  const Matrix scaled = scale.asDiagonal() * f;
  Matrix system =
      by_rows ? product(scaled, scaled.transpose()) : product(scaled.transpose(), scaled);
  system.diagonal().array() += 1;
  const auto root = cholesky(std::move(system));
  if (!root) return std::nullopt;
  const Vector from = scale.cwiseProduct(right.matrix());
  const Vector solution = by_rows
                              ? Vector(solve_cholesky(*root, from))
                              : from - scaled * solve_cholesky(*root, scaled.transpose() * from);
  return scale.cwiseProduct(solution);
}

double longest_step(const ArrayXd& x, const ArrayXd& dx) {
  double step = 1;
  for (Index i = 0; i < x.size(); ++i) {
    if (dx[i] < 0) step = std::min(step, -.95 * x[i] / dx[i]);
  }
  return step;
}

// Improves w > 0 until the program's own gap is below the tolerance. Leaves the program at w.
void interior_point(Program& program, ArrayXd& w, double tolerance) {
  program.set(w);
  ArrayXd s = (1 - program.q()).max(.05);
  const auto residual = [&](const ArrayXd& w_at, const ArrayXd& s_at, double mu) {
    return std::sqrt((w_at * (1 - program.q() - s_at)).square().sum() +
                     (w_at * s_at - mu).square().sum());
  };
  for (int round = 0; round < 60; ++round) {
    poll();
    const double mu = .1 * (w * s).mean();
    const double before = residual(w, s, mu);
    const Matrix f = program.features();
    const auto solved = solve(f, s / w, mu / w - (1 - program.q()));
    if (!solved) break;
    const ArrayXd dw = solved->array();
    const ArrayXd ds = 1 - program.q() - s + (f * (f.transpose() * dw.matrix())).array();
    double step = std::min(longest_step(w, dw), longest_step(s, ds));
    // The residual is allowed to grow a little: the weights in it move along.
    while (step > 1e-10 && !(program.set(w + step * dw) &&
                             residual(w + step * dw, s + step * ds, mu) <= 1.5 * before)) {
      step /= 2;
    }
    if (step <= 1e-10) break;
    w += step * dw;
    s += step * ds;
    const double excess = program.q().maxCoeff() - 1;
    if (std::abs(w.sum() / program.trace_root() - 1) + std::max(excess, 0.) < tolerance) break;
  }
  program.set(w);
}

std::vector<Index> largest(const ArrayXd& q, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(q.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + std::min<std::ptrdiff_t>(count, q.size());
  std::partial_sort(order.begin(), end, order.end(), [&](Index a, Index b) { return q[a] > q[b]; });
  order.erase(end, order.end());
  return order;
}

// The scale at which 2 tr M^(1/2) - sum w is greatest; there it is tr M^(1/2).
double best_scale(const Program& program, const ArrayXd& w) {
  const double ratio = program.trace_root() / w.sum();
  return ratio * ratio;
}

struct Certified {
  Matrix cover;
  double gap;
};

Certified certify(const Program& program, const ArrayXd& w, const Matrix& all) {
  const double scale = best_scale(program, w);
  const double most = program.squares(all).maxCoeff() / std::sqrt(scale);
  // Outwards, by more than the roundings of q.
  const double factor = std::sqrt(scale) * most * (1 + 1e-12);
  return {program.root() * factor, most * (1 + 1e-12) - 1};
}

}  // namespace

CoveringEllipsoid least_ellipsoid(const Matrix& shifts, const Matrix& cost, double tolerance) {
  const Index d = shifts.cols();
  const auto root = cholesky(cost);
  if (!root) refuse("The cost is not positive definite.");
  const Matrix& lower = *root;
  Matrix u = product(shifts, lower);
  const double size = shifts.rows() == 0 ? 0 : u.rowwise().norm().maxCoeff();
  if (!(size > 0 && std::isfinite(size))) refuse("There is no shift.");
  u /= size;

  Program whole(u);
  ArrayXd w = ArrayXd::Constant(u.rows(), 1. / static_cast<double>(u.rows()));
  if (!whole.set(w)) refuse("The shifts do not span the space.");
  for (int round = 0; round < 8; ++round) {
    w *= whole.q() / (w * whole.q()).sum();
    if (!whole.set(w)) refuse("The shifts do not span the space.");
  }
  Certified best = certify(whole, w, u);

  std::vector<Index> chosen = largest(whole.q(), std::max<Index>(6 * d, 12));
  const auto pick = [&](const ArrayXd& from) {
    ArrayXd out(static_cast<Index>(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) out[static_cast<Index>(i)] = from[chosen[i]];
    return out;
  };
  for (int round = 0; round < 100 && best.gap > tolerance; ++round) {
    poll();
    Matrix points(static_cast<Index>(chosen.size()), d);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      points.row(static_cast<Index>(i)) = u.row(chosen[i]);
    }
    Program program(points);
    ArrayXd part = pick(w);
    part = part.max(1e-2 * part.mean());
    if (!program.set(part)) {  // too few of them: take more
      chosen = largest(whole.q(), 2 * static_cast<Index>(chosen.size()));
      continue;
    }
    part *= best_scale(program, part);
    interior_point(program, part, tolerance / 4);

    const Certified now = certify(program, part, u);
    if (now.gap < best.gap) best = now;
    // Who is outside of the best of these joins.
    const ArrayXd q = program.squares(u);
    const double inside = pick(q).maxCoeff() * (1 + tolerance / 8);
    w.setZero();
    for (std::size_t i = 0; i < chosen.size(); ++i) w[chosen[i]] = part[static_cast<Index>(i)];
    const std::size_t before = chosen.size();
    for (const Index n : largest(q, 4 * d + 4)) {
      if (q[n] > inside && w[n] == 0) chosen.push_back(n);
    }
    if (chosen.size() == before) break;
  }

  // Back: X = L^-T Y L^-1.
  const Matrix half = solve_transposed(lower, best.cover);
  Matrix x = solve_transposed(lower, half.transpose()) * (size * size);
  x = (x + x.transpose()).eval() / 2;
  return {x, best.cover.trace() * size * size, best.gap};
}

}  // namespace dpmix
