#include "core/random/normal_point.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <vector>

#include "core/random/rounded_normal.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

// One number at one deviation is what the sampler of integers makes of the same words.
TEST(NormalPoint, AloneIsRoundedAsTheSamplerDoes) {
  for (const double sigma : {.3, 3.731, 1e6 / 7, 1e15 / 3}) {
    for (std::uint8_t key = 0; key < 200; ++key) {
      RandomStream one({key}), other({key});
      NormalPoint point = normal_point(one);
      const NormalTerm term = {sigma, &point};
      ASSERT_TRUE(rounded_sum(one, {&term, 1}) == rounded_normal(other, sigma)) << sigma;
    }
  }
}

cpp_int floor(const cpp_rational& x) {
  const cpp_int quotient = numerator(x) / denominator(x);
  return x < 0 && quotient * denominator(x) != numerator(x) ? cpp_int(quotient - 1) : quotient;
}

cpp_int drawn(RandomStream& random, const std::vector<NormalTerm>& terms) {
  return cpp_int(rounded_sum(random, terms));
}

// Roundings of several sums of the same numbers are of the same real numbers: each number is known
// to 2^-90 from its multiple by 2^90, and then every sum must be that of the numbers, rounded. Also
// with digits so short that no rounding is decided by the first ones.
TEST(NormalPoint, SumsAreExact) {
  const cpp_rational half(1, 2);
  int compared = 0;
  for (const int digit_bits : {64, 1}) {
    for (std::uint8_t key = 0; key < 200; ++key) {
      RandomStream random({key, static_cast<std::uint8_t>(digit_bits)});
      std::vector<NormalPoint> point;
      for (int i = 0; i < 3; ++i) point.push_back(normal_point(random, digit_bits));
      for (const double size : {3.731, .25, 1., 1e6 / 7, 1e15 / 3, 0x1p70}) {
        const std::vector<NormalTerm> terms = {
            {size, &point[0]}, {size * .7, &point[1]}, {size / 3, &point[2]}};
        const cpp_int sum = drawn(random, terms);
        cpp_rational low = half, high = half;
        for (const NormalTerm& term : terms) {
          const cpp_int bracket = drawn(random, {{0x1p90, term.point}});
          const cpp_int unit = cpp_int(1) << 91;
          low += cpp_rational(term.coefficient) * cpp_rational(2 * bracket - 1, unit);
          high += cpp_rational(term.coefficient) * cpp_rational(2 * bracket + 1, unit);
        }
        ASSERT_LE(floor(low), sum);
        ASSERT_GE(floor(high), sum);
        compared += floor(low) == floor(high);
      }
    }
  }
  EXPECT_GT(compared, 2395);
}

}  // namespace
}  // namespace dpmix
