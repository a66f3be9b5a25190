// The pairs against all there is on small tables of one feature: exact densities of the rows, one
// subset of records at a time, and the hockey-stick divergence by quadrature. Nothing here knows
// which tables are the worst.
#include "core/synthetic/dominating_pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dpmix::test {
namespace {

using Class = std::vector<double>;
using Densities = std::vector<double>;  // of a row, at places of a grid

struct Places {
  double from, step;
  int count;
  double at(int i) const { return from + step * i; }
};

// Of a synthetic row of that class.
Densities row_of(const Class& records, const MixedRows& rows, const Places& places) {
  const auto n = static_cast<int>(records.size());
  const auto mix = static_cast<int>(rows.mix);
  const double rate =
      std::min(1.0, static_cast<double>(mix) / static_cast<double>(rows.class_rows));
  Densities density(static_cast<std::size_t>(places.count));
  double total = 0;
  for (unsigned subset = 0; subset < 1u << n; ++subset) {
    const int size = std::popcount(subset);
    double weight = std::pow(rate, size) * std::pow(1 - rate, n - size);
    if (rows.sampler == CdaSampler::without_replacement) weight = size == mix ? 1 : 0;
    total += weight;
    if (weight == 0) continue;
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += (subset >> i & 1) * records[static_cast<std::size_t>(i)];
    for (int i = 0; i < places.count; ++i) {
      const double z = (places.at(i) - sum / mix) / rows.scale;
      density[static_cast<std::size_t>(i)] += weight * std::exp(-z * z / 2);
    }
  }
  for (double& value : density) {
    value *= places.step / (total * rows.scale * std::sqrt(2 * std::numbers::pi));
  }
  return density;
}

double divergence(const Densities& p, const Densities& q, double epsilon) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
  return sum;
}

// Of two independent rows, one after the other.
double divergence(const Densities& p1, const Densities& p2, const Densities& q1,
                  const Densities& q2, double epsilon) {
  const double factor = std::exp(epsilon);
  double sum = 0;
  for (std::size_t i = 0; i < p1.size(); ++i) {
    for (std::size_t j = 0; j < p2.size(); ++j) {
      sum += std::max(0.0, p1[i] * p2[j] - factor * q1[i] * q2[j]);
    }
  }
  return sum;
}

// On these grids one row costs exactly what its pair does, at the epsilons below; two a little
// more.
constexpr double kStep = 0x1p-5, kFineStep = 0x1p-7;

// What the pairs say, over all changes.
double bound(const MixedRows& rows, double epsilon, double step = kStep) {
  double worst = 0;
  for (const CdaPair& pair : cda_pairs(rows)) {
    worst = std::max(worst, pair.losses(step, 1e-12).delta(epsilon));
  }
  return worst;
}

constexpr std::array<double, 4> kEpsilons = {0, .25, 1, 2.5};
constexpr std::array<CdaSampler, 2> kSamplers = {CdaSampler::poisson,
                                                 CdaSampler::without_replacement};
// Of the quadrature below, absolutely; and of the grid of losses, relatively.
constexpr double kQuadrature = 2e-5, kGrid = .01;

Places fine(double scale) {
  return {-1 - 7 * scale, (2 + 14 * scale) / 2000, 2001};
}
Places coarse(double scale) {
  return {-1 - 6 * scale, (2 + 12 * scale) / 300, 301};
}

class Tables {
 public:
  explicit Tables(unsigned seed) : random_(seed) {}
  // The outermost records more often than others.
  double record() {
    const double u = std::uniform_real_distribution<>(-2, 2)(random_);
    return std::clamp(u, -1.0, 1.0);
  }
  Class records(std::int64_t n) {
    Class result;
    const bool alike = std::bernoulli_distribution(.3)(random_);
    for (std::int64_t i = 0; i < n; ++i) result.push_back(alike && i > 0 ? result[0] : record());
    return result;
  }
  double scale() { return std::exp(std::uniform_real_distribution<>(-2, .7)(random_)); }
  std::int64_t below(std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(1, n - 1)(random_);
  }

 private:
  std::mt19937 random_;
};

Class with(Class records, double another) {
  records.push_back(another);
  return records;
}

TEST(CdaPairs, NoSmallTableShowsMoreOfARecordThatLeavesOrJoins) {
  Tables tables(1);
  for (int i = 0; i < 24; ++i) {
    for (const CdaSampler sampler : kSamplers) {
      const std::int64_t n = 2 + i % 4;
      const MixedRows rows{n,      tables.below(n), 1, 1, tables.scale(), Adjacency::add_remove,
                           sampler};
      const Places places = fine(rows.scale);
      // A table of class_rows records, and its neighbours with one less and one more.
      const Class less = tables.records(n - 1), here = with(less, tables.record()),
                  more = with(here, tables.record());
      const Densities a = row_of(less, rows, places), b = row_of(here, rows, places),
                      c = row_of(more, rows, places);
      for (const double epsilon : kEpsilons) {
        const double most = bound(rows, epsilon) + kQuadrature;
        for (const auto* pair : {&a, &c}) {
          EXPECT_LE(divergence(*pair, b, epsilon), most) << i << " " << epsilon;
          EXPECT_LE(divergence(b, *pair, epsilon), most) << i << " " << epsilon;
        }
      }
    }
  }
}

