#include "core/random/bernoulli_exp.hpp"

#include <cmath>

#include "core/base/refuse_parameter.hpp"
#include "core/random/exact_exp.hpp"

namespace dpmix {

bool bernoulli_exp(RandomStream& random, const ExactRate& rate, UInt128 multiple, double slack) {
  if (!(rate.rate >= 0) || std::isinf(rate.rate) || rate.divisor == 0) {
    refuse_parameter("rate of an exponential coin out of range",
                     "The rate must be finite and not negative, its divisor at least 1.",
                     "Pass a valid epsilon and sensitivity.");
  }
  if (rate.rate == 0 || rate.times == 0 || multiple == 0) return true;
  const std::uint64_t word = random.next64();
  const double p = std::exp(-rate.approximate() * static_cast<double>(multiple)) * 0x1p64;
  const double low = p * (1 - slack), high = p * (1 + slack);
  if (word < static_cast<std::uint64_t>(low)) return true;
  if (high < 0x1p64 && word > static_cast<std::uint64_t>(high)) return false;
  LazyUniform u{word, 64};
  return is_below_exp(random, u, exactly(rate, multiple));
}

}  // namespace dpmix
