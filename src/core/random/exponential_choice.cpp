#include "core/random/exponential_choice.hpp"

#include <algorithm>

#include "core/base/refuse_parameter.hpp"
#include "core/random/bernoulli_exp.hpp"
#include "core/random/noisy.hpp"

namespace dpmix {

namespace {

std::size_t draw(RandomStream& random, std::span<const std::int64_t> scores,
                 const ExactRate& rate) {
  const auto best = static_cast<std::uint64_t>(std::ranges::max(scores));
  for (;;) {
    const std::uint64_t i = random.below(scores.size());
    // Modulo 2^64, where every difference fits.
    if (bernoulli_exp(random, rate, best - static_cast<std::uint64_t>(scores[i]))) return i;
  }
}

}  // namespace

std::size_t exponential_choice(RandomStream& random, std::span<const std::int64_t> scores,
                               const ExactRate& rate) {
  if (scores.empty()) {
    refuse_parameter("nothing to choose from", "There are no candidates.",
                     "Pass at least one candidate.");
  }
#ifdef DPMIX_REPLAY
  if (replay::at_work()) {
    return static_cast<std::size_t>(
        replay::meet(replay::word("exponential", {rate.approximate()}),
                     {scores.begin(), scores.end()},
                     [&](RandomStream& fixed) {
                       return std::vector<Int128>{static_cast<Int128>(draw(fixed, scores, rate))};
                     })
            .front());
  }
#endif
  return draw(random, scores, rate);
}

}  // namespace dpmix
