#include "core/synthetic/published_theorem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr int kMostOrder = 1024;
constexpr int kWorseOrders = 8;  // in a row, and the search ends

// log(e^a + e^b)
long double log_sum(long double a, long double b) {
  const long double larger = std::max(a, b);
  return std::isinf(larger) ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// The theorem's B(n) = sum_i (-1)^i C(n,i) e^{i (i-1) c} loses all digits as it stands. It is
// E[(1 - e^z)^n], z = mu x - mu^2/2, x ~ N(0,1), mu^2 = 2c; for even n nothing cancels in that.
class EvenMoments {
 public:
  explicit EvenMoments(long double c) : mu_(std::sqrt(2 * c)) {}

  // log B(n), n even
  long double log_of(int n) {
    const auto i = static_cast<std::size_t>(n / 2);
    while (logs_.size() <= i) logs_.push_back(by_quadrature(static_cast<int>(2 * logs_.size())));
    return logs_[i];
  }

 private:
  long double log_integrand(int n, long double x) const {
    constexpr long double kLarge = 100;  // where e^z - 1 is e^z, which may be no number
    const long double z = mu_ * (x - mu_ / 2);
    return -x * x / 2 + n * (z > kLarge ? z : std::log(std::abs(std::expm1(z))));
  }

  // Trapezoidal rule with nodes mu/2 + k kStep, around the tops of the two lobes, x below and above
  // mu/2: the logarithm bends by at least 1 in each, by about 2 at most around its top.
  long double by_quadrature(int n) const {
    if (n == 0) return 0;
    poll();
    constexpr long double kFar = 12, kLogSqrtTwoPi = 0.91893853320467274178L;
    long double log_total = -std::numeric_limits<long double>::infinity();
    for (const int side : {-1, 1}) {
      const long double top = std::abs(mode(n, side) - mu_ / 2);
      const long double first = std::max(1.0L, std::floor((top - kFar) / kStep));
      // Counted in integers: far out, one more is no other long double.
      for (int k = 0; k * kStep <= 2 * kFar + kStep; ++k) {
        log_total = log_sum(log_total, log_integrand(n, mu_ / 2 + side * (first + k) * kStep));
      }
    }
    return log_total + std::log(kStep) - kLogSqrtTwoPi;
  }

  // Where a lobe is highest: x = n mu e^z / (e^z - 1), by bisection.
  long double mode(int n, int side) const {
    const auto rises = [&](long double x) {
      const long double z = mu_ * (x - mu_ / 2);
      return n * mu_ / -std::expm1(-z) > x;
    };
    long double near = mu_ / 2, far = mu_ / 2 + side * std::max(1.0L, mu_ / 2);
    while (rises(far) == (side > 0)) far = mu_ / 2 + 2 * (far - mu_ / 2);
    for (int i = 0; i < 64; ++i) {
      const long double middle = (near + far) / 2;
      (rises(middle) == (side > 0) ? near : far) = middle;
    }
    return near;
  }

  static constexpr long double kStep = 1 / 8.L;
  long double mu_;
  std::vector<long double> logs_ = {0};
};

}  // namespace

double published_cda_epsilon(const MixedRows& rows, double delta) {
  const auto mix = static_cast<long double>(rows.mix);
  const long double log_rate = std::log(mix / static_cast<long double>(rows.class_rows));
  const long double noise = mix * rows.scale, clip = rows.clip;
  const long double c = (2 * clip * clip + 1) / (noise * noise);  // epsilon(a) / a
  EvenMoments b(c);
  const long double e2 = 2 * c;
  // log min{4 (e^e2 - 1), 2 e^e2}
  const long double second =
      e2 < 1 ? std::log(std::min(4 * std::expm1(e2), 2 * std::exp(e2))) : std::log(2.L) + e2;
  const auto times = static_cast<long double>(rows.rows);
  const long double log_delta = std::log(static_cast<long double>(delta));
  double best = std::numeric_limits<double>::infinity();
  int worse = 0;
  std::vector<long double> g = {0, 0, 0};  // log p^j sqrt(B B)
  for (int order = 3; order <= kMostOrder && worse < kWorseOrders; ++order) {
    g.push_back(order * log_rate +
                (b.log_of(2 * (order / 2)) + b.log_of(2 * ((order + 1) / 2))) / 2);
    const long double all = std::lgamma(order + 1.L);
    const auto log_choose = [&](int j) {
      return all - std::lgamma(j + 1.L) - std::lgamma(order - j + 1.L);
    };
    long double log_sum_of_terms = 2 * log_rate + log_choose(2) + second;
    for (int j = 3; j <= order; ++j) {
      log_sum_of_terms =
          log_sum(log_sum_of_terms, std::log(4.L) + log_choose(j) + g[static_cast<std::size_t>(j)]);
    }
    const long double row = log_sum(0, log_sum_of_terms) / (order - 1);
    const auto epsilon = static_cast<double>(times * row - log_delta / (order - 1));
    worse = epsilon < best ? 0 : worse + 1;
    best = std::min(best, epsilon);
  }
  return best;
}

}  // namespace dpmix
