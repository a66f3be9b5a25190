// Black-box audits of whole calls of dpmix.cda, as core makes them: noisy counts, the plan made
// from them, mixing and noise, on two neighbours. What a call shows is scored by the exact
// likelihood ratio of an attacker who knows every record but one, and that all others lie in the
// middle of the bounds, where they hide nothing; an audit that knows nothing of it judges. And a
// search for neighbours whose sums, exact integers given who joins, differ by more than the noise
// is made for.
//
// Would falsify docs/proofs/synthetic.md: no proved epsilon lies above the declared one, and the
// same audit refutes the claim as soon as there is less noise. Declared is a large delta, where few
// runs prove most. DPMIX_SOAK=1 runs more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "core/input/record_code.hpp"
#include "core/synthetic/class_mixing.hpp"
#include "core/synthetic/row_mixer.hpp"
#include "statistical/privacy_audit.hpp"

namespace dpmix::test {
namespace {

constexpr double epsilon = 2, delta = .05;

// The one record in which two tables differ: all its features at one end of the bounds.
struct Target {
  int k;     // its class; -1: absent
  int sign;  // of all coordinates
};

struct Pair {
  const char* name;
  Adjacency adjacency;
  std::vector<int> others;  // records in the middle, of each class
  int features;
  Target one, other;
  int mix;  // 0: from the noisy counts
  int rows;
  double too_little;  // of the noise: a share that must be found out
  ClassRows class_rows = ClassRows::balanced;
  Demix demix = Demix::none;
};

CdaPlan plan_of(const Pair& pair, double norm) {
  return plan_cda({.classes = static_cast<int>(pair.others.size()),
                   .norm = norm,
                   .rows = pair.rows,
                   .epsilon = epsilon,
                   .delta = delta,
                   .adjacency = pair.adjacency,
                   .accounting = {},
                   .mix = pair.mix,
                   .demix = pair.demix,
                   .class_rows = pair.class_rows});
}

std::int64_t records(const Pair& pair, std::size_t k, const Target& table) {
  return pair.others[k] + (table.k == static_cast<int>(k) ? 1 : 0);
}

class Calls {
 public:
  explicit Calls(const Pair& pair) : pair_(pair), values_(static_cast<std::size_t>(pair.features)) {
    for (int j = 0; j < pair.features; ++j) code_.add_number(-1, 1);
    record_.resize(static_cast<std::size_t>(code_.coordinates()));
    plan_ = plan_of(pair, code_.norm());
    count_rate_ = 2 * std::asinh(1 / (std::sqrt(2.) * count_stddev(plan_)));
  }

  // Log likelihood ratio of pair.one against pair.other, of what a call on `table` shows with a
  // share of its rows' noise.
  double score(const Target& table, double noise) {
    std::vector<std::int64_t> counts;
    double ratio = 0;
    for (std::size_t k = 0; k < pair_.others.size(); ++k) {
      counts.push_back(noisy_class_count(random_, plan_, records(pair_, k, table)));
      const auto from = [&](const Target& t) {
        return std::abs(static_cast<double>(counts[k] - records(pair_, k, t)));
      };
      ratio += count_rate_ * (from(pair_.other) - from(pair_.one));
    }
    std::vector<MixedClass> classes = planned(counts);
    for (MixedClass& c : classes) c.sigma *= noise;
    RowMixer mixer(classes, code_.coordinates(), 0, pair_.rows);
    for (std::size_t k = 0; k < pair_.others.size(); ++k) {
      encode(0);
      for (int i = 0; i < pair_.others[k]; ++i) {
        mixer.add(random_, static_cast<int>(k), record_.data());
      }
    }
    if (table.k >= 0) {
      encode(table.sign);
      mixer.add(random_, table.k, record_.data());
    }
    std::vector<double> row(record_.size());
    for (std::size_t k = 0; k < classes.size(); ++k) {
      const MixedClass& c = classes[k];
      for (std::int64_t t = c.first; t < c.first + c.rows; ++t) {
        mixer.finish(random_, static_cast<int>(k), t, row.data());
        double sum = 0;
        for (const double y : row) sum += y * c.mix;
        ratio += seen(pair_.one, k, c, sum) - seen(pair_.other, k, c, sum);
      }
    }
    return ratio;
  }

