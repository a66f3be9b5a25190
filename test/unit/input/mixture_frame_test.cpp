// Shares and cells: whole numbers, within their bounds whatever a row and a frame hold.
#include "core/input/mixture_frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "core/input/cell_grid.hpp"
#include "tables/mixture_tables.hpp"

namespace dpmix::test {
namespace {

constexpr double kWhole = static_cast<double>(MixtureFrame::whole);

MixtureFrame random_frame(std::mt19937_64& random, int components, int features) {
  std::normal_distribution<double> normal;
  MixtureFrame mixture;
  const auto d = static_cast<std::size_t>(features);
  const auto frame = [&](bool diagonal) {
    MomentFrame f;
    f.features = features;
    f.diagonal = diagonal;
    f.lower.assign(d, -5);
    f.upper.assign(d, 5);
    for (int k = 0; k < components; ++k) {
      MomentFrame::Class& c = f.classes.emplace_back();
      c.radius = std::exp(normal(random));
      for (std::size_t i = 0; i < d; ++i) c.centre.push_back(3 * normal(random));
      for (std::size_t i = 0; i < (diagonal ? d : d * d); ++i) {
        c.whitening.push_back(normal(random));
      }
    }
    return f;
  };
  mixture.frame = frame(random() % 2);
  if (random() % 2) mixture.density = frame(random() % 2);
  mixture.hard = random() % 4 == 0;
  for (int k = 0; k < components; ++k) {
    mixture.log_weight.push_back(normal(random));
    mixture.tightness.push_back(random() % 5 == 0 ? 0 : std::exp(3 * normal(random)));
  }
  return mixture;
}

struct Placed {
  std::vector<double> memory;
  MixturePlacer placer;
  std::vector<std::int64_t> shares;
  explicit Placed(const MixtureFrame& frame)
      : memory(MixturePlacer::memory_size(frame)),
        placer(frame, memory.data()),
        shares(frame.log_weight.size()) {}
};

TEST(MixtureFrame, SharesAreThePosteriorAndNeverMoreThanAWhole) {
  std::mt19937_64 random(1);
  Table table{4, 1, std::vector<double>(4, -5), std::vector<double>(4, 5), {}, {}};
  for (int trial = 0; trial < 200; ++trial) {
    const int components = 1 + static_cast<int>(random() % 12);
    const MixtureFrame mixture = random_frame(random, components, 4);
    std::vector<double> packed = mixture.frame.pack();
    const std::vector<double> extra = mixture.extra();
    packed.insert(packed.end(), extra.begin(), extra.end());
    Placed placed(MixtureFrame::unpack(packed));
    const MomentFrame& seen = mixture.density ? *mixture.density : mixture.frame;
    for (int n = 0; n < 20; ++n) {
      const std::vector<double> x = awkward_row(random, table);
      const bool missing = std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); });
      ASSERT_EQ(placed.placer.shares(x.data(), placed.shares.data()), !missing);
      EXPECT_EQ(placed.placer.most_likely(x.data()) < 0, missing);
      if (missing) continue;
      std::vector<double> density;
      double sum = 0, most = -HUGE_VAL;
      for (std::size_t k = 0; k < placed.shares.size(); ++k) {
        double square = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          double y = 0;
          for (std::size_t j = seen.diagonal ? i : 0; j < (seen.diagonal ? i + 1 : 4); ++j) {
            y += seen.classes[k].whitening[seen.diagonal ? i : i * 4 + j] *
                 (std::clamp(x[j], -5., 5.) - seen.classes[k].centre[j]);
          }
          square += y * y;
        }
        density.push_back(mixture.log_weight[k] - mixture.tightness[k] * square / 2);
        most = std::max(most, density.back());
      }
      for (double& p : density) sum += p = std::exp(p - most);
      std::int64_t all = 0;
      for (std::size_t k = 0; k < placed.shares.size(); ++k) {
        const std::int64_t share = placed.shares[k];
        ASSERT_GE(share, 0);
        all += share;
        if (!mixture.hard) {
          EXPECT_NEAR(static_cast<double>(share), density[k] / sum * kWhole, 14);
        }
      }
      ASSERT_LE(all, MixtureFrame::whole);
      EXPECT_GE(all, MixtureFrame::whole - 2 * components);
      const auto likeliest = static_cast<std::size_t>(placed.placer.most_likely(x.data()));
      if (mixture.hard) {
        EXPECT_EQ(placed.shares[likeliest], MixtureFrame::whole);
      }
      EXPECT_GE(density[likeliest], 1 - 1e-9);
      std::int32_t q[FramePlacer::max_row];
      placed.placer.place(0, x.data(), q);
      std::int64_t square = 0;
      for (int i = 0; i < 4; ++i) square += std::int64_t{q[i]} * q[i];
      EXPECT_LE(square, mixture.frame.resolution * mixture.frame.resolution);
    }
  }
}