TEST(CdaPairs, NoSmallTableShowsMoreOfAReplacedRecord) {
  Tables tables(2);
  for (int i = 0; i < 24; ++i) {
    for (const CdaSampler sampler : kSamplers) {
      const std::int64_t n = 2 + i % 4;
      const MixedRows rows{n, tables.below(n), 1, 1, tables.scale(), Adjacency::replace, sampler};
      const Places places = fine(rows.scale);
      const Class others = tables.records(n - 1);
      const Densities a = row_of(with(others, tables.record()), rows, places),
                      b = row_of(with(others, tables.record()), rows, places);
      for (const double epsilon : kEpsilons) {
        EXPECT_LE(divergence(a, b, epsilon), bound(rows, epsilon) + kQuadrature)
            << i << " " << epsilon;
      }
    }
  }
}

// One row of each of two classes, between which a record moves; what replaces it elsewhere may be
// another.
TEST(CdaPairs, NoSmallTableShowsMoreOfAChangedLabel) {
  Tables tables(3);
  for (int i = 0; i < 9; ++i) {
    for (const CdaSampler sampler : kSamplers) {
      const std::int64_t n = 2 + i % 3;
      const bool replace = i % 2 != 0;
      const MixedRows rows{n,      tables.below(n), 1,
                           1,      tables.scale(),  replace ? Adjacency::replace : Adjacency::label,
                           sampler};
      const Places places = coarse(rows.scale);
      const Class left = tables.records(n - 1), joined = tables.records(n - 1);
      const double record = tables.record(), other = replace ? tables.record() : record;
      const Densities a1 = row_of(with(left, record), rows, places),
                      a2 = row_of(left, rows, places), b1 = row_of(joined, rows, places),
                      b2 = row_of(with(joined, other), rows, places);
      for (const double epsilon : kEpsilons) {
        EXPECT_LE(divergence(a1, b1, a2, b2, epsilon), bound(rows, epsilon) + kQuadrature)
            << i << " " << epsilon;
      }
    }
  }
}

TEST(CdaPairs, NoSmallTableShowsMoreInTwoRows) {
  Tables tables(4);
  for (int i = 0; i < 9; ++i) {
    for (const CdaSampler sampler : kSamplers) {
      for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
        const std::int64_t n = 2 + i % 3;
        const MixedRows rows{n, tables.below(n), 2, 1, tables.scale(), adjacency, sampler};
        const Places places = coarse(rows.scale);
        const Class others = tables.records(n - 1);
        const Densities a = row_of(with(others, tables.record()), rows, places);
        const Densities b = row_of(
            adjacency == Adjacency::replace ? with(others, tables.record()) : others, rows, places);
        for (const double epsilon : kEpsilons) {
          const double most = bound(rows, epsilon) + kQuadrature;
          EXPECT_LE(divergence(a, a, b, b, epsilon), most) << i << " " << epsilon;
          EXPECT_LE(divergence(b, b, a, a, epsilon), most) << i << " " << epsilon;
        }
      }
    }
  }
}

// All others at one end, the record at the other (Poisson: the others anywhere).
TEST(CdaPairs, SomeTableShowsAsMuch) {
  for (const CdaSampler sampler : kSamplers) {
    const bool poisson = sampler == CdaSampler::poisson;
    for (const double scale : {.2, .8}) {
      for (const std::int64_t mix : {1, 3}) {
        const auto rows = [&](Adjacency adjacency) {
          return MixedRows{4, mix, 2, 1, scale, adjacency, sampler};
        };
        const Places places = coarse(scale);
        const Class others = poisson ? Class{} : Class(3, -1.0);
        const Densities there = row_of(with(others, 1), rows(Adjacency::label), places),
                        gone = row_of(others, rows(Adjacency::label), places),
                        opposite = row_of(with(others, -1), rows(Adjacency::label), places);
        for (const double epsilon : kEpsilons) {
          const std::string where = std::to_string(poisson) + " " + std::to_string(scale) + " " +
                                    std::to_string(mix) + " " + std::to_string(epsilon);
          const auto reaches = [&](double shown, Adjacency adjacency) {
            EXPECT_GE(shown, bound(rows(adjacency), epsilon, kFineStep) * (1 - kGrid) - kQuadrature)
                << where;
          };
          reaches(std::max(divergence(there, there, gone, gone, epsilon),
                           divergence(gone, gone, there, there, epsilon)),
                  Adjacency::add_remove);
          if (poisson) {
            // The changed label costs two rows of each class, four in all: not looked at here.
            const CdaPair replaced = cda_pairs(rows(Adjacency::replace))[0];
            EXPECT_GE(divergence(there, there, opposite, opposite, epsilon),
                      replaced.losses(kFineStep, 1e-12).delta(epsilon) * (1 - kGrid) - kQuadrature)
                << where;
          }
          MixedRows one_row = rows(Adjacency::label);
          one_row.rows = 1;
          EXPECT_GE(divergence(there, gone, gone, there, epsilon),
                    bound(one_row, epsilon, kFineStep) * (1 - kGrid) - kQuadrature)
              << where;
        }
      }
    }
  }
}