 private:
  // Log of how much likelier a row of class k is for the target in it. sum: of the row's
  // coordinates, in half widths.
  double seen(const Target& target, std::size_t k, const MixedClass& c, double sum) const {
    if (target.k != static_cast<int>(k)) return 0;
    const double sigma = c.sigma / static_cast<double>(half_steps);
    const double exponent = (2 * target.sign * sum - pair_.features) / (2 * sigma * sigma);
    return std::log1p(-std::expm1(-c.exponent) * std::expm1(exponent));
  }

  void encode(double value) {
    values_.assign(values_.size(), value);
    ASSERT_TRUE(code_.encode(values_, record_.data()));
  }

  const std::vector<MixedClass>& planned(const std::vector<std::int64_t>& counts) {
    auto [found, fresh] = classes_.try_emplace(counts);
    if (fresh) found->second = plan_classes(plan_, counts);
    return found->second;
  }

  const Pair& pair_;
  RecordCode code_;
  std::vector<double> values_;
  std::vector<std::int32_t> record_;
  CdaPlan plan_;
  double count_rate_;
  RandomStream random_{RandomStream::Key{1, 2, 3}};
  std::map<std::vector<std::int64_t>, std::vector<MixedClass>> classes_;
};

constexpr Adjacency add_remove = Adjacency::add_remove, replace = Adjacency::replace;
// Where a whole class joins (mix above its size) noise is told from numbers alone, and quickly.
const std::vector<Pair> pairs = {
    {"one more, mixed", add_remove, {60}, 1, {0, 1}, {-1, 0}, 16, 4, .5},
    {"one more, in a class that joins whole", add_remove, {400, 3}, 4, {1, 1}, {-1, 0}, 900, 8, .5},
    {"one more, in an empty class", add_remove, {0, 30}, 1, {-1, 0}, {0, -1}, 900, 2, .5},
    {"one more, shares by counts",
     add_remove,
     {100, 20},
     3,
     {1, -1},
     {-1, 0},
     400,
     10,
     .5,
     ClassRows::proportional},
    {"one more, order by counts",
     add_remove,
     {60},
     2,
     {0, -1},
     {-1, 0},
     0,
     4,
     .5,
     ClassRows::balanced,
     Demix::per_class},
    {"changed within its class", replace, {60}, 3, {0, 1}, {0, -1}, 16, 4, .5},
    {"made incomplete in the only class", replace, {60}, 3, {0, 1}, {-1, 0}, 16, 4, .25},
    {"changed within a class that joins whole", replace, {5, 5}, 2, {0, 1}, {0, -1}, 900, 8, .5},
    {"a label changed", Adjacency::label, {60, 200}, 2, {0, 1}, {1, 1}, 16, 8, .35},
    {"a label changed, both join whole", Adjacency::label, {5, 200}, 2, {0, 1}, {1, 1}, 900, 8, .5},
    {"a label gone", Adjacency::label, {5, 200}, 2, {0, 1}, {-1, 1}, 900, 8, .35},
    // Two changes of half the size: .7 of one within a class, which sets the noise.
    {"changed to another class", replace, {5, 200}, 2, {0, 1}, {1, 1}, 900, 8, .35},
};

class CdaAuditOf : public testing::TestWithParam<Pair> {};

TEST_P(CdaAuditOf, FindsTooLittleNoiseAndNothingElse) {
  const Pair& pair = GetParam();
  Calls calls(pair);
  AuditClaim claim{.epsilon = epsilon, .delta = delta, .confidence = 1 - 5e-10};
  claim.runs = std::getenv("DPMIX_SOAK") != nullptr ? 200'000 : 8'000;
  const auto audit = [&](double noise) {
    const AuditResult found = audit_scores([&] { return calls.score(pair.one, noise); },
                                           [&] { return calls.score(pair.other, noise); }, claim);
    std::printf("%s: %.3f with %.2f of the noise\n", pair.name, found.epsilon, noise);
    return found;
  };
  EXPECT_FALSE(audit(1).refutes(claim));
  EXPECT_TRUE(audit(pair.too_little).refutes(claim));
}

INSTANTIATE_TEST_SUITE_P(Neighbours, CdaAuditOf, testing::ValuesIn(pairs),
                         [](const auto& info) { return std::to_string(info.index); });

// Counts alone keep a share of epsilon; half of their noise is found out.
TEST(CdaAuditOfCounts, FindsTooLittleNoiseAndNothingElse) {
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.name);
    CdaPlan plan = plan_of(pair, 1);
    AuditClaim claim{.epsilon = plan.count_epsilon, .delta = 0, .confidence = 1 - 1e-10};
    claim.runs = 600'000;
    RandomStream random(RandomStream::Key{4});
    const auto moved = [&](const Target& table, int share) {
      bool likely = true;  // each count on its own side of the two tables
      for (std::size_t k = 0; k < pair.others.size(); ++k) {
        const std::int64_t one = records(pair, k, pair.one), other = records(pair, k, pair.other);
        if (one == other) continue;
        const std::int64_t truth = records(pair, k, table);
        const std::int64_t noise = noisy_class_count(random, plan, 1 << 20) - (1 << 20);
        const std::int64_t noisy = truth + noise / share;
        likely = likely && (one > other ? noisy >= one : noisy <= one);
      }
      return likely;
    };
    const auto audit = [&](int share) {
      return audit_event([&] { return moved(pair.one, share); },
                         [&] { return moved(pair.other, share); }, claim);
    };
    EXPECT_FALSE(audit(1).refutes(claim));
    EXPECT_EQ(audit(3).refutes(claim), pair.one.k != pair.other.k);
  }
}

