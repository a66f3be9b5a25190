// Privacy audits of DP-CDA: what an attacker who knows every record but one can tell from the
// synthetic rows, compared with what was promised. docs/proofs/cda.md names these tests.
#include "core/release/cda.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace dpmix {
namespace {

constexpr double alarm = 5e-10;  // of each confidence bound: 1e-9 for a pair

// One class of `others` records in the middle of the bounds (they add nothing to a sum, so that
// nothing hides the target) and perhaps a target at either bound.
class Attack {
 public:
  // Of the others only `mixed` really go through the mixer: what they add is 0.
  Attack(CdaRequest request, std::int64_t others, std::int64_t mixed, double noise_factor)
      : plan_(plan_cda(request)), others_(others), mixed_(mixed), noise_factor_(noise_factor) {}

  // Runs the release on a table whose target lies at `with` (-1, 1, or 0: absent). Returns the
  // attacker's log likelihood ratio of `with` = 1 against `with` = -1 (replace) or 0 (add_remove).
  double score(RandomStream& random, int with) {
    const bool replace = plan_.asked.adjacency == Adjacency::replace;
    const std::int64_t count = noisy_class_count(random, plan_, others_ + (with != 0));
    const MixedClass& c = at_count(count);
    RowMixer mixer({&c, 1}, 1, 0, c.rows);
    const std::int64_t middle = 0, target = with * half_steps;
    for (std::int64_t i = 0; i < mixed_; ++i) mixer.add(random, 0, &middle);
    if (with != 0) mixer.add(random, 0, &target);

    const auto from = [&](std::int64_t n) { return static_cast<double>(std::abs(count - n)); };
    double ratio = replace ? 0 : plan_.count_epsilon * (from(others_) - from(others_ + 1));
    const double q = -std::expm1(-c.exponent), z2 = c.multiplier * c.multiplier;
    for (std::int64_t t = 0; t < c.rows; ++t) {
      double row = 0;
      mixer.finish(random, 0, t, &row);
      const double y = row * c.mix;
      const auto joined = [&](double at) {
        return std::log1p(q * std::expm1((2 * y * at - 1) / (2 * z2)));
      };
      ratio += joined(1) - (replace ? joined(-1) : 0);
    }
    return ratio;
  }

 private:
  const MixedClass& at_count(std::int64_t count) {
    auto [found, fresh] = classes_.try_emplace(count);
    if (fresh) {
      found->second = plan_classes(plan_, {&count, 1})[0];
      found->second.multiplier *= noise_factor_;
    }
    return found->second;
  }

  CdaPlan plan_;
  std::int64_t others_, mixed_;
  double noise_factor_;
  std::map<std::int64_t, MixedClass> classes_;
};

RandomStream::Key key(std::uint8_t first) {
  RandomStream::Key key{};
  key[0] = first;
  return key;
}

CdaRequest request(Adjacency adjacency) {
  return {.classes = 1,
          .features = 1,
          .rows = 20,
          .epsilon = 1,
          .delta = .01,
          .adjacency = adjacency,
          .accounting = {},
          .mix = 16,
          .demix = Demix::none};
}

// Whether runs on two neighbours prove P(S) > e^epsilon P'(S) + delta for S = {score > threshold}.
// For a release that keeps its promise it is true with probability at most 1e-9 a threshold.
bool breaks(const CdaRequest& r, double noise_factor, std::uint8_t seed) {
  using boost::math::binomial_distribution;
  constexpr int runs = 20'000;
  Attack attack(r, 100, 20, noise_factor);
  RandomStream random(key(seed));
  const int without = r.adjacency == Adjacency::replace ? -1 : 0;
  int hits = 0, false_hits = 0;
  for (int i = 0; i < runs; ++i) {
    hits += attack.score(random, 1) > r.epsilon;
    false_hits += attack.score(random, without) > r.epsilon;
  }
  const double low = binomial_distribution<>::find_lower_bound_on_p(runs, hits, alarm);
  const double high = binomial_distribution<>::find_upper_bound_on_p(runs, false_hits, alarm);
  return low > std::exp(r.epsilon) * high + r.delta;
}

TEST(CdaAudit, RowsKeepThePromise) {
  EXPECT_FALSE(breaks(request(Adjacency::add_remove), 1, 1));
  EXPECT_FALSE(breaks(request(Adjacency::replace), 1, 2));
}

TEST(CdaAudit, WouldSeeTooLittleNoise) {
  EXPECT_TRUE(breaks(request(Adjacency::add_remove), .5, 3));
  EXPECT_TRUE(breaks(request(Adjacency::replace), .5, 4));
}

// A class of 600 of 60 000 records, 6000 of 60 000 rows, each mixed from 64 records, at (10, 1e-5).
constexpr int class_records = 600, class_rows = 6000, mixed = 64;
constexpr double claimed_epsilon = 10, claimed_delta = 1e-5;

// E(1 - e^(epsilon - L))+ over runs with the target, L the exact log likelihood ratio, is the least
// delta; a run adds at most 1.
double excess(double ratio) {
  return std::max(0., -std::expm1(claimed_epsilon - ratio));
}

TEST(CdaAudit, PublishedCalibrationBreaks) {
  // Theorem 1 of the paper (without replacement, noise of this deviation on the mean of unit-norm
  // records) claims epsilon <= 10; the truth is 181.
  constexpr double sigma = .0236;
  constexpr double q = static_cast<double>(mixed) / (class_records + 1), shift = 2. / mixed;
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, sigma);
  std::bernoulli_distribution joins(q);
  constexpr int runs = 400;
  double least_delta = 0;
  for (int i = 0; i < runs; ++i) {
    double ratio = 0;
    for (int t = 0; t < class_rows; ++t) {  // others at one end of the ball, target at the other
      const double y = noise(random) + (joins(random) ? shift : 0);
      ratio += std::log1p(q * std::expm1(shift * (2 * y - shift) / (2 * sigma * sigma)));
    }
    least_delta += excess(ratio) / runs;
  }
  const double slack = std::sqrt(std::log(1 / alarm) / (2 * runs));  // Hoeffding
  EXPECT_GT(least_delta - slack, 1000 * claimed_delta);
}

TEST(CdaAudit, OursKeepsTheSamePromise) {
  CdaRequest r = request(Adjacency::add_remove);
  r.rows = class_rows;
  r.epsilon = claimed_epsilon;
  r.delta = claimed_delta;
  r.mix = mixed;
  Attack attack(r, class_records, 10, 1);
  RandomStream random(key(6));
  constexpr int runs = 1000;
  double sum = 0;
  for (int i = 0; i < runs; ++i) sum += excess(attack.score(random, 1));
  // Chernoff: terms in [0, 1] with mean at most 1e-5 reach 5 with probability < (e .01 / 5)^5.
  EXPECT_LT(sum, 5);
}

}  // namespace
}  // namespace dpmix
