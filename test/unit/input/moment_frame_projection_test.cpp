// Would falsify "a frame with a projection places a row x as the frame without it places P(x)".
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.hpp"
#include "core/input/mixture_frame.hpp"
#include "core/input/moment_frame_placer.hpp"

namespace dpmix {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

MomentFrame random_frame(std::mt19937_64& random, int classes, int inputs, int features,
                         bool diagonal) {
  std::normal_distribution<double> normal;
  const auto numbers = [&](int count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& v : values) v = normal(random);
    return values;
  };
  MomentFrame frame;
  frame.features = features;
  frame.diagonal = diagonal;
  frame.lower.assign(static_cast<std::size_t>(features), -1.5);
  frame.upper.assign(static_cast<std::size_t>(features), 2);
  for (int k = 0; k < classes; ++k) {
    frame.classes.push_back({std::exp(normal(random)), numbers(features),
                             numbers(diagonal ? features : features * features)});
  }
  const auto n = static_cast<std::size_t>(inputs);
  frame.projection =
      MomentFrame::Projection{std::vector<double>(n, -10), std::vector<double>(n, 12),
                              numbers(inputs), numbers(features * inputs)};
  for (double& v : frame.projection->map) v /= 5 * std::sqrt(inputs);
  return frame;
}

// In the order of the code: even and odd inputs apart, so that the doubles are the same.
std::vector<double> project(const MomentFrame::Projection& p, const std::vector<double>& x,
                            int features) {
  std::vector<double> y;
  for (std::size_t i = 0; i < static_cast<std::size_t>(features); ++i) {
    double even = 0, odd = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      double value = x[j];
      if (value < p.lower[j]) value = p.lower[j];
      if (value > p.upper[j]) value = p.upper[j];
      (j % 2 == 0 ? even : odd) += p.map[i * x.size() + j] * (value - p.centre[j]);
    }
    y.push_back(even + odd);
  }
  return y;
}

struct Placer {
  explicit Placer(const MomentFrame& frame)
      : memory(FramePlacer::memory_size(frame)), placer(frame, memory.data()) {}
  std::vector<double> memory;
  FramePlacer placer;
};

std::vector<double> awkward(std::mt19937_64& random, int inputs) {
  std::normal_distribution<double> normal;
  std::vector<double> x(static_cast<std::size_t>(inputs));
  const double size = std::pow(10., static_cast<double>(random() % 5) - 2);
  for (double& v : x) v = size * normal(random);
  if (random() % 4 == 0) {
    for (double& v : x) v = random() % 2 ? infinity : -infinity;
  }
  if (random() % 4 == 0) x[random() % x.size()] = random() % 2 ? 1e300 : -infinity;
  return x;
}

TEST(FrameProjection, PlacesWhatTheSquareFramePlacesOfTheProjectedRow) {
  std::mt19937_64 random(3);
  int clipped = 0, inside = 0;
  for (const auto& [inputs, features] :
       {std::pair{1, 1}, {2, 1}, {7, 3}, {8, 8}, {17, 9}, {50, 5}, {100, 64}, {100, 99}}) {
    for (const bool diagonal : {false, true}) {
      const MomentFrame frame = random_frame(random, 3, inputs, features, diagonal);
      MomentFrame square = frame;
      square.projection.reset();
      EXPECT_EQ(frame.inputs(), inputs);
      EXPECT_EQ(square.inputs(), features);
      const Placer seen(frame), plain(square);
      for (int trial = 0; trial < 200; ++trial) {
        const std::vector<double> x = awkward(random, inputs);
        const std::vector<double> y = project(*frame.projection, x, features);
        const int k = trial % 3;
        std::vector<std::int32_t> a(FramePlacer::max_row, -1), b = a;
        ASSERT_TRUE(seen.placer.place(k, x.data(), a.data()));
        ASSERT_TRUE(plain.placer.place(k, y.data(), b.data()));
        EXPECT_EQ(a, b);
        std::vector<double> room(FramePlacer::max_row);
        const double norm =
            seen.placer.norm2_projected(k, seen.placer.project(x.data(), room.data()));
        EXPECT_EQ(norm, plain.placer.norm2_projected(k, y.data()));
        std::int64_t squares = 0;
        for (int i = 0; i < features; ++i) {
          squares += std::int64_t{a[static_cast<std::size_t>(i)]} * a[static_cast<std::size_t>(i)];
        }
        ASSERT_LE(squares, frame.resolution * frame.resolution);
        ++(norm > std::pow(static_cast<double>(frame.resolution), 2) ? clipped : inside);
      }
    }
  }
  EXPECT_GT(clipped, 100);
  EXPECT_GT(inside, 100);
}

