#include "core/input/moment_frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "core/base/error.hpp"
#include "core/input/moment_frame_placer.hpp"

namespace dpmix {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

MomentFrame random_frame(std::mt19937_64& random, int classes, int features, bool diagonal,
                         std::int64_t resolution) {
  std::normal_distribution<double> normal;
  MomentFrame frame;
  frame.features = features;
  frame.diagonal = diagonal;
  frame.resolution = resolution;
  frame.lower.assign(static_cast<std::size_t>(features), -10);
  frame.upper.assign(static_cast<std::size_t>(features), 12);
  for (int k = 0; k < classes; ++k) {
    MomentFrame::Class c;
    c.radius = std::exp(normal(random));
    for (int i = 0; i < features; ++i) c.centre.push_back(normal(random));
    for (int i = 0; i < (diagonal ? features : features * features); ++i) {
      c.whitening.push_back(normal(random));
    }
    frame.classes.push_back(c);
  }
  return frame;
}

struct Placed {
  bool present;
  std::vector<std::int32_t> q;
};

class Placer {
 public:
  explicit Placer(const MomentFrame& frame)
      : memory_(FramePlacer::memory_size(frame)),
        placer_(frame, memory_.data()),
        features_(static_cast<std::size_t>(frame.features)) {}
  Placed operator()(int k, const std::vector<double>& x) const {
    std::int32_t q[FramePlacer::max_row];
    const bool present = placer_.place(k, x.data(), q);
    for (std::size_t i = features_; present && i < padded(features_); ++i) EXPECT_EQ(q[i], 0);
    return {present, {q, q + features_}};
  }

 private:
  std::vector<double> memory_;
  FramePlacer placer_;
  std::size_t features_;
};

std::int64_t squared_norm(const std::vector<std::int32_t>& q) {
  std::int64_t sum = 0;
  for (std::int32_t v : q) sum += static_cast<std::int64_t>(v) * v;
  return sum;
}

// z in lattice steps before the clip, in extended precision.
std::vector<long double> exact_map(const MomentFrame& frame, std::size_t k,
                                   const std::vector<double>& x) {
  const MomentFrame::Class& c = frame.classes[k];
  const std::size_t d = x.size();
  std::vector<long double> y(d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = frame.diagonal ? i : 0; j < (frame.diagonal ? i + 1 : d); ++j) {
      const long double offset =
          std::clamp(x[j], frame.lower[j], frame.upper[j]) - static_cast<long double>(c.centre[j]);
      y[i] += offset * c.whitening[frame.diagonal ? i : i * d + j];
    }
    y[i] *= static_cast<long double>(frame.resolution) / c.radius;
  }
  return y;
}

TEST(FramePlacer, StaysInTheBallAndMapsClipsAndRoundsTowardZero) {
  std::mt19937_64 random(4);
  for (int features : {1, 2, 3, 7, 8, 9, 16, 17, 100}) {
    for (bool diagonal : {false, true}) {
      for (std::int64_t resolution :
           {std::int64_t{1}, std::int64_t{2}, std::int64_t{1000}, MomentFrame::max_resolution}) {
        const MomentFrame frame = random_frame(random, 3, features, diagonal, resolution);
        const Placer place(frame);
        std::uniform_real_distribution<double> unit(-1, 1);
        for (int trial = 0; trial < 200; ++trial) {
          const std::size_t k = static_cast<std::size_t>(trial) % 3;
          std::vector<double> x;
          const double size = std::pow(10.0, 3 * unit(random) - 1);
          for (int i = 0; i < features; ++i)
            x.push_back(frame.classes[k].centre[static_cast<std::size_t>(i)] + size * unit(random));
          if (trial % 7 == 0) x[0] = trial % 2 == 0 ? infinity : -infinity;
          const Placed row = place(static_cast<int>(k), x);
          ASSERT_TRUE(row.present);
          ASSERT_LE(squared_norm(row.q), resolution * resolution);
          std::vector<long double> y = exact_map(frame, k, x);
          long double norm = 0;
          for (long double v : y) norm += v * v;
          norm = std::sqrt(norm);
          for (std::size_t i = 0; i < y.size(); ++i) {
            if (norm > resolution) y[i] *= static_cast<long double>(resolution) / norm;
            EXPECT_LE(std::abs(static_cast<long double>(row.q[i])), std::abs(y[i]) + 1e-6);
            EXPECT_GE(std::abs(static_cast<long double>(row.q[i])), std::abs(y[i]) - 1 - 1e-6);
            EXPECT_GE(static_cast<long double>(row.q[i]) * y[i], -1e-6);
          }
        }
      }
    }
  }
}

