#include "core/stats/class_moments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/vectorize.hpp"

namespace dpmix {
namespace {

struct Row {
  int k;
  std::vector<std::int32_t> q;  // padded
};

class State {
 public:
  explicit State(const MomentShape& shape) : words_(ClassMoments::word_count(shape)) {
    ClassMoments::create(words_.data(), shape);
  }
  ClassMoments operator*() { return ClassMoments(words_.data()); }
  void add(const std::vector<Row>& rows) {
    for (const Row& row : rows) (**this).add(row.k, row.q.data());
  }
  std::string text() { return (**this).totals().to_text(); }
  std::vector<std::uint64_t>& words() { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

Row random_row(std::mt19937_64& random, const MomentShape& shape) {
  std::normal_distribution<double> normal;
  const auto d = static_cast<std::size_t>(shape.features);
  std::vector<double> z(d);
  double norm = 0;
  for (double& v : z) v = normal(random), norm += v * v;
  Row row{static_cast<int>(random() % static_cast<unsigned>(shape.classes)),
          std::vector<std::int32_t>(padded(d))};
  for (std::size_t i = 0; i < d; ++i) {
    row.q[i] =
        static_cast<std::int32_t>(z[i] / std::sqrt(norm) * static_cast<double>(shape.resolution));
  }
  return row;
}

MomentTotals naive(const MomentShape& shape, const std::vector<Row>& rows) {
  const auto d = static_cast<std::size_t>(shape.features);
  MomentTotals totals{shape,
                      std::vector<MomentTotals::Class>(static_cast<std::size_t>(shape.classes))};
  for (auto& c : totals.classes) c.sums.resize(d), c.products.resize(shape.products());
  for (const Row& row : rows) {
    auto& c = totals.classes[static_cast<std::size_t>(row.k)];
    ++c.count;
    std::size_t at = 0;
    for (std::size_t i = 0; i < d; ++i) {
      c.sums[i] += row.q[i];
      for (std::size_t j = i; j < d; ++j)
        c.products[at++] += static_cast<Int128>(row.q[i]) * row.q[j];
    }
  }
  return totals;
}

TEST(ClassMoments, EqualTheSumsForAnyOrderAndSplit) {
  std::mt19937_64 random(9);
  for (int features : {1, 2, 3, 4, 7, 8, 9, 16, 21, 100}) {
    const MomentShape shape{3, features, 1 << 20, 42};
    std::vector<Row> rows;
    for (int i = 0; i < 500; ++i) rows.push_back(random_row(random, shape));
    const MomentTotals expected = naive(shape, rows);
    EXPECT_TRUE(expected.plausible());
    State whole(shape);
    whole.add(rows);
    EXPECT_EQ(whole.text(), expected.to_text());
    for (int trial = 0; trial < 5; ++trial) {
      std::shuffle(rows.begin(), rows.end(), random);
      const auto cut = rows.begin() + static_cast<std::ptrdiff_t>(random() % rows.size());
      State left(shape), right(shape);
      left.add({rows.begin(), cut});
      right.add({cut, rows.end()});
      MomentTotals sum;
      sum += (*left).totals();
      sum += MomentTotals();
      sum += (*right).totals();
      EXPECT_EQ(sum.to_text(), whole.text());
      ASSERT_TRUE((*left).merge(*right));
      EXPECT_EQ(left.text(), whole.text());
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ((*left).count(k), expected.classes[static_cast<std::size_t>(k)].count);
    }
  }
}

// Every row at the limit: the largest block sums, exact in double arithmetic.
TEST(ClassMoments, LargestRowsAreExact) {
  const MomentShape shape{1, 2, 1 << 20, 0};
  State state(shape);
  const std::vector<Row> rows(1000, Row{0, {-(1 << 20), 0, 0, 0, 0, 0, 0, 0}});
  state.add(rows);
  EXPECT_EQ(state.text(), naive(shape, rows).to_text());
  // Doubling gets to the largest count without overflow, and no further.
  MomentTotals totals = (*state).totals();
  auto& c = totals.classes[0];
  c.count = std::int64_t{1} << 61;
  c.sums[0] = -static_cast<Int128>(c.count) * (1 << 20);
  c.products[0] = static_cast<Int128>(c.count) << 40;
  ASSERT_TRUE(totals.plausible());
  State half(shape), sum(shape);
  (*half).assign(totals);
  ASSERT_TRUE((*sum).merge(*half));
  ASSERT_TRUE((*sum).merge(*half));
  EXPECT_TRUE((*sum).totals().classes[0].products[0] == static_cast<Int128>(1) << 102);
  EXPECT_TRUE((*sum).totals().plausible());
  const std::string before = sum.text();
  EXPECT_FALSE((*sum).merge(*half));
  EXPECT_EQ(sum.text(), before);
}

TEST(ClassMoments, TextIsExact) {
  std::mt19937_64 random(10);
  const MomentShape shape{2, 3, 1 << 20, 0xfedcba9876543210u};
  State state(shape);
  for (int i = 0; i < 77; ++i) state.add({random_row(random, shape)});
  const auto read = MomentTotals::from_text(state.text());
  ASSERT_TRUE(read.has_value());
  State copy(shape);
  (*copy).assign(*read);
  EXPECT_EQ(copy.text(), state.text());
  EXPECT_EQ(MomentTotals::from_text("()")->to_text(), "()");
}

TEST(ClassMoments, RefusesWhatRowsCannotMake) {
  // Two rows of one class, d = 2, R = 5: (3, 4) and (-1, 2).
  const std::string good = "(1,2,5,ab){2|2,6|10,10,20}";
  ASSERT_TRUE(MomentTotals::from_text(good));
  for (const char* text : {"",
                           "(",
                           "(1,2,5,ab)",
                           "(1,2,5,ab){2|2,6|10,10,20",
                           "(1,2,5,ab){2|2,6|10,10,20}x",
                           "(1,2,5,ab){2|2,6|10,10}",
                           "(1,2,5,ab){2|2|10,10,20}",
                           "(1,2,5,ab){2|2,6|10,10,20}{2|2,6|10,10,20}",
                           "(2,2,5,ab){2|2,6|10,10,20}",
                           "(0,0,0,0)",
                           "(1,2,0,ab){2|2,6|10,10,20}",
                           "(1001,1,5,ab)",
                           "(1,101,5,ab)",
                           "(1,2,1048577,ab){2|2,6|10,10,20}",
                           "(1,2,5,xy){2|2,6|10,10,20}",
                           "(1,2,5,ab){-1|2,6|10,10,20}",
                           "(1,2,5,ab){0|2,6|10,10,20}",
                           "(1,2,5,ab){2|11,6|10,10,20}",  // |sum| > count R
                           "(1,2,5,ab){2|2,6|1,10,20}",    // sum of squares below |sum|
                           "(1,2,5,ab){2|2,6|-10,10,20}",
                           "(1,2,5,ab){2|2,6|31,10,20}",  // trace > count R^2
                           "(1,2,5,ab){2|2,6|10,51,20}",  // |product| > count R^2
                           "(1,2,5,ab){2|2,6|10,-170141183460469231731687303715884105728,20}",
                           "(1,2,5,ab){4611686018427387905|2,6|10,10,20}",
                           "(1,2,5,ab){2|2,6|10,1 0,20}"}) {
    EXPECT_FALSE(MomentTotals::from_text(text)) << text;
  }
}

TEST(ClassMoments, RefusesForeignWordsAndShapes) {
  const MomentShape shape{2, 3, 100, 7};
  State state(shape);
  std::vector<std::uint64_t>& words = state.words();
  EXPECT_EQ(ClassMoments::shape_of(words.data(), words.size()), shape);
  EXPECT_FALSE(ClassMoments::shape_of(words.data(), words.size() - 1));
  EXPECT_FALSE(ClassMoments::shape_of(words.data(), 2));
  const std::vector<std::uint64_t> good = words;
  for (std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{4}}) {
    words = good;
    words[at] = ~std::uint64_t{0};
    EXPECT_FALSE(ClassMoments::shape_of(words.data(), words.size())) << at;
  }
  words = good;
  words[4] = 1;  // one row waiting of none counted
  EXPECT_FALSE(ClassMoments::shape_of(words.data(), words.size()));
  words = good;
  for (const MomentShape& other :
       {MomentShape{1, 3, 100, 7}, {2, 2, 100, 7}, {2, 3, 99, 7}, {2, 3, 100, 8}}) {
    State foreign(other);
    EXPECT_FALSE((*state).merge(*foreign));
  }
  const std::uint64_t blank[3] = {};
  EXPECT_TRUE(ClassMoments::shape_of(blank, 3)->blank());
}

}  // namespace
}  // namespace dpmix