TEST(FrameProjection, ARowWithANaNIsMissingEvenWhereTheMapIsZero) {
  std::mt19937_64 random(4);
  MomentFrame frame = random_frame(random, 1, 9, 2, false);
  std::fill(frame.projection->map.begin(), frame.projection->map.end(), 0);
  const Placer placer(frame);
  std::int32_t q[FramePlacer::max_row];
  for (std::size_t at = 0; at < 9; ++at) {
    std::vector<double> x(9, infinity);
    EXPECT_TRUE(placer.placer.place(0, x.data(), q));
    x[at] = std::nan("");
    EXPECT_FALSE(placer.placer.place(0, x.data(), q));
  }
}

TEST(FrameProjection, SharesOfComponentsAreThoseOfTheProjectedRow) {
  std::mt19937_64 random(5);
  MixtureFrame mixture;
  mixture.frame = random_frame(random, 4, 30, 3, false);
  mixture.log_weight = {0, -1, -2, .5};
  mixture.tightness = {1, .3, 2, .1};
  MixtureFrame square = mixture;
  square.frame.projection.reset();
  std::vector<double> memory(MixturePlacer::memory_size(mixture)),
      other(MixturePlacer::memory_size(square));
  const MixturePlacer seen(mixture, memory.data()), plain(square, other.data());
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<double> x = awkward(random, 30);
    const std::vector<double> y = project(*mixture.frame.projection, x, 3);
    std::vector<std::int64_t> shares(4), expected(4);
    ASSERT_TRUE(seen.shares(x.data(), shares.data()));
    ASSERT_TRUE(plain.shares(y.data(), expected.data()));
    EXPECT_EQ(shares, expected);
    for (int k = 0; k < 4; ++k) {
      std::vector<std::int32_t> q(FramePlacer::max_row), placed = q;
      seen.place(k, x.data(), q.data());
      plain.place(k, y.data(), placed.data());
      EXPECT_EQ(q, placed);
    }
    EXPECT_EQ(seen.most_likely(x.data()), plain.most_likely(y.data()));
  }
}

TEST(FrameProjection, PacksWhatItUnpacks) {
  std::mt19937_64 random(7);
  for (const bool diagonal : {false, true}) {
    const MomentFrame frame = random_frame(random, 4, 7, 3, diagonal);
    std::vector<double> packed = frame.pack();
    EXPECT_EQ(packed[0], 2);
    EXPECT_EQ(packed.size(), 5 + 1 + 3 * 7 + 3 * 7 + 2 * 3 + 4 * (1 + 3 + (diagonal ? 3 : 9u)));
    const MomentFrame read = MomentFrame::unpack(packed);
    EXPECT_EQ(read.pack(), packed);
    EXPECT_EQ(read.projection->map, frame.projection->map);
    EXPECT_EQ(read.classes[3].whitening, frame.classes[3].whitening);
    packed.push_back(17);
    std::span<const double> rest = packed;
    EXPECT_EQ(MomentFrame::unpack_front(rest).inputs(), 7);
    EXPECT_EQ(rest.size(), 1);
    MomentFrame square = frame;
    square.projection.reset();
    EXPECT_EQ(square.pack()[0], 1);
  }
}

TEST(FrameProjection, RefusesWhatIsNotAProjection) {
  std::mt19937_64 random(8);
  const auto refused = [](const std::vector<double>& packed) {
    try {
      MomentFrame::unpack(packed);
      return false;
    } catch (const Error& error) {
      return error.code == ErrorCode::invalid_parameter;
    }
  };
  const std::vector<double> good = random_frame(random, 2, 4, 3, false).pack();
  EXPECT_FALSE(refused(good));
  const auto with = [&](std::size_t at, double value) {
    std::vector<double> bad = good;
    bad[at] = value;
    return bad;
  };
  for (std::size_t at = 0; at < good.size(); ++at) {
    EXPECT_TRUE(refused(with(at, std::nan("")))) << at;
    EXPECT_TRUE(refused(with(at, infinity))) << at;
  }
  // 5: inputs, then lower, upper, centre of four, and the map.
  for (const double inputs : {0., 2., 3., 3.5, 5., 101., 1e300}) {
    EXPECT_TRUE(refused(with(5, inputs))) << inputs;
  }
  EXPECT_TRUE(refused(with(6, 12)));       // lower = upper
  EXPECT_TRUE(refused(with(14, 1e200)));   // a centre so far away that the map overflows
  EXPECT_TRUE(refused(with(18, -1e200)));  // the map
  EXPECT_TRUE(refused(with(0, 1)));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}));
  }
}

}  // namespace
}  // namespace dpmix
