// The error bounds of a private comparison hold as often as they say.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dpmix::test
