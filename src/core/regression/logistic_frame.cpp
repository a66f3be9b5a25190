#include "core/regression/logistic_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr int cell_bits = 29;            // 2^-7 of a score in units of 2^-36
constexpr std::int64_t cells = 16 << 7;  // up to a score of 16
constexpr std::int64_t one = LogisticWeights::one;
constexpr double input_unit = 0x1p20;

// Probabilities of scores k / 128. By products alone, which are the same everywhere, as no
// library's exp() promises to be.
std::array<std::int64_t, cells + 2> make_table() {
  std::array<std::int64_t, cells + 2> table;
  double odds_against = 1;
  for (std::int64_t& p : table) {
    p = static_cast<std::int64_t>(static_cast<double>(one) / (1 + odds_against) + .5);
    odds_against *= 0.9922179382602435;  // exp(-1 / 128)
  }
  return table;
}

const auto table = make_table();

double inside(double x) {
  return x < -1 ? -1 : x > 1 ? 1 : x;
}

// Coefficients times coordinates in whole numbers, all below 2^53: exact in any order.
DPMIX_VECTORIZE double score_of(const double* b, const double* x, std::size_t stride) {
  Lanes sum = {};
  for (std::size_t at = 0; at < stride; at += lanes) {
    Lanes z = lanes_at(x + at);
    z = z < -1 ? Lanes{} - 1 : z;
    z = z > 1 ? Lanes{} + 1 : z;
    const IntLanes whole = __builtin_convertvector(z * input_unit, IntLanes);  // toward zero
    sum += lanes_at(b + at) * __builtin_convertvector(whole, Lanes);
  }
  double score = 0;
  for (std::size_t i = 0; i < lanes; ++i) score += sum[i];
  return score;
}

// q times a weight of at most one, toward zero: no row grows. The products are exact.
DPMIX_VECTORIZE void weigh(std::int32_t* q, double residual, double information, std::size_t stride,
                           std::int32_t* slope) {
  constexpr double unit = 1 / static_cast<double>(one);
  for (std::size_t at = 0; at < stride; at += lanes) {
    const Lanes exact = __builtin_convertvector(lanes_at(q + at), Lanes);
    lanes_at(slope + at) = __builtin_convertvector(exact * residual * unit, IntLanes);
    lanes_at(q + at) = __builtin_convertvector(exact * information * unit, IntLanes);
  }
}

}  // namespace

void LogisticFrame::check() const {
  seen.check();
  const std::size_t p = static_cast<std::size_t>(seen.features), classes = seen.classes.size();
  const bool fits =
      2 * classes <= MomentFrame::max_classes &&
      static_cast<double>(2 * classes * (p * (p + 1) / 2)) <= MomentFrame::max_products;
  const bool whole = std::all_of(coefficients.begin(), coefficients.end(), [](double b) {
    return std::fabs(b) <= most_units && b == std::floor(b);
  });
  if (!fits || !whole || seen.projection || coefficients.size() != classes * p) {
    refuse_parameter(
        "invalid frame of a logistic regression",
        "It has more than 500 classes or 2^20 second moments, or coefficients that are "
        "no whole numbers up to 2^26.",
        "Leave it to dpmix.release_regression.");
  }
}

std::vector<double> LogisticFrame::pack() const {
  std::vector<double> packed = seen.pack();
  packed.insert(packed.end(), coefficients.begin(), coefficients.end());
  return packed;
}

LogisticFrame LogisticFrame::unpack(std::span<const double> packed) {
  LogisticFrame frame;
  frame.seen = MomentFrame::unpack_front(packed);
  frame.coefficients.assign(packed.begin(), packed.end());
  frame.check();
  return frame;
}

LogisticWeights logistic_weights(double score) {
  const auto far = std::min(static_cast<std::int64_t>(std::fabs(score)), cells << cell_bits);
  const auto cell = static_cast<std::size_t>(far >> cell_bits);
  const std::int64_t within = far & ((std::int64_t{1} << cell_bits) - 1);
  std::int64_t p = table[cell] + ((table[cell + 1] - table[cell]) * within >> cell_bits);
  if (score < 0) p = one - p;
  // A square root is rounded correctly: no root of a whole number is rounded up to another.
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(4 * p * (one - p))));
  return {p, root};
}

std::size_t LogisticPlacer::memory_size(const LogisticFrame& frame) {
  const auto p = static_cast<std::size_t>(frame.seen.features);
  return FramePlacer::memory_size(frame.seen) + frame.seen.classes.size() * padded(p);
}

LogisticPlacer::LogisticPlacer(const LogisticFrame& frame, double* memory)
    : placer_(frame.seen, memory), coefficients_(memory + FramePlacer::memory_size(frame.seen)) {
  const auto p = static_cast<std::size_t>(frame.seen.features);
  double* to = memory + FramePlacer::memory_size(frame.seen);
  for (std::size_t k = 0; k < frame.seen.classes.size(); ++k, to += padded(p)) {
    std::fill_n(std::copy_n(frame.coefficients.begin() + static_cast<std::ptrdiff_t>(k * p), p, to),
                padded(p) - p, 0);
  }
}

bool LogisticPlacer::place(int k, const double* row, std::int32_t* slope,
                           std::int32_t* information) const {
  const auto p = static_cast<std::size_t>(inputs());
  const std::size_t stride = padded(p);
  alignas(64) double x[FramePlacer::max_row];
  x[0] = 1;
  std::fill(std::copy_n(row, p - 1, x + 1), x + stride, 0.0);
  const double y = inside(row[p - 1]);
  if (y != y || !placer_.place(k, x, information)) return false;
  const LogisticWeights weights =
      logistic_weights(score_of(coefficients_ + static_cast<std::size_t>(k) * stride, x, stride));
  const std::int64_t share = static_cast<std::int64_t>((y + 1) * static_cast<double>(one / 2));
  weigh(information, static_cast<double>(weights.probability - share),
        static_cast<double>(weights.information), stride, slope);
  return true;
}

}  // namespace dpmix
