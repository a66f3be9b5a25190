// Designs in which intervals of regressions are hard to get right: nearly collinear terms, rare
// classes, few rows far from all others, careless bounds, steep odds. And how often the intervals
// that are shown hold.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/normal_reach.hpp"
#include "core/regression/told.hpp"
#include "tables/logistic_tables.hpp"

namespace dpmix::test {

struct HardDesign {
  std::string name;
  RegressionKind kind;
  Design design;
  int rows;
  std::vector<double> coefficients;  // of the right model, coded as asked for
  std::function<std::vector<double>(std::mt19937_64&)> terms;  // a row's, without the target
  double residual = 1;                                         // linear: its deviation
};

inline double drawn_normal(std::mt19937_64& random, double most = 3) {
  double x = 0;
  do x = std::normal_distribution<double>()(random);
  while (std::fabs(x) > most);
  return x;
}
inline double drawn_uniform(std::mt19937_64& random) {
  return std::uniform_real_distribution<double>(0, 1)(random);
}

// Terms that all have the same correlation with each other, within -6 and 6.
inline std::vector<double> alike(std::mt19937_64& random, int count, double correlation) {
  const double common = drawn_normal(random);
  std::vector<double> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(std::sqrt(correlation) * common +
                  std::sqrt(1 - correlation) * drawn_normal(random));
  }
  return all;
}

// The model's prediction for a row: numbers, a category's indicators, powers.
inline double right_answer(const HardDesign& of, const std::vector<double>& row) {
  double y = of.coefficients[0];
  std::size_t at = 1, input = 0;
  for (const DesignTerm& term : of.design.terms) {
    if (term.kind == TermKind::category) {
      const auto k = static_cast<std::size_t>(row[input++]);
      if (k > 0) y += of.coefficients[at + k - 1];
      at += static_cast<std::size_t>(term.categories) - 1;
    } else if (term.kind == TermKind::power) {
      y += of.coefficients[at++] * std::pow(row[static_cast<std::size_t>(term.base)], term.power);
    } else {
      y += of.coefficients[at++] * row[input++];
    }
  }
  return y;
}

