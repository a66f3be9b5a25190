// Tables on which the shape of a covariance matters: made like two that people know, of many
// features, and two real ones. What a fit is worth on a table's rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "core/algebra/cholesky.hpp"
#include "core/mixture/density.hpp"
#include "tables/mixture_tables.hpp"

namespace dpmix::test {

inline double draw_normal(std::mt19937_64& random, double deviation) {
  return std::normal_distribution<double>(0, deviation)(random);
}

// Like images of a satellite (Landsat MSS): four bands of 3 x 3 pixels that are nearly alike, six
// kinds of soil of very unlike sizes, whole numbers from 0 to 255.
inline Table satellite_like(std::mt19937_64& random) {
  constexpr int bands = 4, pixels = 9, rows[] = {1072, 479, 961, 415, 470, 1038};
  Table table{36, 6, std::vector<double>(36, 0), std::vector<double>(36, 255), {}, {}};
  for (int k = 0; k < 6; ++k) {
    double mean[bands], load[bands][2], own[bands], slope[bands];
    for (int b = 0; b < bands; ++b) {
      mean[b] = std::uniform_real_distribution<double>(62, 88)(random);
      own[b] = std::uniform_real_distribution<double>(2, 4)(random);
      slope[b] = std::uniform_real_distribution<double>(1.5, 4)(random);
      for (double& x : load[b]) x = draw_normal(random, 6);
    }
    for (int n = 0; n < rows[k]; ++n) {
      const double light[] = {draw_normal(random, 1), draw_normal(random, 1)};
      const double across = draw_normal(random, 1), down = draw_normal(random, 1);
      std::vector<double> x;
      for (int p = 0; p < pixels; ++p) {
        const double shared = draw_normal(random, 1);
        for (int b = 0; b < bands; ++b) {
          const double value = mean[b] + load[b][0] * light[0] + load[b][1] * light[1] +
                               slope[b] * (across * (p % 3 - 1) + down * (p / 3 - 1)) +
                               own[b] * (.7 * shared + draw_normal(random, .7));
          x.push_back(std::clamp(std::round(value), 0., 255.));
        }
      }
      table.row.push_back(x);
      table.label.push_back(k);
    }
  }
  return table;
}

// Like pictures of letters: 26 kinds, each in some fonts, 16 whole numbers from 0 to 15.
inline Table letter_like(std::mt19937_64& random, int rows = 20000) {
  constexpr int letters = 26, fonts = 5, features = 16;
  Table table{
      features, letters, std::vector<double>(features, 0), std::vector<double>(features, 15),
      {},       {}};
  struct Letter {
    double mean[fonts][features], load[features][3], own[features];
  };
  std::vector<Letter> all(letters);
  for (Letter& letter : all) {
    for (int i = 0; i < features; ++i) {
      const double middle = std::uniform_real_distribution<double>(5.5, 9.5)(random);
      // Some are nearly the same in all pictures of a letter.
      const double width = std::exp(std::uniform_real_distribution<double>(-1.5, .6)(random));
      for (auto& mean : letter.mean) mean[i] = middle + draw_normal(random, width);
      for (double& x : letter.load[i]) x = draw_normal(random, i < 5 ? 1.2 : .5 * width);
      letter.own[i] = .5 * width;
    }
  }
  for (int n = 0; n < rows; ++n) {
    const int k = n % letters;
    const Letter& letter = all[static_cast<std::size_t>(k)];
    const auto& mean = letter.mean[random() % fonts];
    const double size[] = {draw_normal(random, 1), draw_normal(random, 1), draw_normal(random, 1)};
    std::vector<double> x;
    for (int i = 0; i < features; ++i) {
      const double value = mean[i] + letter.load[i][0] * size[0] + letter.load[i][1] * size[1] +
                           letter.load[i][2] * size[2] + draw_normal(random, letter.own[i]);
      x.push_back(std::clamp(std::round(value), 0., 15.));
    }
    table.row.push_back(x);
    table.label.push_back(k);
  }
  return table;
}

// Classes that differ in their means alone: features in a row, each correlated with the next.
inline Table alike(std::mt19937_64& random, int rows = 1600) {
  constexpr int features = 10, classes = 8;
  Table table{
      features, classes, std::vector<double>(features, -10), std::vector<double>(features, 10),
      {},       {}};
  std::vector<std::vector<double>> means(classes);
  for (auto& mean : means) {
    for (int i = 0; i < features; ++i) mean.push_back(draw_normal(random, 2));
  }
  for (int n = 0; n < rows; ++n) {
    const int k = n % classes;
    double before = draw_normal(random, 1);
    std::vector<double> x = means[static_cast<std::size_t>(k)];
    for (double& value : x) value += before = .7 * before + draw_normal(random, std::sqrt(.51));
    table.row.push_back(x);
    table.label.push_back(k);
  }
  return table;
}

// Features that have nothing to do with each other, of other widths in every class.
inline Table independent(std::mt19937_64& random, int rows = 5000) {
  constexpr int features = 20, classes = 5;
  Table table{
      features, classes, std::vector<double>(features, -10), std::vector<double>(features, 10),
      {},       {}};
  std::vector<std::vector<double>> means(classes), widths(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    for (int i = 0; i < features; ++i) {
      means[k].push_back(draw_normal(random, 1));
      widths[k].push_back(std::exp(draw_normal(random, .4)));
    }
  }
  for (int n = 0; n < rows; ++n) {
    const auto k = static_cast<std::size_t>(n % classes);
    std::vector<double> x = means[k];
    for (std::size_t i = 0; i < features; ++i) x[i] += draw_normal(random, widths[k][i]);
    table.row.push_back(x);
    table.label.push_back(static_cast<int>(k));
  }
  return table;
}

// Wage, education and experience by region.
inline Table workers() {
  Table table{3, 4, {0, 0, 0}, {2500, 20, 60}, {}, {}};
  std::ifstream file("test/data/cps1988.csv");
  std::string line, cell;
  std::getline(file, line);
  std::map<std::string, int> regions;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<std::string> all;
    while (std::getline(cells, cell, ',')) all.push_back(cell);
    table.row.push_back({std::stod(all[1]), std::stod(all[2]), std::stod(all[3])});
    for (std::size_t i = 0; i < 3; ++i) {
      table.row.back()[i] = std::clamp(table.row.back()[i], 0., table.upper[i]);
    }
    table.label.push_back(regions.emplace(all[6], static_cast<int>(regions.size())).first->second);
  }
  return table;
}