// Random neighbours, with the same records joining: who joins is drawn by the same stream, the one
// record that differs comes last.
class JoinedSums {
 public:
  JoinedSums(const RecordCode& code, std::vector<std::vector<double>> others, int rows)
      : code_(code), others_(std::move(others)), rows_(rows) {}

  // Sums of all rows, in steps: noise of this deviation rounds to 0.
  std::vector<double> of(const std::vector<double>& last) const {
    const MixedClass mixed = {
        .first = 0, .rows = rows_, .mix = 1, .exponent = .7, .rate = .51, .sigma = 1e-9};
    RandomStream random(RandomStream::Key{5});
    RowMixer mixer({&mixed, 1}, code_.coordinates(), 0, rows_);
    std::vector<std::int32_t> record(static_cast<std::size_t>(code_.coordinates()));
    for (const std::vector<double>& values : others_) {
      if (code_.encode(values, record.data())) mixer.add(random, 0, record.data());
    }
    if (!last.empty() && code_.encode(last, record.data())) mixer.add(random, 0, record.data());
    std::vector<double> sums(record.size() * static_cast<std::size_t>(rows_));
    for (int t = 0; t < rows_; ++t) {
      mixer.finish(random, 0, t, &sums[record.size() * static_cast<std::size_t>(t)]);
    }
    for (double& sum : sums) sum *= static_cast<double>(half_steps);
    return sums;
  }

 private:
  const RecordCode& code_;
  std::vector<std::vector<double>> others_;
  int rows_;
};

// The largest distance of one row's sums.
double moved(const std::vector<double>& a, const std::vector<double>& b, int coordinates) {
  double most = 0;
  const auto d = static_cast<std::size_t>(coordinates);
  for (std::size_t t = 0; t < a.size() / d; ++t) {
    double squares = 0;
    for (std::size_t j = d * t; j < d * (t + 1); ++j) squares += (a[j] - b[j]) * (a[j] - b[j]);
    most = std::max(most, std::sqrt(squares));
  }
  return most;
}

