// The error bounds of a private comparison hold as often as they say.
#include <gtest/gtest.h>

#include <map>

#include "tables/compared_tables.hpp"

namespace dpmix::test {
namespace {

// Of every measure, whatever the truth is: far apart or the same. 164 of 200 or fewer has a chance
// below 1e-9 at .95 for each of 60 measures.
TEST(Comparison, BoundsHoldInNineteenOfTwentyReleases) {
  std::mt19937_64 random(41);
  ComparedTable real = mixed_table(random, 3000);
  const ComparedTable same = real, other = mixed_table(random, 1000);
  for (const ComparedTable& synthetic : {same, other}) {
    const auto marginals = marginals_of(real.columns, kCoarseCells);
    const TableCounts counts = exact_counts(real, kCoarseCells, learn(synthetic));
    const TableStatistics exact = exact_statistics(counts, real.columns, marginals);
    TableStatistics theirs =
        exact_statistics(exact_counts(synthetic, kCoarseCells, {}), real.columns, marginals);
    const ComparisonNoise noise = plan_comparison(real.columns, Adjacency::add_remove, .5);
    const auto measured = [&](TableStatistics of) {
      of.rows = NAN;
      theirs.score = share_right(of);
      return compare_tables(real.columns, marginals, of, theirs);
    };
    const auto value = [](const Measure& m) {
      if (m.kind == MeasureKind::accuracy) return m.synthetic;
      return std::isnan(m.real) ? m.difference : m.real;
    };
    const std::vector<Measure> truth = measured(exact);
    constexpr int runs = 200;
    std::vector<int> held(truth.size());
    RandomStream stream(key_of(43));
    for (int run = 0; run < runs; ++run) {
      const TableStatistics noisy = add_noise(stream, counts, real.columns, marginals, noise);
      const std::vector<double> bounds =
          error_bounds(real.columns, marginals, noisy, noise, nullptr);
      const std::vector<Measure> seen = measured(noisy);
      ASSERT_EQ(seen.size(), truth.size());
      ASSERT_EQ(bounds.size(), truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) {
        held[i] += std::abs(value(seen[i]) - value(truth[i])) <= bounds[i] ? 1 : 0;
      }
    }
    for (std::size_t i = 0; i < truth.size(); ++i) {
      EXPECT_GE(held[i], 164) << name(truth[i].kind) << " of column " << truth[i].column;
    }
  }
}

// Of all distances of columns and pairs, and of the classifier made of them: of equal tables, of
// others, and of one whose rows lie where the real table has none, in a few cells and in many. The
// worst pair is judged by the distance of the pair that is named.
TEST(Comparison, BoundsOfPairsHoldInNineteenOfTwentyReleases) {
  std::mt19937_64 random(47);
  ComparedTable real = mixed_table(random, 3000);
  real.columns.bins = 10;
  ComparedTable elsewhere = mixed_table(random, 2000), spread = elsewhere;
  for (ComparedRow& row : elsewhere.row) row = {{0, -5, NAN}, {-1}, 0};
  for (ComparedRow& row : spread.row) {
    row.number = {static_cast<double>(random() % 1000) / 100,
                  static_cast<double>(random() % 1000) / 100 - 5, NAN};
  }
  const ComparedColumns& columns = real.columns;
  const auto name_of = [](const Measure& m) { return std::pair{m.column, m.other}; };
  for (const ComparedTable& synthetic : {real, mixed_table(random, 1000), elsewhere, spread}) {
    const ComparedTable theirs{columns, synthetic.row};
    const BinCounts counts = exact_pairs(real, learn_pairs(theirs));
    const PairStatistics plain = exact_pairs(counts, columns),
                         other = exact_pairs(exact_pairs(theirs, {}), columns);
    const auto compared = [&](const PairStatistics& of, const PairNoise& noise) {
      return compare_pairs(columns, of, other, noise, NAN, share_right(of.right, of.wrong));
    };
    std::map<MeasureKind, double> truth;
    std::map<std::pair<int, int>, double> distance;  // of a column or a pair
    for (const Measure& m : compared(plain, {}).measures) {
      truth[m.kind] = m.kind == MeasureKind::naive_bayes_accuracy ? m.synthetic : m.difference;
      if (m.column >= 0) distance[name_of(m)] = m.difference;
    }
    for (const double mu : {.3, 2.}) {
      const PairNoise noise = plan_comparison(columns, Adjacency::add_remove, mu).pairs;
      constexpr int runs = 200;
      std::vector<int> held;
      PairComparison seen;
      RandomStream stream(key_of(48));
      for (int run = 0; run < runs; ++run) {
        seen = compared(add_pair_noise(stream, counts, columns, noise), noise);
        held.resize(seen.measures.size());
        for (std::size_t i = 0; i < held.size(); ++i) {
          const Measure& m = seen.measures[i];
          const bool score = m.kind == MeasureKind::naive_bayes_accuracy;
          const double value = score ? m.synthetic : m.difference;
          const double exact = m.column >= 0 ? distance[name_of(m)] : truth[m.kind];
          held[i] += !(std::abs(value - exact) > seen.bounds[i]) ? 1 : 0;
        }
      }
      for (std::size_t i = 0; i < held.size(); ++i) {
        const Measure& m = seen.measures[i];
        EXPECT_GE(held[i], 164) << name(m.kind) << " of " << m.column << " and " << m.other;
      }
    }
  }
}

}  // namespace
}  // namespace dpmix::test
