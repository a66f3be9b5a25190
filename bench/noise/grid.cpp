// The least noise of every family, cell by cell, beside the best classical one and the bounds:
//   noise OUT.csv [lp_bounds.csv [baselines.csv]]
//
// Enters: nothing but the grid below; the two CSV files of bench/noise/lp_bound.py and
// bench/noise/baselines.py. Leaves: OUT.csv, one line a family and cell (sensitivity 1, fine
// lattice), and on stdout the times of calibration and the same table to read. Run by
// bench/noise/run.sh.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "core/noise/calibration.hpp"

namespace dpmix {
namespace {

constexpr std::array kEpsilons = {.05, .1, .25, .5, 1., 2., 3., 5., 8., 10.};
constexpr std::array kDeltas = {1e-1, 1e-2, 1e-3, 1e-5, 1e-6, 1e-8};
constexpr std::array kClassical = {Family::gaussian, Family::laplace, Family::staircase,
                                   Family::truncated_laplace, Family::tulap};

// Something measured at (epsilon, delta), by name.
using Cell = std::tuple<double, double, std::string>;

struct Noise {
  double expected_abs = 0, variance = 0;
};
using Table = std::map<Cell, Noise>;

struct Timed {
  Calibration calibration;
  double milliseconds = 0;
};

// Of this thread: another user of the machine does not count.
double processor_milliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

Timed timed(Family family, double epsilon, double delta, std::optional<int> components = {}) {
  const double start = processor_milliseconds();
  const Calibration calibration = calibrate(family, epsilon, delta, 1, components);
  return {calibration, processor_milliseconds() - start};
}

// One line of times: over the whole grid.
void print_times(const std::string& what, std::vector<double> times) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  std::printf("%-28s %10.3f %10.3f %10.3f\n", what.c_str(), times[times.size() / 2],
              times[times.size() * 9 / 10], times.back());
}

void refused(Family family, double epsilon, double delta, const std::exception& error) {
  std::fprintf(stderr, "%s at (%g, %g): %s\n", std::string(name(family)).c_str(), epsilon, delta,
               error.what());
}

// Calibrates every family in every cell; writes the CSV and prints the times.
Table measure(const char* path) {
  std::ofstream csv(path);
  csv.precision(10);
  csv << "epsilon,delta,family,components,scale,expected_abs,variance,support,atom,delta_certified,"
         "milliseconds\n";
  Table table;
  std::printf("Calibration, processor ms over %zu cells: median, 90%%, most\n",
              kEpsilons.size() * kDeltas.size());
  for (const Family family : kFamilies) {
    std::vector<double> times;
    for (const double epsilon : kEpsilons) {
      for (const double delta : kDeltas) {
        try {
          const Timed run = timed(family, epsilon, delta);
          const NoiseLaw& law = run.calibration.law;
          const Noise noise = {expected_abs(law), variance(law)};
          table[{epsilon, delta, std::string(name(family))}] = noise;
          times.push_back(run.milliseconds);
          csv << epsilon << ',' << delta << ',' << name(family) << ',' << law.components << ','
              << law.scale << ',' << noise.expected_abs << ',' << noise.variance << ','
              << support(law) << ',' << law.steps.atom << ',' << run.calibration.delta_certified
              << ',' << std::round(run.milliseconds * 1e3) / 1e3 << '\n';
        } catch (const std::exception& error) {
          refused(family, epsilon, delta, error);
        }
      }
    }
    print_times(std::string(name(family)) + (family == Family::multi_gaussian ? ", K chosen" : ""),
                times);
  }
  for (const int components : {1, 3, 10, 20}) {
    std::vector<double> times;
    for (const double epsilon : kEpsilons) {
      for (const double delta : kDeltas) {
        times.push_back(timed(Family::multi_gaussian, epsilon, delta, components).milliseconds);
      }
    }
    print_times("multi_gaussian, K = " + std::to_string(components), times);
  }
  return table;
}

// Lines "epsilon,delta,name,expected_abs,variance" below a heading; other columns may follow.
void read(const char* path, Table& table) {
  std::ifstream file(path);
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::istringstream fields(line);
    std::string field;
    std::vector<std::string> values;
    while (std::getline(fields, field, ',')) values.push_back(field);
    if (values.size() < 5) continue;
    const auto number = [&](int i) { return values[i].empty() ? NAN : std::stod(values[i]); };
    table[{number(0), number(1), values[2]}] = {number(3), number(4)};
  }
}

void print_table(const Table& table, const char* title, double Noise::*value,
                 const std::vector<std::string>& extra) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto at = [&](double epsilon, double delta, const std::string& of) {
    const auto found = table.find({epsilon, delta, of});
    return found == table.end() ? kNone : found->second.*value;
  };
  const auto print = [](int width, double number) {
    if (std::isnan(number)) {
      std::printf(" %*s", width, ".");
    } else {
      std::printf(" %*.4g", width, number);
    }
  };
  std::printf("\n%s, sensitivity 1; ratios to the best of gaussian .. tulap\n", title);
  std::printf("%4s %6s", "eps", "delta");
  for (const Family family : kFamilies) {
    std::printf(" %9s", std::string(name(family)).substr(0, 9).c_str());
  }
  for (const std::string& of : extra) std::printf(" %9s", of.substr(0, 9).c_str());
  std::printf("  %-17s %6s %6s %6s\n", "best classical", "multi", "quasi", "opt");
  for (const double epsilon : kEpsilons) {
    for (const double delta : kDeltas) {
      std::printf("%4g %6g", epsilon, delta);
      for (const Family family : kFamilies) {
        print(9, at(epsilon, delta, std::string(name(family))));
      }
      for (const std::string& of : extra) print(9, at(epsilon, delta, of));
      std::string best = ".";
      double least = kNone;
      for (const Family family : kClassical) {
        const double error = at(epsilon, delta, std::string(name(family)));
        if (!(error >= least)) {
          least = error;
          best = name(family);
        }
      }
      std::printf("  %-17s", best.c_str());
      for (const Family family :
           {Family::multi_gaussian, Family::quasi_gaussian, Family::optimal}) {
        print(6, at(epsilon, delta, std::string(name(family))) / least);
      }
      std::printf("\n");
    }
  }
}

}  // namespace
}  // namespace dpmix

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: %s OUT.csv [lp_bounds.csv [baselines.csv]]\n", arguments[0]);
    return 2;
  }
  dpmix::Table table = dpmix::measure(arguments[1]);
  for (int i = 2; i < count; ++i) dpmix::read(arguments[i], table);
  dpmix::print_table(table, "E|Z|", &dpmix::Noise::expected_abs,
                     {"cactus", "flipped_huber", "lp_bound"});
  dpmix::print_table(table, "E Z^2", &dpmix::Noise::variance, {"cactus", "flipped_huber"});
  return 0;
}
