#include "core/noise/partition_selection.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/refuse_parameter.hpp"
#include "core/noise/calibration.hpp"
#include "core/random/exact_coin.hpp"
#include "core/random/noisy.hpp"
#include "core/random/exact_exp.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

constexpr double kMostEpsilon = 1e7;
// Half of the width of the doubles that contain a probability.
constexpr double kDoubleError = 4e-12;

// Contains e^(-epsilon times).
Bracket power(double epsilon, std::uint64_t times, int places) {
  Bracket range = exp_minus(cpp_rational(epsilon) * cpp_int(times), places);
  range.high = std::min(range.high, cpp_int(1) << places);
  return range;
}

cpp_int ceiling(const cpp_int& numerator, const cpp_int& denominator) {
  return (numerator + denominator - 1) / denominator;
}

// A double above 0 as numerator / denominator.
struct Ratio {
  cpp_int numerator, denominator;
  explicit Ratio(double value) {
    const cpp_rational exact(value);
    numerator = boost::multiprecision::numerator(exact);
    denominator = boost::multiprecision::denominator(exact);
  }
};

}  // namespace

PartitionSelection::PartitionSelection(double epsilon, double delta)
    : epsilon_(epsilon), delta_(delta) {
  if (!(epsilon >= kLeastSelectionEpsilon && epsilon <= kMostEpsilon && delta >= kLeastDelta &&
        delta < 1)) {
    refuse_parameter("a group cannot be selected with this epsilon and delta",
                     "They are " + shortest(epsilon) + " and " + shortest(delta) +
                         "; epsilon must be 1e-9 to 1e7, delta 1e-300 or more and below 1.",
                     "Choose values in these ranges.");
  }
  guard_ = 64 + 2 * std::max(0, -std::ilogb(epsilon)) + 2 * std::max(0, -std::ilogb(delta));
  if (delta >= .5) return;  // d > pi*, and 1 - 2d <= 0: two units are sure

  // Doubles say nearly where, exact comparisons where.
  const long double s = epsilon, d = delta;
  turn_ = 1 + static_cast<std::uint64_t>(std::log1p((1 - d) / d * std::tanh(s / 2)) / s);
  while (turn_ > 1 && turned(turn_ - 1)) --turn_;
  while (!turned(turn_)) ++turn_;
  std::uint64_t more = std::max<std::uint64_t>(turn_ - 1, 1);
  while (!sure(more)) ++more;
  sure_from_ = turn_ + more;
}

// d (x^n - 1) / (x - 1) = d (1 - u^n) / (z (1 - u)), u = 1/x, z = u^(n-1); at most 1 is of use.
Bracket PartitionSelection::rising(std::uint64_t units, int places) const {
  const cpp_int one = cpp_int(1) << places;
  const Ratio d(delta_);
  if (units == 0) return {0, 0};
  if (units == 1) {
    return {d.numerator * one / d.denominator, ceiling(d.numerator * one, d.denominator)};
  }
  const Bracket u = power(epsilon_, 1, places), z = power(epsilon_, units - 1, places);
  const Bracket v = power(epsilon_, units, places);
  const cpp_int low =
      d.numerator * (one - v.high) * one * one / (z.high * (one - u.low) * d.denominator);
  if (low > one || z.low == 0 || u.high == one) {  // or too few digits to say more
    return {low < one ? low : one, one};
  }
  const cpp_int high =
      ceiling(d.numerator * (one - v.low) * one * one, z.low * (one - u.high) * d.denominator);
  return {low, high < one ? high : one};
}

// r(n) > (1 - d) u / (1 + u). Never equal, so some number of digits tells.
bool PartitionSelection::turned(std::uint64_t units) const {
  const Ratio d(delta_);
  const cpp_int rest = d.denominator - d.numerator;
  for (int places = 64 + guard_;; places *= 2) {
    const cpp_int one = cpp_int(1) << places;
    const Bracket p = rising(units, places), u = power(epsilon_, 1, places);
    if (p.low * d.denominator * (one + u.high) > rest * u.high * one) return true;
    if (p.high * d.denominator * (one + u.low) < rest * u.low * one) return false;
  }
}

// Never equal where d < 1/2.
bool PartitionSelection::sure(std::uint64_t more) const {
  for (int places = 64 + guard_;; places *= 2) {
    const cpp_int one = cpp_int(1) << places;
    const Bracket first = rising(turn_, places), second = rising(more, places);
    if (first.low + second.low >= one) return true;
    if (first.high + second.high < one) return false;
  }
}

// 1 - u^m (1 - r(n1) - r(m))
Bracket PartitionSelection::settling(std::uint64_t more, int places) const {
  const cpp_int one = cpp_int(1) << places;
  const Bracket first = rising(turn_, places), second = rising(more, places);
  const Bracket w = power(epsilon_, more, places);
  const cpp_int least = one - first.high - second.high, most = one - first.low - second.low;
  const cpp_int low = one - ceiling(w.high * most, one);
  if (least <= 0) return {low, one};
  return {low, one - (w.low * least >> places)};
}

Bracket PartitionSelection::enclose(std::uint64_t units, int bits) const {
  if (units >= sure_from_) return {cpp_int(1) << bits, cpp_int(1) << bits};
  const int places = bits + guard_;
  const Bracket p = units <= turn_ ? rising(units, places) : settling(units - turn_, places);
  return {p.low >> guard_, ceiling(p.high, cpp_int(1) << guard_)};
}

double PartitionSelection::probability(std::uint64_t units) const {
  if (units >= sure_from_) return 1;
  const long double s = epsilon_, d = delta_;
  const auto rising = [&](std::uint64_t n) -> long double {
    if (n <= 1) return static_cast<long double>(n) * d;
    // expm1(n s) / expm1(s) without the overflow of large exponents.
    const long double count = static_cast<long double>(n);
    return d * std::exp((count - 1) * s) * std::expm1(-count * s) / std::expm1(-s);
  };
  if (units <= turn_) return static_cast<double>(rising(units));
  const std::uint64_t more = units - turn_;
  const long double lacks =
      std::exp(-static_cast<long double>(more) * s) * (1 - rising(turn_) - rising(more));
  return static_cast<double>(std::clamp(1 - lacks, 0.0L, 1.0L));
}

std::uint64_t PartitionSelection::likely_from() const {
  std::uint64_t low = 0, high = sure_from_;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (probability(middle) >= .5 ? high : low) = middle;
  }
  return high;
}

bool PartitionSelection::keeps(RandomStream& random, std::uint64_t units) const {
#ifdef DPMIX_REPLAY
  if (replay::at_work()) {
    return replay::meet(replay::word("coin", {epsilon_, delta_}), {static_cast<Int128>(units)},
                        [&](RandomStream& fixed) {
                          return std::vector<Int128>{Int128{draws(fixed, units)}};
                        })
               .front() != 0;
  }
#endif
  return draws(random, units);
}

bool PartitionSelection::draws(RandomStream& random, std::uint64_t units) const {
  if (units == 0) return false;
  if (units >= sure_from_) return true;
  const double p = probability(units);
  return enclosed_coin(random, p - kDoubleError, p + kDoubleError,
                       [&](int bits) { return enclose(units, bits); });
}

}  // namespace dpmix
