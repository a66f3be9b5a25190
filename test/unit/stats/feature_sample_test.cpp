// The sample is a function of the multiset of placed rows: whatever their order, whoever merged
// what, however it travelled.
#include "core/stats/feature_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

SampleShape shape_of(int features, int limit, std::uint64_t salt = 7) {
  SampleShape shape;
  shape.features = features, shape.limit = limit;
  shape.resolution = 1000, shape.frame = 5, shape.salt = salt;
  return shape;
}

using Row = std::vector<std::int32_t>;

struct State {
  explicit State(const SampleShape& shape)
      : words(FeatureSample::word_count(shape)),
        sample(FeatureSample::create(words.data(), shape)) {}
  std::vector<std::uint64_t> words;
  FeatureSample sample;
};

std::vector<Row> some_rows(std::mt19937_64& random, int features, int rows, int values) {
  std::vector<Row> out;
  for (int n = 0; n < rows; ++n) {
    Row& q = out.emplace_back(static_cast<std::size_t>(features));
    for (auto& v : q) v = static_cast<std::int32_t>(random() % values) - values / 2;
  }
  return out;
}

// By the definition, slowly.
std::map<std::pair<std::uint64_t, Row>, std::int64_t> sample_of(const std::vector<Row>& rows,
                                                                const SampleShape& shape) {
  std::map<std::pair<std::uint64_t, Row>, std::int64_t> all;
  for (const Row& q : rows) ++all[{sample_hash(q.data(), q.size(), shape.salt), q}];
  if (all.size() > static_cast<std::size_t>(shape.limit)) {
    const std::uint64_t threshold = std::next(all.begin(), shape.limit)->first.first;
    std::erase_if(all, [&](const auto& entry) { return entry.first.first >= threshold; });
  }
  return all;
}

void expect_equal(const SampleRows& a, const SampleRows& b) {
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(a.threshold, b.threshold);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.counts, b.counts);
}

TEST(FeatureSample, IsAFunctionOfTheMultisetOfRows) {
  std::mt19937_64 random(3);
  for (const int features : {1, 2, 3, 17}) {
    for (const int limit : {1, 2, 7, 100}) {
      for (const int count : {1, 5, 90, 3000}) {
        const SampleShape shape = shape_of(features, limit);
        std::vector<Row> rows = some_rows(random, features, count, features < 3 ? 40 : 200);
        State whole(shape);
        for (const Row& q : rows) whole.sample.add(q.data());
        const SampleRows expected = whole.sample.rows();
        EXPECT_TRUE(expected.plausible());

        const auto defined = sample_of(rows, shape);
        ASSERT_EQ(expected.counts.size(), defined.size());
        std::size_t n = 0;
        for (const auto& [key, times] : defined) {
          EXPECT_EQ(expected.counts[n], times);
          EXPECT_TRUE(std::equal(key.second.begin(), key.second.end(),
                                 expected.q.begin() + static_cast<std::ptrdiff_t>(n * features)));
          ++n;
        }

        std::shuffle(rows.begin(), rows.end(), random);
        std::array<State, 4> parts = {State(shape), State(shape), State(shape), State(shape)};
        for (const Row& q : rows) parts[random() % 4].sample.add(q.data());
        for (const int i : {2, 0, 3}) {
          ASSERT_TRUE(FeatureSample::shape_of(parts[i].words.data(), parts[i].words.size()));
          ASSERT_TRUE(parts[1].sample.merge(parts[i].sample));
        }
        expect_equal(parts[1].sample.rows(), expected);

        const auto read = SampleRows::from_text(expected.to_text());
        ASSERT_TRUE(read);
        expect_equal(*read, expected);
        State back(shape);
        back.sample.assign(*read);
        ASSERT_TRUE(back.sample.merge(whole.sample));
        SampleRows doubled = expected;
        for (auto& times : doubled.counts) times *= 2;
        expect_equal(back.sample.rows(), doubled);
      }
    }
  }
}

TEST(FeatureSample, HashesSpread) {
  std::set<std::uint64_t> seen;
  std::int64_t low = 0;
  for (std::int32_t x = -50; x < 50; ++x) {
    for (std::int32_t y = -50; y < 50; ++y) {
      const std::array q = {x, y};
      const std::uint64_t hash = sample_hash(q.data(), 2, 1);
      seen.insert(hash);
      low += hash < std::uint64_t{1} << 62;
      EXPECT_NE(hash, sample_hash(q.data(), 2, 2));
    }
  }
  EXPECT_EQ(seen.size(), 10000u);
  EXPECT_NEAR(static_cast<double>(low), 5000, 300);  // six deviations
}