// Points at the radius and one ulp around it: where floating point could slip.
TEST(FramePlacer, StaysInTheBallAtItsSurface) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (std::int64_t resolution :
       {std::int64_t{3}, std::int64_t{99991}, MomentFrame::max_resolution}) {
    MomentFrame frame = random_frame(random, 1, 5, true, resolution);
    frame.classes[0].radius = 1;
    frame.classes[0].centre.assign(5, 0);
    frame.classes[0].whitening.assign(5, 1);
    const Placer place(frame);
    for (int trial = 0; trial < 20000; ++trial) {
      std::vector<double> x(5);
      double norm = 0;
      for (double& v : x) v = trial % 5 == 0 ? 1 : normal(random), norm += v * v;
      for (double& v : x) v = v / std::sqrt(norm) * (1 + (trial % 9 - 4) * 1.2e-16);
      EXPECT_LE(squared_norm(place(0, x).q), resolution * resolution);
    }
    EXPECT_EQ(place(0, {1, 0, 0, 0, 0}).q[0], resolution);
    EXPECT_EQ(place(0, {0, 0, -7, 0, 0}).q[2], -resolution);
  }
}

TEST(FramePlacer, PullsInsideOneStepAtATime) {
  std::vector<std::int32_t> q = {3, -4, 4, 0};  // 41, and the radius is 5
  pull_inside(q.data(), q.size(), 5);
  EXPECT_EQ(q, (std::vector<std::int32_t>{2, -3, 3, 0}));  // by way of 34 and 27
}

TEST(FramePlacer, RowsWithANaNAreMissing) {
  std::mt19937_64 random(6);
  for (bool diagonal : {false, true}) {
    MomentFrame frame = random_frame(random, 2, 9, diagonal, 1000);
    frame.classes[0].whitening.assign(frame.classes[0].whitening.size(), 0);
    const Placer place(frame);
    for (std::size_t at = 0; at < 9; ++at) {
      std::vector<double> x(9, infinity);
      EXPECT_TRUE(place(0, x).present);
      x[at] = std::nan("");
      EXPECT_FALSE(place(0, x).present);
      EXPECT_FALSE(place(1, x).present);
    }
  }
}

TEST(MomentFrame, PacksWhatItUnpacks) {
  std::mt19937_64 random(7);
  for (bool diagonal : {false, true}) {
    const MomentFrame frame = random_frame(random, 4, 3, diagonal, 12345);
    const std::vector<double> packed = frame.pack();
    const MomentFrame read = MomentFrame::unpack(packed);
    EXPECT_EQ(read.pack(), packed);
    EXPECT_EQ(read.classes[3].whitening, frame.classes[3].whitening);
    EXPECT_EQ(read.step(2), frame.classes[2].radius / 12345);
  }
}

TEST(MomentFrame, RefusesWhatIsNotAFrame) {
  std::mt19937_64 random(8);
  const auto refused = [](const std::vector<double>& packed) {
    try {
      MomentFrame::unpack(packed);
      return false;
    } catch (const Error& error) {
      return error.code == ErrorCode::invalid_parameter;
    }
  };
  const std::vector<double> good = random_frame(random, 2, 3, false, 1000).pack();
  EXPECT_FALSE(refused(good));
  const auto with = [&](std::size_t at, double value) {
    std::vector<double> bad = good;
    bad[at] = value;
    return bad;
  };
  const double nan = std::nan("");
  for (std::size_t at = 0; at < good.size(); ++at) {
    EXPECT_TRUE(refused(with(at, nan))) << at;
    EXPECT_TRUE(refused(with(at, infinity))) << at;
    const bool radius = at == 11 || at == 24;  // any radius that leaves the map finite will do
    EXPECT_EQ(refused(with(at, at < 8 || at >= 11 ? 1e200 : -1e200)), !radius) << at;
  }
  for (double version : {0.0, 2.0}) EXPECT_TRUE(refused(with(0, version)));
  for (double classes : {0.0, -1.0, 1.5, 3.0, 1001.0}) EXPECT_TRUE(refused(with(1, classes)));
  for (double features : {0.0, 2.0, 101.0}) EXPECT_TRUE(refused(with(2, features)));
  for (double diagonal : {1.0, 2.0, -1.0}) EXPECT_TRUE(refused(with(3, diagonal)));
  for (double resolution : {0.0, .5, 1048577.0}) EXPECT_TRUE(refused(with(4, resolution)));
  EXPECT_TRUE(refused(with(5, 12)));  // lower = upper
  EXPECT_TRUE(refused(with(11, 0)));  // radius
  EXPECT_TRUE(refused(with(11, -1)));
  EXPECT_TRUE(refused(with(11, 1e-300)));  // the map in units of the radius overflows
  EXPECT_TRUE(refused({}));
  for (std::size_t size : {1, 5, 11, static_cast<int>(good.size()) - 1}) {
    EXPECT_TRUE(refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}));
  }
  EXPECT_THROW(random_frame(random, 208, 100, true, 10).pack(), Error);  // too many products
  EXPECT_NO_THROW(random_frame(random, 207, 100, true, 10).pack());
}

}  // namespace
}  // namespace dpmix
