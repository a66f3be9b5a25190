// Privacy audits of DP-CDA: what an attacker who knows every record but one can tell from the
// synthetic rows, compared with what was promised. docs/proofs/synthetic.md names these tests.
#include "core/synthetic/row_mixer.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "core/input/record_code.hpp"
#include "core/synthetic/class_mixing.hpp"

namespace dpmix {
namespace {

constexpr double alarm = 5e-10;  // of each confidence bound: 1e-9 for a pair

// Classes of `others` records each in the middle of the bounds (they add nothing to a sum, so that
// nothing hides the target), and a target: under add_remove at the upper bound of class 0 or
// absent, under replace at either bound of it, under label at the upper bound of class 0 or of
// class 1.
class Attack {
 public:
  // Of the others only `mixed` really go through the mixer: what they add is 0.
  Attack(CdaRequest request, std::int64_t others, std::int64_t mixed, double noise_factor)
      : plan_(plan_cda(request)), others_(others), mixed_(mixed), noise_factor_(noise_factor) {}

  // Runs the release on the first of the neighbours or on the second. Returns the attacker's log
  // likelihood ratio of the first against the second.
  double score(RandomStream& random, bool first) {
    std::vector<std::int64_t> noisy;
    double ratio = 0;
    for (int k = 0; k < plan_.asked.classes; ++k) {
      const std::int64_t one = others_ + (target(k, true) != 0),
                         two = others_ + (target(k, false) != 0);
      const std::int64_t count = noisy_class_count(random, plan_, first ? one : two);
      const auto from = [&](std::int64_t n) { return static_cast<double>(std::abs(count - n)); };
      ratio += plan_.count_rate * (from(two) - from(one));
      noisy.push_back(count);
    }
    const std::vector<MixedClass>& classes = at_counts(noisy);
    RowMixer mixer(classes, 1, 0, plan_.asked.rows);
    const std::int32_t middle = 0;
    for (int k = 0; k < plan_.asked.classes; ++k) {
      if (target(k, true) == 0 && target(k, false) == 0) continue;
      const MixedClass& c = classes[static_cast<std::size_t>(k)];
      for (std::int64_t i = 0; i < mixed_; ++i) mixer.add(random, k, &middle);
      const std::int32_t record = target(k, first) * static_cast<std::int32_t>(half_steps);
      if (record != 0) mixer.add(random, k, &record);
      const double q = -std::expm1(-c.exponent), z = c.sigma / plan_.asked.norm, z2 = z * z;
      for (std::int64_t t = 0; t < c.rows; ++t) {
        double row = 0;
        mixer.finish(random, k, c.first + t, &row);
        const double y = row * c.mix;
        const auto joined = [&](int at) {
          return at == 0 ? 0 : std::log1p(q * std::expm1((2 * y * at - 1) / (2 * z2)));
        };
        ratio += joined(target(k, true)) - joined(target(k, false));
      }
    }
    return ratio;
  }

 private:
  // Where the target lies in class k: -1, 1, or 0 where it is not there.
  int target(int k, bool first) const {
    switch (plan_.asked.adjacency) {
      case Adjacency::add_remove:
        return k == 0 && first ? 1 : 0;
      case Adjacency::replace:
        return k != 0 ? 0 : first ? 1 : -1;
      case Adjacency::label:
        return k == (first ? 0 : 1) ? 1 : 0;
    }
    return 0;
  }

  const std::vector<MixedClass>& at_counts(const std::vector<std::int64_t>& counts) {
    auto [found, fresh] = classes_.try_emplace(counts);
    if (fresh) {
      found->second = plan_classes(plan_, counts);
      for (MixedClass& c : found->second) c.sigma *= noise_factor_;
    }
    return found->second;
  }

