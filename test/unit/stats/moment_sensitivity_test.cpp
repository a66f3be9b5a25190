// A search for neighbours that move the moments further than claimed. It comes within 1 % of every
// bound and must never pass one.
#include "core/stats/moment_sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

using Vector = std::vector<long double>;

struct Weights {
  double a, b, c, r;
};

// |phi(z) - phi(z')|^2 of two rows of one class, from the definition: all d + d^2 coordinates.
long double within_class(const Weights& w, const Vector& z, const Vector& other) {
  long double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    sum += w.b * w.b * (z[i] - other[i]) * (z[i] - other[i]);
    for (std::size_t j = 0; j < z.size(); ++j) {
      const long double change = z[i] * z[j] - other[i] * other[j];
      sum += w.c * w.c * change * change;
    }
  }
  return sum;
}

long double one_row(const Weights& w, const Vector& z) {
  return w.a * w.a + within_class(w, z, Vector(z.size()));
}

Vector random_point(std::mt19937_64& random, int features, double r) {
  std::normal_distribution<long double> normal;
  Vector z(static_cast<std::size_t>(features));
  long double norm = 0;
  for (auto& v : z) v = normal(random), norm += v * v;
  const bool surface = random() % 4 != 0;
  const long double size = surface ? r : r * std::uniform_real_distribution<double>()(random);
  for (auto& v : z) v *= size / std::sqrt(norm);
  return z;
}

TEST(MomentSensitivity, NoNeighbourGoesFurtherAndSomeComeNear) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  int beyond_root_two = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Weights w{std::exp(2 * normal(random)), std::exp(2 * normal(random)),
                    std::exp(2 * normal(random)), std::exp(normal(random))};
    const int features = 2 + trial % 2;
    const auto bound = [&](Adjacency adjacency) {
      return moment_sensitivity(adjacency, w.a, w.b, w.c, w.r);
    };
    const double one = bound(Adjacency::add_remove), label = bound(Adjacency::label),
                 replace = bound(Adjacency::replace);
    EXPECT_GE(replace, label);
    beyond_root_two += replace > 1.001 * label;
    long double furthest_one = 0, furthest_label = 0, furthest_replace = 0;
    for (int step = 0; step < 20000; ++step) {
      const Vector z = random_point(random, features, w.r),
                   other = random_point(random, features, w.r);
      const long double row = one_row(w, z), two = row + one_row(w, other);
      furthest_one = std::max(furthest_one, row);
      furthest_label = std::max(furthest_label, two);  // leaves one class, enters another
      furthest_replace = std::max({furthest_replace, row, two, within_class(w, z, other)});
    }
    for (auto [found, claimed] :
         {std::pair{furthest_one, one}, {furthest_label, label}, {furthest_replace, replace}}) {
      EXPECT_LE(std::sqrt(found), claimed * (1 + 1e-15L));
      EXPECT_GE(std::sqrt(found), .99 * claimed);
    }
    if (w.b * w.b <= 2 * w.a * w.c) {
      EXPECT_LE(replace, label);
    }
  }
  EXPECT_GT(beyond_root_two, 5);  // both cases of the formula were met
}

TEST(MomentSensitivity, RoundsUp) {
  EXPECT_GE(moment_sensitivity(Adjacency::add_remove, 1, 0, 0, 1), 1);
  EXPECT_LE(moment_sensitivity(Adjacency::add_remove, 1, 0, 0, 1), 1 + 1e-14);
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> weight(.1, 3);
  for (int trial = 0; trial < 100000; ++trial) {
    const double a = weight(random), b = weight(random), c = weight(random), r = weight(random);
    const long double l = static_cast<long double>(b) * r, s = static_cast<long double>(c) * r * r;
    const long double one = static_cast<long double>(a) * a + l * l + s * s;
    const long double t = std::min(1.0L, l * l / (2 * s * s));
    const long double same = l * l * (2 + 2 * t) + s * s * (2 - 2 * t * t);
    EXPECT_GE(moment_sensitivity(Adjacency::add_remove, a, b, c, r), std::sqrt(one));
    EXPECT_GE(moment_sensitivity(Adjacency::replace, a, b, c, r),
              std::sqrt(std::max(2 * one, same)));
  }
}

// Lattice steps and whitened units are the same statement.
TEST(MomentSensitivity, DoesNotDependOnTheUnit) {
  const double g = 0x1p-18, a = .5, b = .3, c = .1;
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
    EXPECT_DOUBLE_EQ(moment_sensitivity(adjacency, a, b, c, 4),
                     moment_sensitivity(adjacency, a, b * g, c * g * g, 4 / g));
  }
}

TEST(MomentSensitivity, RefusesWhatIsNoWeight) {
  const double nan = std::nan(""), infinity = HUGE_VAL;
  for (auto [a, b, c, r] : std::vector<Weights>{{-1, 1, 1, 1},
                                                {1, -1, 1, 1},
                                                {1, 1, -1, 1},
                                                {1, 1, 1, 0},
                                                {1, 1, 1, -1},
                                                {nan, 1, 1, 1},
                                                {1, nan, 1, 1},
                                                {1, 1, nan, 1},
                                                {1, 1, 1, nan},
                                                {infinity, 1, 1, 1},
                                                {1, 1, 1, infinity},
                                                {1, 1, 1, 1e200},
                                                {1, 1, 1, 1e-170},
                                                {0, 0, 0, 1}}) {
    EXPECT_THROW(moment_sensitivity(Adjacency::replace, a, b, c, r), Error);
  }
}

}  // namespace
}  // namespace dpmix