TEST(FeatureSample, RefusesWhatRowsCannotMake) {
  State state(shape_of(2, 3));
  for (const Row& q : {Row{1, 2}, Row{3, 4}, Row{1, 2}}) state.sample.add(q.data());
  const std::string good = state.sample.rows().to_text();
  EXPECT_TRUE(SampleRows::from_text(good));
  EXPECT_TRUE(SampleRows::from_text("()"));
  for (const char* bad :
       {"", "(", "(2,3,1000,5,7,9223372036854775808", "(0,0,0,0,0,0)",
        "(2,70000,1000,5,7,9223372036854775808)", "(2,3,1000,5,7,9223372036854775809)",
        "(2,3,1000,5,7,9223372036854775808){0|1|2}", "(2,3,1000,5,7,9223372036854775808){1|1}",
        "(2,3,1000,5,7,9223372036854775808){1|800|800}",  // beyond the radius
        "(2,3,1000,5,7,1){1|1|2}",                        // beyond the threshold
        "(2,3,1000,5,7,9223372036854775808){1|1|2}{1|1|2}",
        "(2,3,1000,5,7,9223372036854775808){1|1|2} "}) {
    EXPECT_FALSE(SampleRows::from_text(bad)) << bad;
  }
  // Not in the order of hashes.
  const std::size_t first = good.find('{'), second = good.find('{', first + 1);
  EXPECT_FALSE(SampleRows::from_text(good.substr(0, first) + good.substr(second) +
                                     good.substr(first, second - first)));
  std::vector<std::uint64_t> words = state.words;
  EXPECT_TRUE(FeatureSample::shape_of(words.data(), words.size()));
  EXPECT_FALSE(FeatureSample::shape_of(words.data(), words.size() - 1));
  words[5] = 1;  // fewer entries than the index has
  EXPECT_FALSE(FeatureSample::shape_of(words.data(), words.size()));
  words[5] = 6;  // no room for the next row: rows() and add() prune before
  auto* slot = reinterpret_cast<std::uint32_t*>(words.data() + words.size() - 8);
  for (std::uint32_t i = 0; i < 16; ++i) slot[i] = i < 6 ? i + 1 : 0;
  EXPECT_FALSE(FeatureSample::shape_of(words.data(), words.size()));
  State other(shape_of(2, 3, 8));
  EXPECT_FALSE(state.sample.merge(other.sample));
  SampleRows many = state.sample.rows();
  many.counts.assign(many.counts.size(), std::int64_t{1} << 62);
  state.sample.assign(many);
  State copy = state;
  copy.sample = FeatureSample(copy.words.data());
  EXPECT_FALSE(state.sample.merge(copy.sample));
}

TEST(FeatureSample, FrameTravels) {
  SampleFrame sample;
  sample.frame.features = 2;
  sample.frame.diagonal = true;
  sample.frame.lower = {0, 0}, sample.frame.upper = {1, 1};
  sample.frame.classes = {{1, {.5, .5}, {2, 2}}};
  sample.limit = 100, sample.salt = 12345;
  std::vector<double> packed = sample.frame.pack();
  const std::vector<double> extra = sample.extra();
  packed.insert(packed.end(), extra.begin(), extra.end());
  const SampleFrame read = SampleFrame::unpack(packed);
  EXPECT_EQ(read.limit, 100);
  EXPECT_EQ(read.salt, 12345u);
  EXPECT_EQ(read.frame.pack(), sample.frame.pack());
  const auto refused = [&](std::size_t at, double value) {
    std::vector<double> bad = packed;
    bad[bad.size() - at] = value;
    EXPECT_THROW(SampleFrame::unpack(bad), Error);
  };
  for (const double v : {0., -1., 1.5, 65537., double{NAN}}) refused(2, v);
  for (const double v : {-1., .5, 1e16, double{NAN}}) refused(1, v);
  packed.push_back(0);
  EXPECT_THROW(SampleFrame::unpack(packed), Error);
}

}  // namespace
}  // namespace dpmix