TEST(MixtureFrame, SharesAreNumbersInAFrameOfAnyRadius) {
  MixtureFrame frame;
  frame.frame = {1, true, 1, {-1}, {1}, {{1e200, {0}, {1}}, {1, {.5}, {1}}}, {}};
  frame.log_weight = {0, 0};
  frame.tightness = {1, 1};
  Placed placed(frame);
  for (const double x : {0., .25, 1.}) {
    ASSERT_TRUE(placed.placer.shares(&x, placed.shares.data()));
    EXPECT_GE(placed.shares[0], 0);
    EXPECT_GE(placed.shares[1], 0);
    EXPECT_LE(placed.shares[0] + placed.shares[1], MixtureFrame::whole);
  }
}

TEST(MixtureFrame, WhatIsNoFrameIsRefused) {
  std::mt19937_64 random(2);
  MixtureFrame mixture = random_frame(random, 3, 2);
  mixture.density.reset();
  std::vector<double> good = mixture.frame.pack();
  const std::size_t at = good.size();
  const std::vector<double> extra = mixture.extra();
  good.insert(good.end(), extra.begin(), extra.end());
  EXPECT_NO_THROW(MixtureFrame::unpack(good));
  const auto refused = [&](std::size_t index, double value) {
    std::vector<double> bad = good;
    bad[index] = value;
    EXPECT_THROW(MixtureFrame::unpack(bad), Error) << index << " " << value;
  };
  refused(at, 2);
  refused(at + 1, NAN);
  refused(at + 2, HUGE_VAL);
  refused(at + 4, -1);
  refused(at + 5, NAN);
  for (const std::size_t size : {at, at + 1, good.size() - 1}) {
    EXPECT_THROW(MixtureFrame::unpack(std::span(good).first(size)), Error);
  }
  std::vector<double> more = good;
  more.push_back(1);
  EXPECT_THROW(MixtureFrame::unpack(more), Error);
  const std::vector<double> other = random_frame(random, 2, 2).frame.pack();
  std::vector<double> fewer = good;
  fewer.insert(fewer.end(), other.begin(), other.end());
  EXPECT_THROW(MixtureFrame::unpack(fewer), Error);
}

TEST(CellGrid, EveryPlaceIsInOneCell) {
  constexpr std::int64_t resolution = 7;
  for (const int side : {1, 2, 3, 5, 15, 40}) {
    int before = 0;
    for (std::int32_t q = -7; q <= 7; ++q) {
      const std::int32_t row[] = {q, -q};
      const int one = cell_of(row, 1, side, resolution), two = cell_of(row, 2, side, resolution);
      EXPECT_GE(one, before);
      EXPECT_LT(one, side);
      EXPECT_EQ(two / side, one);
      before = one;
    }
    const std::int32_t left[] = {-7}, right[] = {7};
    EXPECT_EQ(cell_of(left, 1, side, resolution), 0);
    EXPECT_GE(cell_of(right, 1, side, resolution), std::min(side, 15) * side / 15 - 3);
  }
  CellGrid grid;
  grid.frame.classes.resize(1);
  grid.frame.classes[0].radius = 3;
  grid.side = 4;
  EXPECT_EQ(grid.middle(0, 0), -2.25);
  EXPECT_EQ(grid.middle(0, 3), 2.25);
}

}  // namespace
}  // namespace dpmix::test