// Without replacement the rate is that of the larger of the two tables: that of the smaller would
// be more than is needed, that of a table with one record more would be too little.
TEST(CdaPairs, WithoutReplacementCountsTheRecordThatLeaves) {
  const MixedRows right{4, 2, 1, 1, .3, Adjacency::add_remove, CdaSampler::without_replacement};
  MixedRows wrong = right;
  wrong.class_rows = 5;
  const Places places = fine(right.scale);
  const Densities there = row_of({-1, -1, -1, 1}, right, places),
                  gone = row_of({-1, -1, -1}, right, places);
  EXPECT_LE(divergence(there, gone, 1), bound(right, 1) + kQuadrature);
  EXPECT_GE(divergence(there, gone, 1), bound(right, 1) * (1 - kGrid));
  EXPECT_GT(divergence(there, gone, 1), bound(wrong, 1) * 1.1);
}

// Poisson rows of many features: wherever the two records lie, opposite ones show most.
TEST(CdaPairs, NoTwoRecordsOfThePlaneShowMoreThanOppositeOnes) {
  std::mt19937 random(5);
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<>(from, to)(random);
  };
  constexpr int kPlaces = 240;
  for (int i = 0; i < 12; ++i) {
    const double mu = uniform(.3, 3), rate = uniform(0, 1);
    const double step = 2 * (mu + 5.5) / kPlaces;
    const auto mixture = [&](double x, double y, double size, double angle) {
      const double dx = x - size * std::cos(angle), dy = y - size * std::sin(angle);
      return ((1 - rate) * std::exp(-(x * x + y * y) / 2) +
              rate * std::exp(-(dx * dx + dy * dy) / 2)) *
             step * step / (2 * std::numbers::pi);
    };
    const double u = mu * std::min(1.0, uniform(0, 2)), v = mu * std::min(1.0, uniform(0, 2)),
                 angle = uniform(0, std::numbers::pi);
    Densities p, q;
    for (int k = 0; k <= kPlaces; ++k) {
      for (int l = 0; l <= kPlaces; ++l) {
        const double x = -mu - 5.5 + k * step, y = -mu - 5.5 + l * step;
        p.push_back(mixture(x, y, u, 0));
        q.push_back(mixture(x, y, v, angle));
      }
    }
    const CdaPair opposite{CdaPair::Change::replaced, rate, mu, 1};
    for (const double epsilon : kEpsilons) {
      const double most = opposite.losses(kStep, 1e-12).delta(epsilon) + 1e-4;
      EXPECT_LE(divergence(p, q, epsilon), most) << i << " " << epsilon;
      EXPECT_LE(divergence(q, p, epsilon), most) << i << " " << epsilon;
    }
  }
}

// Renyi divergences of the pairs by quadrature: the bounds are never below them.
TEST(CdaPairs, RenyiBoundsAreNeverBelowTheTruth) {
  for (const double rate : {.001, .1, .5, .9}) {
    for (const double mu : {.1, .6, 2.}) {
      for (const double order : {1.1, 2., 7.5, 40.}) {
        double there = 0, gone = 0, opposite = 0, apart = 0, above = 0;
        constexpr double kStep = 1. / 256;
        const double reach = 12 + 2 * order * mu;
        for (double x = -reach; x <= reach; x += kStep) {
          const double density = std::exp(-x * x / 2) * kStep / std::sqrt(2 * std::numbers::pi);
          const double r = std::log1p(rate * std::expm1(mu * x - mu * mu / 2)),
                       s = std::log1p(rate * std::expm1(-mu * x - mu * mu / 2));
          const double log_density = -x * x / 2 + std::log(kStep / std::sqrt(2 * std::numbers::pi));
          there += std::exp(log_density + order * r);
          gone += std::exp(log_density + (1 - order) * r);
          opposite += std::exp(log_density + order * r + (1 - order) * s);
          if (r > 0) {
            apart += std::exp(log_density + order * r) + std::exp(log_density + (1 - order) * r);
            above += density + density * std::exp(r);
          }
        }
        if (!(there < 1e250 && opposite < 1e250)) continue;
        const auto check = [&](CdaPair::Change change, double moment) {
          const CdaPair pair{change, rate, mu, 3};
          EXPECT_GE(pair.renyi(order), 3 * std::log(moment) / (order - 1) - 1e-9)
              << int(change) << " " << rate << " " << mu << " " << order;
        };
        check(CdaPair::Change::leaves, there);
        check(CdaPair::Change::joins, gone);
        check(CdaPair::Change::moves, there * gone);
        check(CdaPair::Change::replaced, opposite);
        check(CdaPair::Change::replaced_apart, apart + 1 - above);
      }
    }
  }
}

}  // namespace
}  // namespace dpmix::test