double any_value(std::mt19937_64& random, double lower, double upper) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  switch (random() % 10) {
    case 0:
      return lower;
    case 1:
      return upper;
    case 2:
      return lower / 2 + upper / 2;
    case 3:
      return random() % 2 == 0 ? inf : -inf;
    case 4:
      return random() % 2 == 0 ? 1.7e308 : -1.7e308;
    case 5:
      return random() % 4 == 0 ? std::nan("") : 5e-324;
    case 6:
      return std::nextafter(upper, inf);
    default:
      return lower + std::uniform_real_distribution<>(0, 1)(random) * (upper - lower);
  }
}

// A feature of random kind. Categories: how many; 0: a number.
struct Feature {
  double lower, upper;
  int categories;

  double any(std::mt19937_64& random) const {
    if (categories == 0) return any_value(random, lower, upper);
    return random() % 20 == 0 ? categories : static_cast<int>(random() % categories);
  }
  double corner(bool up) const {
    if (categories == 0) return up ? upper : lower;
    return up ? 0 : categories - 1;
  }
};

Feature any_feature(std::mt19937_64& random, RecordCode* code) {
  if (random() % 4 == 0) {
    const int categories = 1 + static_cast<int>(random() % (random() % 10 == 0 ? 200 : 6));
    code->add_categories(categories);
    return {0, 0, categories};
  }
  if (random() % 4 == 0) {
    code->add_boolean();
    return {0, 1, 0};
  }
  const double scale = std::exp2(std::uniform_real_distribution<>(-1060, 1020)(random));
  const Feature feature = {random() % 3 == 0 ? 0 : -scale, random() % 2 == 0 ? scale : scale / 3,
                           0};
  code->add_number(feature.lower, feature.upper);
  return feature;
}

TEST(CdaNeighbours, NeverMoveASumFartherThanTheNoiseIsMadeFor) {
  std::mt19937_64 random(6);
  double largest_more = 0, largest_changed = 0, largest_clipped = 0;
  const int tables = std::getenv("DPMIX_SOAK") != nullptr ? 200'000 : 6'000;
  for (int i = 0; i < tables; ++i) {
    const double uniform = std::uniform_real_distribution<>(0, 1)(random);
    const double clip = i % 3 == 0 ? std::pow(uniform, 1 + static_cast<int>(random() % 20)) : 1;
    RecordCode code(std::max(clip, 1e-12));
    std::vector<Feature> features;
    const std::size_t size = 1 + random() % (i % 50 == 0 ? 40 : 5);
    while (features.size() < size) features.push_back(any_feature(random, &code));
    const auto any = [&](bool corner, bool up) {
      std::vector<double> values;
      for (const Feature& f : features) values.push_back(corner ? f.corner(up) : f.any(random));
      return values;
    };
    std::vector<std::vector<double>> others;
    while (others.size() < 6) others.push_back(any(false, false));
    const bool corner = random() % 4 == 0;
    const std::vector<double> one = any(corner, true), other = any(corner, false);
    const JoinedSums sums(code, std::move(others), 5);
    const auto with = sums.of(one), changed = sums.of(other), without = sums.of({});
    const double more = moved(with, without, code.coordinates()) / code.norm();
    const double replaced = moved(with, changed, code.coordinates()) / (2 * code.norm());
    ASSERT_LE(more, 1);
    ASSERT_LE(replaced, 1);
    largest_more = std::max(largest_more, more);
    largest_changed = std::max(largest_changed, replaced);
    if (clip < .5) largest_clipped = std::max(largest_clipped, more);
  }
  EXPECT_GT(largest_more, .99);
  EXPECT_GT(largest_changed, .99);
  EXPECT_GT(largest_clipped, .99);
}

}  // namespace
}  // namespace dpmix::test
