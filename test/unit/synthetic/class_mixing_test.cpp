#include "core/synthetic/class_mixing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "core/input/record_code.hpp"

namespace dpmix {
namespace {

using Counts = std::vector<std::int64_t>;

TEST(CdaMix, RowsAreSharedByLargestRemainders) {
  EXPECT_EQ(proportional_rows(10, Counts{1, 1, 1}), (Counts{4, 3, 3}));
  EXPECT_EQ(proportional_rows(10, Counts{0, 0, 0}), (Counts{4, 3, 3}));
  EXPECT_EQ(proportional_rows(7, Counts{50, 30, 20}), (Counts{4, 2, 1}));
  EXPECT_EQ(proportional_rows(1, Counts{3, 4, 4}), (Counts{0, 1, 0}));
  EXPECT_EQ(proportional_rows(5, Counts{0, 9, 0}), (Counts{0, 5, 0}));
  EXPECT_EQ(proportional_rows(1'000'000'000, Counts{std::int64_t{1} << 53, std::int64_t{1} << 53}),
            (Counts{500'000'000, 500'000'000}));
}

TEST(CdaMix, SharesOfRowsAddUpAndAreWithinOneOfTheirProportion) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    Counts counts(1 + random() % 40);
    for (auto& count : counts) count = static_cast<std::int64_t>(random() >> (12 + random() % 52));
    const auto rows = static_cast<std::int64_t>(1 + random() % 100'000);
    const Counts shares = proportional_rows(rows, counts);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::int64_t{0}), rows);
    const double all = std::accumulate(counts.begin(), counts.end(), 0.);
    for (std::size_t k = 0; k < counts.size() && all > 0; ++k) {
      const double exact = static_cast<double>(rows) * static_cast<double>(counts[k]) / all;
      EXPECT_LT(std::fabs(static_cast<double>(shares[k]) - exact), 1 + 1e-6);
    }
  }
}

CdaRequest request(int classes, std::int64_t rows, double epsilon) {
  return {.classes = classes,
          .norm = 4. * half_steps,
          .rows = rows,
          .epsilon = epsilon,
          .delta = 1e-6,
          .adjacency = Adjacency::add_remove,
          .accounting = {},
          .mix = 0,
          .demix = Demix::none,
          .class_rows = ClassRows::balanced};
}

std::vector<MixedClass> planned(const CdaRequest& r, const Counts& counts) {
  return plan_classes(plan_cda(r), counts);
}

TEST(CdaMix, SmallAndEmptyClassesAreDefined) {
  for (const ClassRows class_rows : {ClassRows::balanced, ClassRows::proportional}) {
    for (const Demix demix : {Demix::none, Demix::tied}) {
      for (const int mix : {0, 30}) {
        CdaRequest r = request(5, 7, 2);
        r.class_rows = class_rows;
        r.demix = demix;
        r.mix = mix;
        std::int64_t first = 0;
        for (const MixedClass& c : planned(r, {0, 1, 20, 40, 3000})) {
          EXPECT_EQ(c.first, first);
          first += c.rows;
          EXPECT_GE(c.mix, 1);
          EXPECT_GT(c.rate, 0);
          EXPECT_LE(c.rate, 1);
          if (c.rows > 0) {
            EXPECT_GT(c.noise(), 0);
            EXPECT_TRUE(std::isfinite(c.noise()));
          }
        }
        EXPECT_EQ(first, 7);
      }
    }
  }
  const std::vector<MixedClass> none = planned(request(3, 9, 1), {0, 0, 0});
  for (const MixedClass& c : none) EXPECT_EQ(c.rate, 1);
}

// A class smaller than the mix joins whole, with noise that does not depend on the mix; its rows
// are means of it as far as the noisy count is right, not shrunk towards the middle.
TEST(CdaMix, SmallClassesAreNotShrunk) {
  const Counts counts = {0, 1, 20, 40, 3000};
  for (const Demix demix : {Demix::none, Demix::per_class, Demix::tied}) {
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      CdaRequest r = request(5, 50, 2);
      r.demix = demix;
      r.adjacency = adjacency;
      r.mix = 900;
      const std::vector<MixedClass> many = planned(r, counts);
      r.mix = 30;
      const std::vector<MixedClass> few = planned(r, counts);
      for (std::size_t k = 0; k < counts.size(); ++k) {
        const auto count = static_cast<double>(counts[k]);
        for (const MixedClass& c : {few[k], many[k]}) {
          EXPECT_NEAR(c.rate * count / c.mix, std::min(1., count), 1e-9) << k;  // mean of a row
        }
        EXPECT_EQ(few[k].mix, std::clamp<std::int64_t>(counts[k], 1, 30)) << k;
        EXPECT_EQ(many[k].mix, std::clamp<std::int64_t>(counts[k], 1, 900)) << k;
        if (counts[k] > 30) continue;
        EXPECT_EQ(few[k].rate, 1) << k;
        EXPECT_EQ(few[k].sigma, many[k].sigma) << k;
      }
    }
  }
}

// What is chosen for raw rows: noise near .2 half widths where the classes are large enough, the
// same in classes of different sizes; near the least where they are not.
TEST(CdaMix, RawRowsGetNoiseAsWideAsAClass) {
  for (const MixedClass& c : planned(request(3, 6000, 10), {1500, 3000, 6000})) {
    EXPECT_NEAR(c.noise(), .2, .03);
    EXPECT_LT(c.mix, 40);
  }
  const CdaRequest weak = request(2, 2000, .5);
  const CdaPlan plan = plan_cda(weak);
  for (const MixedClass& c : planned(weak, {1000, 1000})) {
    const double least = plain_multiplier(plan.rows, 1000) / 1000 * 4;
    EXPECT_GT(least, .2);
    EXPECT_LT(c.noise(), 1.25 * least);
    EXPECT_LT(c.mix, 200);
  }
}

TEST(CdaMix, UselessnessIsToldOfWhatIsKept) {
  MixedClass c{0, 100, 10, .01, .01, 0};
  const auto useless = [&](double noise, Demix demix, int coordinates = 16) {
    c.sigma = noise * half_steps * c.mix;
    return useless_classes({&c, 1}, coordinates, demix);
  };
  EXPECT_EQ(useless(.9, Demix::none).rows, 0);
  EXPECT_EQ(useless(1.1, Demix::none).rows, 1);
  EXPECT_EQ(useless(1.1, Demix::none).averages, 0);
  EXPECT_EQ(useless(11, Demix::none).averages, 1);
  // .099 of variance at most, against noise^2 (1.4^2 - 1).
  EXPECT_EQ(useless(.31, Demix::per_class).rows, 0);
  EXPECT_EQ(useless(.33, Demix::per_class).rows, 1);
  EXPECT_EQ(useless(.33, Demix::per_class, 1).rows, 0);
  EXPECT_EQ(useless(11, Demix::tied).averages, 1);
  c.rows = 0;
  EXPECT_EQ(useless(11, Demix::none).of, 0);
}

}  // namespace
}  // namespace dpmix
