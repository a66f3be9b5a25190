#include "core/noise/steps/draw.hpp"

#include <cmath>
#include <cstdint>

#include "core/random/bernoulli_exp.hpp"
#include "core/random/exact_coin.hpp"
#include "core/random/geometric.hpp"

namespace dpmix {
namespace {

using boost::multiprecision::cpp_int;

// A double > 0 as significand * 2^exponent.
struct Dyadic {
  std::uint64_t significand;
  int exponent;

  explicit Dyadic(double value) {
    significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    exponent -= 53;
  }
};

// Landings have the mass R (1 + b)/(1 - b), R = 2 half_width + 1, b = e^-fall; dips 2 C dip
// b/(1 - b), C = period - R. The share of the landings falls with b.
Bracket enclose_landings(const StepLaw& law, int bits) {
  const auto width = static_cast<std::uint64_t>(2 * law.half_width + 1);
  const auto between = static_cast<std::uint64_t>(law.period) - width;
  const Dyadic dip(law.dip);
  const int places = bits + 64;  // where dips are wide the share is steep in b
  const Bracket b = exp_minus(law.fall, places);
  const auto share = [&](const cpp_int& at, int rounding) -> cpp_int {
    cpp_int landings = ((cpp_int(1) << places) + at) * width;
    cpp_int dips = at * 2 * between * dip.significand;
    (dip.exponent < 0 ? landings : dips) <<= std::abs(dip.exponent);
    const cpp_int all = landings + dips;
    return ((landings << bits) + rounding * (all - 1)) / all;
  };
  return {share(b.high, 0), share(b.low, 1)};
}

bool on_landing(RandomStream& random, const StepLaw& law, double slack) {
  const double width = 2 * law.half_width + 1, between = law.period - width;
  if (between == 0) return true;
  const double dips = 2 * (between / width) * std::exp(std::log(law.dip) - law.fall);
  const double share = 1 / (1 + dips / (1 + std::exp(-law.fall)));
  return enclosed_coin(random, share - slack, share + slack,
                       [&](int bits) { return enclose_landings(law, bits); });
}

Int128 below(RandomStream& random, UInt128 bound) {
  if (bound >> 64 == 0) return random.below(static_cast<std::uint64_t>(bound));
  int bits = 64;
  while (bits < 128 && bound >> bits != 0) ++bits;
  for (;;) {
    UInt128 word = random.next64();
    word = (word << 64 | random.next64()) >> (128 - bits);
    if (word < bound) return static_cast<Int128>(word);
  }
}

// Draws from the law without its atom, cutoff and edge.
Int128 endless(RandomStream& random, const StepLaw& law, double slack) {
  const auto period = static_cast<Int128>(law.period);
  const auto half_width = static_cast<Int128>(law.half_width);
  const auto width = static_cast<std::uint64_t>(2 * half_width + 1);
  if (on_landing(random, law, slack)) {
    const Int128 level = two_sided_geometric(random, {law.fall});
    return level * period + static_cast<Int128>(random.below(width)) - half_width;
  }
  const auto level = static_cast<Int128>(geometric(random, {law.fall}));
  const auto between = static_cast<std::uint64_t>(law.period) - width;
  const Int128 k = level * period + half_width + 1 + static_cast<Int128>(random.below(between));
  return random.bit() ? k : -k;
}

// The same where nearly all of it lies beyond the cutoff: of -cutoff..cutoff every cell is as
// likely, and kept in proportion to its weight, which is at least e^-1 but for the dips.
Int128 flat(RandomStream& random, const StepLaw& law) {
  const auto period = static_cast<Int128>(law.period), cutoff = static_cast<Int128>(law.cutoff);
  const auto half_width = static_cast<Int128>(law.half_width);
  for (;;) {
    const Int128 k = below(random, 2 * static_cast<UInt128>(cutoff) + 1) - cutoff;
    const Int128 distance = k < 0 ? -k : k, level = distance / period;
    const Int128 place = distance - level * period;
    const bool dip = place > half_width && place < period - half_width;
    const Int128 stairs = level + (place > half_width ? 1 : 0);
    if (!bernoulli_exp(random, {law.fall}, static_cast<UInt128>(stairs))) continue;
    if (law.dip <= 1) {
      if (!dip || bernoulli(random, law.dip)) return k;
    } else {
      // Weights over dip: 1 for the dips, 1/dip for the landings. dip <= e^fall <= e.
      const Dyadic depth(law.dip);
      if (dip || random.below(depth.significand) < std::uint64_t{1} << -depth.exponent) return k;
    }
  }
}

}  // namespace

Int128 draw_step(RandomStream& random, const StepLaw& law, double slack) {
  check_step_law(law);
  if (bernoulli(random, law.atom)) return 0;
  const bool cut = !std::isinf(law.cutoff);
  const auto cutoff = static_cast<Int128>(cut ? law.cutoff : 0);
  const bool nearly_flat = cut && law.fall * (law.cutoff / law.period + 1) <= 1;
  for (;;) {
    const Int128 k = nearly_flat ? flat(random, law) : endless(random, law, slack);
    if (!cut) return k;
    const Int128 distance = k < 0 ? -k : k;
    if (distance < cutoff || (distance == cutoff && bernoulli(random, law.edge))) return k;
  }
}

}  // namespace dpmix
