// The wage table as a regression: seven coefficients of log wages (docs/proofs/regression.md).
#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tables/regression_tables.hpp"

namespace dpmix::test {

struct WageRegression {
  Design design;
  std::vector<std::vector<double>> rows;
};

// ln(wage) by education, experience, experience^2, ethnicity, parttime, smsa.
inline WageRegression wage_regression() {
  WageRegression wages;
  wages.design.terms = {number_term(0, 20), number_term(0, 60), power_term(1, 2),
                        category_term(2),   category_term(2),   category_term(2)};
  wages.design.target_lower = std::log(50.);
  wages.design.target_upper = std::log(2500.);
  std::ifstream file("test/data/cps1988.csv");
  std::string line, field;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> of;
    std::istringstream fields(line);
    while (std::getline(fields, field, ',')) of.push_back(field);
    const auto is = [&](std::size_t column, const char* value) {
      return of[column].find(value) == 0 ? 1. : 0.;
    };
    wages.rows.push_back({std::stod(of[2]), std::stod(of[3]), is(4, "afam"), is(7, "yes"),
                          is(5, "yes"), std::log(std::clamp(std::stod(of[1]), 50., 2500.))});
  }
  if (wages.rows.size() != 28155) throw std::runtime_error("test/data/cps1988.csv is not there");
  return wages;
}

// Whether a wage is above 600, by the same.
inline WageRegression high_wages() {
  WageRegression wages = wage_regression();
  for (std::vector<double>& row : wages.rows) row.back() = row.back() > std::log(600.) ? 1 : 0;
  wages.design.target_lower = 0;
  wages.design.target_upper = 1;
  return wages;
}

}  // namespace dpmix::test