inline std::vector<HardDesign> hard_designs() {
  std::vector<HardDesign> all;
  const auto design = [](std::vector<DesignTerm> terms, double most) {
    Design made;
    made.terms = std::move(terms);
    made.target_lower = most == 1 ? 0 : -most;
    made.target_upper = most;
    return made;
  };
  const auto pair = [&](double correlation, double one, double other) {
    all.push_back({"correlation " + std::to_string(correlation).substr(0, 5) + ", effects " +
                       std::to_string(static_cast<int>(one)) + " and " +
                       std::to_string(static_cast<int>(other)),
                   RegressionKind::linear,
                   design({number_term(-6, 6), number_term(-6, 6)}, 20),
                   20000,
                   {0, one, other},
                   [=](std::mt19937_64& random) { return alike(random, 2, correlation); }});
  };
  pair(.9, 1, -1);
  pair(.95, 1, -1);
  pair(.98, 8, -8);
  pair(.99, 1, -1);
  pair(.99, 8, -8);
  pair(.995, 3, 0);
  const auto linear = [&](const char* name, const Design& of, int rows,
                          const std::vector<double>& b, auto terms) {
    all.push_back({name, RegressionKind::linear, of, rows, b, terms});
  };
  linear("a column twice", design({number_term(-3, 3), number_term(-3, 3)}, 20), 20000, {1, 1, 1},
         [](std::mt19937_64& random) {
           const double x = drawn_normal(random);
           return std::vector{x, x};
         });
  linear("8 terms, correlation .95", design(std::vector<DesignTerm>(8, number_term(-6, 6)), 30),
         20000, {0, 1, -1, 1, -1, 1, -1, 1, 2},
         [](std::mt19937_64& random) { return alike(random, 8, .95); });
  linear("leverage: .2% of rows far off", design({number_term(-1, 50), number_term(-3, 3)}, 40),
         20000, {1, .5, 1}, [](std::mt19937_64& random) {
           const double x = drawn_uniform(random) < .002 ? 50 * drawn_uniform(random)
                                                         : .3 * drawn_normal(random);
           return std::vector{x, drawn_normal(random)};
         });
  linear("a category of .1% of rows", design({category_term(3), number_term(-3, 3)}, 12), 20000,
         {1, 2, -1, 1}, [](std::mt19937_64& random) {
           const double u = drawn_uniform(random);
           return std::vector{u < .001 ? 1. : u < .3 ? 2. : 0., drawn_normal(random)};
         });
  linear("bounds a hundred times too wide", design({number_term(0, 1000), number_term(0, 3)}, 30),
         20000, {0, 1, 1}, [](std::mt19937_64& random) {
           return std::vector{10 * drawn_uniform(random), 3 * drawn_uniform(random)};
         });
  linear("500 rows", design({number_term(-3, 3), number_term(-3, 3), category_term(2)}, 10), 500,
         {1, 1, -1, 2}, [](std::mt19937_64& random) {
           return std::vector{drawn_normal(random), drawn_normal(random),
                              drawn_uniform(random) < .3 ? 1. : 0.};
         });
  linear("a cubic over a quarter of its bounds",
         design({number_term(0, 4), power_term(0, 2), power_term(0, 3)}, 12), 20000, {1, 2, -1, .5},
         [](std::mt19937_64& random) { return std::vector{drawn_uniform(random) + 1}; });

  const auto logistic = [&](const char* name, std::vector<DesignTerm> terms,
                            const std::vector<double>& b, auto row) {
    all.push_back({name, RegressionKind::logistic, design(std::move(terms), 1), 20000, b, row});
  };
  const auto unit = [](std::mt19937_64& random) { return std::vector{drawn_uniform(random)}; };
  logistic("log-odds -2 + 10x", {number_term(0, 1)}, {-2, 10}, unit);
  logistic("log-odds -2 + 30x", {number_term(0, 1)}, {-2, 30}, unit);
  const auto near_unit = [](std::mt19937_64& random) {
    const double x = drawn_uniform(random);
    return std::vector{x, (x + .2 * drawn_uniform(random)) / 1.2};
  };
  logistic("log-odds -2 + 30x, correlation .98", {number_term(0, 1), number_term(0, 1)},
           {-2, 30, 0}, near_unit);
  logistic("log-odds x - z, correlation .95", {number_term(-6, 6), number_term(-6, 6)}, {0, 1, -1},
           [](std::mt19937_64& random) { return alike(random, 2, .95); });
  logistic("true in 1% of rows", {number_term(0, 1)}, {-5, 1}, unit);
  logistic("a category of .1% of rows", {category_term(2), number_term(0, 1)}, {-1, 2, 2},
           [](std::mt19937_64& random) {
             return std::vector{drawn_uniform(random) < .001 ? 1. : 0., drawn_uniform(random)};
           });
  logistic("leverage: .2% of rows far off", {number_term(-1, 20)}, {-1, .3},
           [](std::mt19937_64& random) {
             return std::vector{drawn_uniform(random) < .002 ? 20 * drawn_uniform(random)
                                                             : .3 * drawn_normal(random)};
           });
  return all;
}

inline std::vector<std::vector<double>> drawn_rows(const HardDesign& of, std::mt19937_64& random) {
  std::vector<std::vector<double>> rows;
  for (int r = 0; r < of.rows; ++r) {
    std::vector<double> row = of.terms(random);
    const double y = right_answer(of, row);
    if (of.kind == RegressionKind::linear) {
      row.push_back(y + of.residual * drawn_normal(random, 4));
    } else {
      row.push_back(drawn_uniform(random) < 1 / (1 + std::exp(-y)) ? 1 : 0);
    }
    rows.push_back(row);
  }
  return rows;
}

// Least squares, the shortest where there are several.
inline Vector exact_squares(const Matrix& gram) {
  const Eigen::Index p = gram.rows() - 1;
  const Spectrum spectrum = spectrum_of(gram.topLeftCorner(p, p));
  Vector along = spectrum.vectors.transpose() * gram.topRightCorner(p, 1);
  const double least = 1e-9 * spectrum.values[p - 1];
  for (Eigen::Index i = 0; i < p; ++i) {
    along[i] = spectrum.values[i] > least ? along[i] / spectrum.values[i] : 0;
  }
  return spectrum.vectors * along;
}