// Of a fit, on rows: the mean log density of label and features, and how many labels it guesses.
// grain: rows are rounded to that, so that a density counts as it is on average around a row: one
// of a hundred equal whole numbers does not decide.
struct Worth {
  double log_likelihood = 0, accuracy = 0;
};
inline Worth worth_of(const GaussianMixture& mixture, const Table& table, double grain = 0) {
  const auto d = static_cast<Eigen::Index>(table.features);
  Matrix rows(table.row.size(), d);
  for (std::size_t n = 0; n < table.row.size(); ++n) {
    rows.row(static_cast<Eigen::Index>(n)) =
        Eigen::Map<const Eigen::RowVectorXd>(table.row[n].data(), d);
  }
  Matrix density(rows.rows(), table.classes);
  for (std::size_t k = 0; k < mixture.components.size(); ++k) {
    const GaussianMixture::Component& c = mixture.components[k];
    Eigen::MatrixXd covariance = Eigen::Map<const Matrix>(c.covariance.data(), d, d);
    covariance.diagonal().array() += grain * grain / 12;
    const Eigen::LLT<Eigen::MatrixXd> root(covariance);
    const Eigen::MatrixXd apart =
        rows.transpose().colwise() - Eigen::Map<const Eigen::VectorXd>(c.mean.data(), d);
    const Eigen::MatrixXd z = root.matrixL().solve(apart);
    const double constant = std::log(c.weight) -
                            Eigen::MatrixXd(root.matrixL()).diagonal().array().log().sum() -
                            static_cast<double>(d) * std::log(2 * M_PI) / 2;
    density.col(static_cast<Eigen::Index>(k)) =
        (constant - z.colwise().squaredNorm().array() / 2).matrix().transpose();
  }
  Worth worth;
  for (Eigen::Index n = 0; n < density.rows(); ++n) {
    Eigen::Index best = 0;
    density.row(n).maxCoeff(&best);
    const int label = table.label[static_cast<std::size_t>(n)];
    worth.log_likelihood += density(n, label);
    worth.accuracy += best == label ? 1 : 0;
  }
  worth.log_likelihood /= static_cast<double>(density.rows());
  worth.accuracy /= static_cast<double>(density.rows());
  return worth;
}

}  // namespace dpmix::test
