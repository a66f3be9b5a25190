// What measures say of exact statistics, against their definitions.
#include "core/comparison/measures.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tables/compared_tables.hpp"
#include "core/mixture/density.hpp"

namespace dpmix::test {
namespace {

std::vector<Measure> compare(const ComparedTable& real, const ComparedTable& synthetic) {
  const auto marginals = marginals_of(real.columns, kFineCells);
  const std::vector<double> classifier = learn(synthetic), own = learn(real);
  const TableCounts counts = exact_counts(real, kFineCells, classifier);
  TableStatistics a = exact_statistics(counts, real.columns, marginals);
  TableStatistics b =
      exact_statistics(exact_counts(synthetic, kFineCells, {}), real.columns, marginals);
  b.score = share_right(a);
  a.score =
      share_right(exact_statistics(exact_counts(real, kFineCells, own), real.columns, marginals));
  return compare_tables(real.columns, marginals, a, b);
}

const Measure& find(const std::vector<Measure>& measures, MeasureKind kind, int column = -1,
                    int other = -1, int category = -1, double level = NAN) {
  for (const Measure& m : measures) {
    if (m.kind == kind && (column < 0 || m.column == column) && m.other == other &&
        (category < 0 || m.category == category) && (std::isnan(level) || m.level == level)) {
      return m;
    }
  }
  ADD_FAILURE() << "no " << name(kind) << " of column " << column;
  static const Measure none{};
  return none;
}

std::vector<double> column_of(const ComparedTable& table, int column) {
  std::vector<double> values;
  for (const ComparedRow& row : table.row) {
    values.push_back(marginal_value(table.columns, row, column));
  }
  return values;
}

double mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

double covariance(const std::vector<double>& x, const std::vector<double>& y) {
  const double a = mean(x), b = mean(y);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - a) * (y[i] - b);
  return sum / static_cast<double>(x.size());
}

double share(const std::vector<double>& x, double value) {
  return static_cast<double>(std::count(x.begin(), x.end(), value)) / static_cast<double>(x.size());
}

TEST(Comparison, ATableIsLikeItself) {
  std::mt19937_64 random(1);
  const ComparedTable table = mixed_table(random, 500);
  for (const Measure& m : compare(table, table)) {
    EXPECT_EQ(m.difference, 0) << name(m.kind) << " of column " << m.column;
  }
}

TEST(Comparison, MeasuresAreWhatTheyAreCalled) {
  std::mt19937_64 random(2);
  const ComparedTable real = mixed_table(random, 3000);
  ComparedTable other = mixed_table(random, 2000);
  for (ComparedRow& row : other.row) row.number[0] += .5;
  const std::vector<Measure> measures = compare(real, other);
  const auto near = [](double a, double b, double tolerance) { EXPECT_NEAR(a, b, tolerance); };

  EXPECT_EQ(find(measures, MeasureKind::rows).real, 3000);
  EXPECT_EQ(find(measures, MeasureKind::complete_rows).synthetic, 2000);
  for (int i = 0; i < 3; ++i) {
    const auto x = column_of(real, i), y = column_of(other, i);
    near(find(measures, MeasureKind::mean, i).real, mean(x), 1e-4);
    near(find(measures, MeasureKind::mean, i).synthetic, mean(y), 1e-4);
    near(find(measures, MeasureKind::stddev, i).real, std::sqrt(covariance(x, x)), 1e-4);
    for (int j = i + 1; j < 3; ++j) {
      const auto z = column_of(real, j);
      near(find(measures, MeasureKind::correlation, i, j).real,
           covariance(x, z) / std::sqrt(covariance(x, x) * covariance(z, z)), 1e-4);
    }
  }
  near(find(measures, MeasureKind::total_variation, 2).difference,
       std::abs(mean(column_of(real, 2)) - mean(column_of(other, 2))), 1e-5);
  // Categories, then the label.
  for (const auto& [column, kind, whole] :
       {std::tuple{3, MeasureKind::share, MeasureKind::total_variation},
        std::tuple{4, MeasureKind::class_share, MeasureKind::class_total_variation}}) {
    double apart = 0;
    for (int k = 0; k < 3; ++k) {
      const Measure& m = find(measures, kind, column, -1, k);
      EXPECT_DOUBLE_EQ(m.real, share(column_of(real, column), k));
      EXPECT_DOUBLE_EQ(m.synthetic, share(column_of(other, column), k));
      apart += std::abs(m.difference) / 2;
    }
    near(find(measures, whole, column).difference, apart, 1e-12);
  }
  // The distribution functions where a cell ends, and points of them.
  auto x = column_of(real, 0), y = column_of(other, 0);
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  const auto below = [](const std::vector<double>& v, double at) {
    return static_cast<double>(std::lower_bound(v.begin(), v.end(), at) - v.begin()) /
           static_cast<double>(v.size());
  };
  double farthest = 0;
  for (int i = 1; i < kFineCells; ++i) {
    farthest = std::max(farthest, std::abs(below(x, i * .01) - below(y, i * .01)));
  }
  near(find(measures, MeasureKind::ks_distance, 0).difference, farthest, 2e-3);
  near(find(measures, MeasureKind::quantile, 0, -1, -1, .25).real, x[750], .02);
  near(find(measures, MeasureKind::quantile, 0, -1, -1, .95).synthetic, y[1900], .02);
}

TEST(Comparison, TheClassifierIsBayesRuleOfClassGaussians) {
  std::mt19937_64 random(3);
  const ComparedTable real = mixed_table(random, 2000), other = mixed_table(random, 2000);
  const std::vector<Measure> measures = compare(real, other);
  const Measure& accuracy = find(measures, MeasureKind::accuracy);
  // By the density of the mixture itself, with the same ridge and what is lent to each class.
  const Table learnt = coded_table(other);
  GaussianMixture mixture = plain_fit(learnt);
  const auto d = static_cast<std::size_t>(learnt.features);
  const MomentFrame box = other.columns.coded_box();
  std::vector<double> within(d * d);
  for (auto& c : mixture.components) {
    for (double& v : c.covariance) v *= (c.rows - 1) / c.rows;
    for (std::size_t i = 0; i < d * d; ++i) within[i] += c.weight * c.covariance[i];
  }
  for (auto& c : mixture.components) {
    const double lent = static_cast<double>(d) + 1;
    for (std::size_t i = 0; i < d * d; ++i) {
      c.covariance[i] = (c.rows * c.covariance[i] + lent * within[i]) / (c.rows + lent);
    }
    for (std::size_t i = 0; i < d; ++i) {
      const double width = 1 / box.classes[0].whitening[i];
      c.covariance[i * d + i] += 1e-4 * width * width;
    }
  }
  const MixtureDensity density(mixture);
  std::vector<double> p(3);
  int right = 0;
  for (const ComparedRow& row : real.row) {
    density.log_densities(coded_row(real.columns, row).data(), p.data());
    right += std::max_element(p.begin(), p.end()) - p.begin() == row.label ? 1 : 0;
  }
  EXPECT_NEAR(accuracy.synthetic, right / 2000., 1e-3);  // but for ties and the lattice
  EXPECT_GT(accuracy.synthetic, .6);
  EXPECT_GT(accuracy.synthetic, find(measures, MeasureKind::accuracy_of_largest_class).real + .1);
  EXPECT_NEAR(accuracy.difference, 0, .05);
}

TEST(Comparison, LogDensityIsTheMeanOverRows) {
  std::mt19937_64 random(4);
  ComparedTable real = mixed_table(random, 1000), other = mixed_table(random, 1000);
  real.columns.classes = other.columns.classes = 0;
  const auto marginals = marginals_of(real.columns, kFineCells);
  const auto statistics = [&](const ComparedTable& table) {
    return exact_statistics(exact_counts(table, kFineCells, {}), real.columns, marginals);
  };
  const auto model = GaussianModel::fit(statistics(other).moments, real.columns.box());
  ASSERT_TRUE(model);
  Table one{3, 1, real.columns.lower, real.columns.upper, {}, {}};
  for (const ComparedRow& row : other.row) {
    one.label.push_back(0);
    one.row.push_back(row.number);
  }
  GaussianMixture fit = plain_fit(one);
  for (double& v : fit.components[0].covariance) v *= 999. / 1000;
  for (const std::size_t i : {0, 1, 2}) {
    const double width = (one.upper[i] - one.lower[i]) / 2;
    fit.components[0].covariance[i * 3 + i] += 1e-4 * width * width;
  }
  const MixtureDensity density(fit);
  double sum = 0, out;
  for (const ComparedRow& row : real.row) sum += density.log_densities(row.number.data(), &out);
  EXPECT_NEAR(model->mean_log_density(statistics(real).moments), sum / 1000, 1e-3);
}

TEST(Comparison, OfNothingIsNothing) {
  ComparedTable empty;
  empty.columns = {{0, 0}, {1, 1}, {0, 1}, {2}, 2};
  EXPECT_TRUE(learn(empty).empty());
  for (const Measure& m : compare(empty, empty)) {
    const bool count = m.kind == MeasureKind::rows || m.kind == MeasureKind::complete_rows;
    EXPECT_EQ(std::isnan(m.difference), !count) << name(m.kind);
  }
  // A class without rows is never taken; a constant column has no correlation.
  std::mt19937_64 random(5);
  ComparedTable real = mixed_table(random, 300), other = real;
  for (ComparedRow& row : other.row) {
    if (row.label == 1) row.label = 0;
    row.number[1] = 2;
  }
  const TableCounts counts = exact_counts(real, kFineCells, learn(other));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(counts.tested.count(k, 1), 0);
  EXPECT_TRUE(std::isnan(find(compare(real, other), MeasureKind::correlation, 0, 1).synthetic));
}

TEST(Comparison, TheClassifierIsDefinedForEveryRow) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 60; ++trial) {
    ComparedTable table;
    table.columns.classes = 1 + static_cast<int>(random() % 4);
    table.columns.categories = {1 + static_cast<int>(random() % 4)};
    for (std::size_t i = 1 + random() % 4; i > 0; --i) {
      const double width = std::pow(10., static_cast<double>(random() % 200) - 100);
      const double low = width * static_cast<double>(random() % 3) * 1e6;
      table.columns.lower.push_back(low);
      table.columns.upper.push_back(low + width);
      table.columns.boolean.push_back(0);
    }
    const Table box{table.columns.numbers(), 1, table.columns.lower, table.columns.upper, {}, {}};
    std::int64_t known = 0;
    for (int n = 0; n < 30; ++n) {
      ComparedRow row{awkward_row(random, box), {0}, static_cast<int>(random() % 5) - 1};
      row.category[0] = static_cast<int>(random() % 5) - 1;
      if (row.category[0] >= table.columns.categories[0]) row.category[0] = -1;
      if (row.label >= table.columns.classes) row.label = -1;
      bool complete = row.label >= 0;
      for (const double v : coded_row(table.columns, row)) complete = complete && !std::isnan(v);
      known += complete ? 1 : 0;
      table.row.push_back(row);
    }
    const std::vector<double> classifier = learn(table);
    ASSERT_EQ(classifier.empty(), known == 0);
    const TableCounts counts = exact_counts(table, kCoarseCells, classifier);
    EXPECT_EQ(counts.right() + counts.wrong(), known) << "trial " << trial;
  }
}

TEST(Comparison, FeaturesThatWouldMakeTheClassifierTooLargeAreLeftOut) {
  ComparedColumns columns{std::vector<double>(98, 0),
                          std::vector<double>(98, 1),
                          std::vector<char>(98, 0),
                          {4, 3, 1, 2},
                          2};
  EXPECT_EQ(columns.coded(), std::vector<int>{1});
  EXPECT_EQ(columns.coordinates(), 100);
  columns.classes = 1000;  // 1000 * 100 * 101 / 2 is above 2^20
  EXPECT_TRUE(columns.coded().empty());
}

}  // namespace
}  // namespace dpmix::test