// The maximum of the likelihood, by Newton's steps without noise.
inline Vector exact_logistic(const std::vector<std::vector<double>>& coded) {
  const auto p = static_cast<Eigen::Index>(coded[0].size());
  Vector b = Vector::Zero(p), row(p);
  row[0] = 1;
  for (int step = 0; step < 60; ++step) {
    Vector slope = Vector::Zero(p);
    Matrix information = 1e-3 * Matrix::Identity(p, p);  // for columns that are there twice
    for (const std::vector<double>& z : coded) {
      for (Eigen::Index i = 1; i < p; ++i) row[i] = z[static_cast<std::size_t>(i) - 1];
      const double chance = 1 / (1 + std::exp(-row.dot(b)));
      slope += ((z.back() + 1) / 2 - chance) * row;
      information += chance * (1 - chance) * row * row.transpose();
    }
    const Vector move = solve_cholesky(*cholesky(information), slope);
    b += move * std::min(1., 4 / move.norm());
    if (move.norm() < 1e-9) break;
  }
  return b;
}

struct Coverage {
  int releases = 0, shown = 0;  // releases; those with intervals
  double coefficients = 0;      // intervals shown
  double held = 0, held_population = 0, open = 0;

  void add(const std::vector<ToldCoefficient>& told, const std::vector<double>& of_rows,
           const std::vector<double>& of_all) {
    ++releases;
    if (std::isnan(told.back().noise_low)) return;
    ++shown;
    for (std::size_t i = 0; i < told.size(); ++i) {
      ++coefficients;
      open += std::isinf(told[i].noise_low) ? 1 : 0;
      held += told[i].noise_low <= of_rows[i] && of_rows[i] <= told[i].noise_high ? 1 : 0;
      held_population += told[i].low <= of_all[i] && of_all[i] <= told[i].high ? 1 : 0;
    }
  }
  double share() const { return coefficients == 0 ? 1 : held / coefficients; }
  double share_population() const { return coefficients == 0 ? 1 : held_population / coefficients; }
};

// Linear: of other rows each time; logistic: of the same.
inline Coverage coverage_of(const HardDesign& of, double epsilon, int releases, std::uint8_t seed,
                            double level = .95) {
  std::mt19937_64 stream(seed);
  RandomStream random({seed, static_cast<std::uint8_t>(8 * epsilon)});
  const RegressionRequest request = {.norm2 = of.design.norm2(), .epsilon = epsilon, .delta = 1e-6};
  const int features = of.design.columns() + 1;
  const double reach = normal_reach(level);
  Coverage coverage;
  const auto estimates = [&](const Vector& coded) {
    LinearFit fit;
    fit.coefficients = coded;
    std::vector<double> all;
    for (const Coefficient& c : coefficients_of(fit, of.design, of.kind)) {
      all.push_back(c.estimate);
    }
    return all;
  };
  const auto add = [&](const LinearFit& fit, const std::vector<double>& exact) {
    RegressionModel model{of.design, {}, of.kind};
    model.add(fit);
    coverage.add(told_coefficients(model, 0, reach), exact, of.coefficients);
  };
  if (of.kind == RegressionKind::linear) {
    const RegressionPlan plan = plan_regression(request, of.design.frame(1));
    RegressionPlan without = plan;  // noise
    without.lattice = {};
    without.lattice_target_sum = without.lattice_target_product = 0;
    without.lattice_target_square = 0;
    for (int run = 0; run < releases; ++run) {
      const MomentTotals totals = totals_of(of.design, 1, drawn_rows(of, stream));
      const auto gram = [&](const RegressionPlan& by) {
        return noisy_gram(random, &totals.classes[0], features, by);
      };
      add(fit_linear(gram(plan), plan), estimates(exact_squares(gram(without))));
    }
    return coverage;
  }
  const LogisticPlan plan = plan_logistic(request, of.design.frame(1));
  const auto rows = drawn_rows(of, stream);
  const MomentTotals totals = totals_of(of.design, 1, rows);
  const auto coded = coded_rows(of.design, rows);
  const std::vector<double> exact = estimates(exact_logistic(coded));
  for (int run = 0; run < releases; ++run) {
    add(logistic_release(random, totals, coded, plan).result(), exact);
  }
  return coverage;
}

}  // namespace dpmix::test
