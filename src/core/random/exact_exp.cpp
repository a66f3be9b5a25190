#include "core/random/exact_exp.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

cpp_int floor(const cpp_rational& x) {  // x >= 0
  return numerator(x) / denominator(x);
}

}  // namespace

cpp_rational exactly(const ExactRate& rate, UInt128 multiple) {
  cpp_rational x(rate.rate);  // a double converts exactly
  x *= cpp_int(rate.times) * multiple;
  x /= rate.divisor;
  return x;
}

Bracket exp_minus(const cpp_rational& x, int bits) {
  if (x == 0) return {cpp_int(1) << bits, cpp_int(1) << bits};
  if (x >= bits) return {0, 1};
  constexpr int guard = 32;
  const int places = bits + guard;
  // y = x / 2^halvings <= 1/16, rounded down to `places` binary digits.
  int halvings = 0;
  for (cpp_int whole = floor(x * 16); whole > 0; whole >>= 1) ++halvings;
  const cpp_int y = floor(x * cpp_rational(cpp_int(1) << places, cpp_int(1) << halvings));
  // The alternating series. Each term falls short by less than 2 units, the rest by as much.
  cpp_int sum = 0, term = cpp_int(1) << places;
  int terms = 0;
  while (term != 0) {
    if (terms % 2 == 0) {
      sum += term;
    } else {
      sum -= term;
    }
    ++terms;
    term = (term * y >> places) / terms;
  }
  const int error = 2 * (terms + 1);
  Bracket power{sum - error - 1, sum + error};  // 1 more below: y was rounded down
  for (; halvings > 0; --halvings) {
    power.low = power.low * power.low >> places;
    power.high = (power.high * power.high >> places) + 1;
  }
  return {power.low >> guard, (power.high >> guard) + 1};
}

bool is_below_exp(RandomStream& random, LazyUniform& u, const cpp_rational& x) {
  if (x == 0) return true;
  for (;; u.reveal(random)) {
    constexpr int more = 64;
    const Bracket p = exp_minus(x, u.bits + more);
    if ((u.value + 1) << more <= p.low) return true;
    if (u.value << more >= p.high) return false;
  }
}

}  // namespace dpmix