  CdaPlan plan_;
  std::int64_t others_, mixed_;
  double noise_factor_;
  std::map<std::vector<std::int64_t>, std::vector<MixedClass>> classes_;
};

RandomStream::Key key(std::uint8_t first) {
  RandomStream::Key key{};
  key[0] = first;
  return key;
}

CdaRequest request(Adjacency adjacency) {
  return {.classes = 1,
          .norm = half_steps,
          .rows = 20,
          .epsilon = 1,
          .delta = .01,
          .adjacency = adjacency,
          .accounting = {},
          .mix = 16,
          .demix = Demix::none,
          .class_rows = ClassRows::balanced};
}

// Two classes whose numbers of rows follow the noisy counts.
CdaRequest proportional(Adjacency adjacency) {
  CdaRequest r = request(adjacency);
  r.classes = 2;
  r.class_rows = ClassRows::proportional;
  r.rows = 8;
  r.epsilon = 4;  // fewer rows and counts that vary less take fewer searches
  return r;
}

CdaRequest label() {
  CdaRequest r = request(Adjacency::label);
  r.classes = 2;
  r.rows = 40;
  r.epsilon = 3;
  return r;
}

// Whether runs on two neighbours prove P(S) > e^epsilon P'(S) + delta for S = {score > epsilon}.
// For a release that keeps its promise it is true with probability at most 1e-9.
bool breaks(const CdaRequest& r, double noise_factor, std::uint8_t seed) {
  using boost::math::binomial_distribution;
  constexpr int runs = 20'000;
  Attack attack(r, 100, 20, noise_factor);
  RandomStream random(key(seed));
  int hits = 0, false_hits = 0;
  for (int i = 0; i < runs; ++i) {
    hits += attack.score(random, true) > r.epsilon;
    false_hits += attack.score(random, false) > r.epsilon;
  }
  const double low = binomial_distribution<>::find_lower_bound_on_p(runs, hits, alarm);
  const double high = binomial_distribution<>::find_upper_bound_on_p(runs, false_hits, alarm);
  return low > std::exp(r.epsilon) * high + r.delta;
}

TEST(CdaAudit, RowsKeepThePromise) {
  EXPECT_FALSE(breaks(request(Adjacency::add_remove), 1, 1));
  EXPECT_FALSE(breaks(request(Adjacency::replace), 1, 2));
}

TEST(CdaAudit, ProportionalRowsKeepThePromise) {
  EXPECT_FALSE(breaks(proportional(Adjacency::add_remove), 1, 7));
}

TEST(CdaAudit, LabelsKeepThePromise) {
  EXPECT_FALSE(breaks(label(), 1, 9));
}

TEST(CdaAudit, WouldSeeTooLittleNoise) {
  EXPECT_TRUE(breaks(request(Adjacency::add_remove), .5, 3));
  EXPECT_TRUE(breaks(request(Adjacency::replace), .5, 4));
  EXPECT_TRUE(breaks(proportional(Adjacency::add_remove), .4, 10));
  EXPECT_TRUE(breaks(label(), .5, 11));
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

// Of the claim at a class like that, by the same attacker; also where its number of rows follows
// the noisy counts, and where the label is what changes.
void keeps_the_claim(CdaRequest r, std::uint8_t seed) {
  r.epsilon = claimed_epsilon;
  r.delta = claimed_delta;
  r.mix = mixed;
  Attack attack(r, class_records, 10, 1);
  RandomStream random(key(seed));
  constexpr int runs = 1000;
  double sum = 0;
  for (int i = 0; i < runs; ++i) sum += excess(attack.score(random, true));
  // Chernoff: terms in [0, 1] with mean at most 1e-5 reach 5 with probability < (e .01 / 5)^5.
  EXPECT_LT(sum, 5);
}

TEST(CdaAudit, OursKeepsTheSamePromise) {
  CdaRequest r = request(Adjacency::add_remove);
  r.rows = class_rows;
  keeps_the_claim(r, 6);
}

TEST(CdaAudit, OursKeepsItWithProportionalRows) {
  CdaRequest r = proportional(Adjacency::add_remove);
  r.rows = 2 * class_rows;
  keeps_the_claim(r, 12);
}

TEST(CdaAudit, OursKeepsItForLabels) {
  CdaRequest r = label();
  r.rows = 2 * class_rows;
  keeps_the_claim(r, 13);
}

}  // namespace
}  // namespace dpmix
