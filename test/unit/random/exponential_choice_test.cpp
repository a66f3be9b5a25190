#include "core/random/exponential_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/int128.hpp"

namespace dpmix {
namespace {

using Scores = std::vector<std::int64_t>;
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// What the words alone make of a try: its index, and whether e^-x with 50 digits keeps it.
class Replay {
 public:
  explicit Replay(const RandomStream::Key& key) : words_(key) {}

  std::size_t choose(const Scores& scores, const Wide& rate) {
    const Int128 best = std::ranges::max(scores);
    for (;;) {
      ++tries;
      const std::size_t i = words_.below(scores.size());
      const Int128 behind = best - scores[i];
      if (behind == 0 || rate == 0) return i;
      const Wide kept = exp(-rate * Wide(static_cast<std::uint64_t>(behind)));
      if (Wide(words_.next64()) < ldexp(kept, 64)) return i;
    }
  }
  std::uint64_t next64() { return words_.next64(); }

  std::uint64_t tries = 0;

 private:
  RandomStream words_;
};

struct Case {
  Scores scores;
  ExactRate rate;
  Wide exact_rate;
};

const Case cases[] = {
    {{0, 1, 2, 3, 4, 5, 6}, {.5}, .5},
    {{-3, 12, -7, 12, 0}, {.1, 1, 3}, Wide(.1) / 3},
    {{most, 0, least, -1}, {1, 1, std::uint64_t{1} << 63}, 0x1p-63},
    {{least, least + 3, least + 1}, {1e-3, 700, 1}, Wide(1e-3) * 700},
    {{0, -1'000'000'000, -2, -40, 0}, {.07}, .07},
    {{5, 3, most - 7, most}, {0}, 0},
};

TEST(ExponentialChoice, FollowsItsWords) {
  RandomStream random({1});
  Replay replay({1});
  for (const Case& c : cases) {
    for (int draw = 0; draw < 3000; ++draw) {
      ASSERT_EQ(exponential_choice(random, c.scores, c.rate),
                replay.choose(c.scores, c.exact_rate));
    }
    ASSERT_EQ(random.next64(), replay.next64());
  }
}

// The worst case for the tries: one good candidate among many.
TEST(ExponentialChoice, TriesAtMostAsOftenAsThereAreCandidates) {
  constexpr std::size_t candidates = 100;
  constexpr int draws = 3000;
  Scores scores(candidates, -1000);
  scores[37] = 0;
  RandomStream random({2});
  Replay replay({2});
  for (int draw = 0; draw < draws; ++draw) {
    EXPECT_EQ(exponential_choice(random, scores, {1}), 37U);
    replay.choose(scores, 1);
  }
  ASSERT_EQ(random.next64(), replay.next64());
  // Each number of tries is geometric, with a deviation as large as its mean.
  const double mean = candidates;
  EXPECT_NEAR(static_cast<double>(replay.tries), draws * mean, 7 * std::sqrt(draws) * mean);
}

TEST(ExponentialChoice, OnlyDifferencesCount) {
  const Scores scores = {4, 0, 9, 7};
  for (const std::int64_t shift : {std::int64_t{-100}, least, most - 9}) {
    Scores shifted = scores;
    for (std::int64_t& score : shifted) score += shift;
    RandomStream random({3}), same({3});
    for (int draw = 0; draw < 500; ++draw) {
      ASSERT_EQ(exponential_choice(random, scores, {.2}), exponential_choice(same, shifted, {.2}));
    }
  }
}

// Not even the whole of 64 bits apart, where a difference in 64 bits would be small or negative.
TEST(ExponentialChoice, NeverTakesWhatIsFarBehind) {
  RandomStream random({4});
  for (int draw = 0; draw < 1000; ++draw) {
    EXPECT_EQ(exponential_choice(random, Scores{least, most, least + 1}, {1}), 1U);
    EXPECT_EQ(exponential_choice(random, Scores{least}, {1}), 0U);
  }
}

TEST(ExponentialChoice, RefusesWhatIsNoChoice) {
  RandomStream random({5});
  EXPECT_THROW(exponential_choice(random, Scores{}, {1}), Error);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const ExactRate& rate :
       {ExactRate{-1}, ExactRate{std::nan("")}, ExactRate{infinity}, ExactRate{1, 1, 0}}) {
    EXPECT_THROW(exponential_choice(random, Scores{1, 2}, rate), Error);
    EXPECT_THROW(exponential_choice(random, Scores{1}, rate), Error);
  }
}

}  // namespace
}  // namespace dpmix
