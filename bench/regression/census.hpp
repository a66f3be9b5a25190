// The census table (adult.csv: columns as whole numbers from 0) as a logistic regression: is an
// income above 50 000? Numbers: age, years of schooling, gains, losses, hours; categories: all
// others but the weight and the country.
#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tables/regression_tables.hpp"

namespace dpmix::test {

struct CensusRegression {
  Design design;
  std::vector<std::vector<double>> rows;
};

inline CensusRegression census_regression(const char* path) {
  CensusRegression census;
  std::ifstream file(path);
  std::string line, field;
  std::getline(file, line);
  std::vector<std::vector<double>> all;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::vector<double> row;
    while (std::getline(fields, field, ',')) row.push_back(std::stod(field));
    if (row.size() != 14) throw std::runtime_error("not the census table: 14 columns");
    all.push_back(row);
  }
  if (all.empty()) throw std::runtime_error("no rows of the census table");
  const std::vector<std::size_t> numbers{0, 3, 9, 10, 11}, categories{1, 4, 5, 6, 7, 8};
  const auto most = [&](std::size_t column) {
    double m = 0;
    for (const std::vector<double>& row : all) m = std::max(m, row[column]);
    return m;
  };
  for (const std::size_t j : numbers) census.design.terms.push_back(number_term(0, most(j)));
  for (const std::size_t j : categories) {
    census.design.terms.push_back(category_term(static_cast<int>(most(j)) + 1));
  }
  census.design.target_lower = 0;
  census.design.target_upper = 1;
  for (const std::vector<double>& row : all) {
    std::vector<double> x;
    for (const std::size_t j : numbers) x.push_back(row[j]);
    for (const std::size_t j : categories) x.push_back(row[j]);
    x.push_back(row[13]);
    census.rows.push_back(x);
  }
  return census;
}

}  // namespace dpmix::test
