#include "core/release/cda_accountant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/accounting/profile.hpp"
#include "core/poll.hpp"

namespace dpmix {
namespace {

double up(double x) {
  return std::nextafter(x, std::numeric_limits<double>::infinity());
}

// Orders 1 + 2^(i/16 - 12): subsampled noise has a sharp best order, above which its cost explodes.
struct OrderGrid {
  static constexpr int size = 641;
  static double at(int i) { return 1 + std::exp2(i / 16. - 12); }
  static int near(double order) {
    const double i = std::nearbyint(16 * (std::log2(order - 1) + 12));
    return static_cast<int>(std::clamp(i, 0., size - 1.));
  }
};

// The least epsilon that the rows of one class prove at any order, found by walking downhill from
// `hint`, which is left at the best. Any order is sound; a poor one costs noise only.
double least_epsilon(const RowTarget& target, const ClassLoad& load, double z, int& hint) {
  const auto epsilon_at = [&](int i) {
    poll();
    const double order = OrderGrid::at(i);
    return epsilon_of_renyi(order, rows_rho(target.adjacency, order, load, z), target.delta);
  };
  double best = epsilon_at(hint);
  for (const int step : {16, -16, 4, -4, 1, -1}) {
    for (int i = hint + step; i >= 0 && i < OrderGrid::size; i += step) {
      const double next = epsilon_at(i);
      if (!(next < best)) break;
      best = next;
      hint = i;
    }
  }
  return best;
}

// The least z that keeps a promise, up to .1%; kept(z) holds for the z returned.
template <class Kept>
double least_multiplier(double z, Kept kept) {
  while (!kept(z)) z *= 2;
  double broken = z;
  do {
    z = std::min(z, broken);
    broken = z / 2;
  } while (kept(broken));
  while (broken < z * .999) {
    const double middle = std::sqrt(broken * z);
    (kept(middle) ? z : broken) = middle;
  }
  return z;
}

}  // namespace

double rows_rho(Adjacency adjacency, double order, const ClassLoad& load, double multiplier) {
  // A replaced record is one that leaves and one that joins, each seen through half the noise's
  // variance: twice the cost at sqrt(2) times the shift.
  const bool twice = adjacency == Adjacency::replace;
  const double shift = twice ? std::sqrt(2.) : 1;
  const double mu = up(up(up(shift) / multiplier));
  const double rho = renyi_of_subsampled_gaussian(order, load.rate, mu).rho;
  return up(rho * static_cast<double>(load.rows)) * (twice ? 2 : 1);
}

std::vector<double> row_noise(const RowTarget& target, std::span<const ClassLoad> classes) {
  // The best order of plain Gaussian noise, roughly.
  int hint = OrderGrid::near(1 + 2 * std::log(1 / target.delta) / target.epsilon);
  const auto alone = [&](const ClassLoad& load) {
    return least_multiplier(std::sqrt(static_cast<double>(load.rows)), [&](double z) {
      return least_epsilon(target, load, z, hint) <= target.epsilon;
    });
  };
  double common = 0;
  if (target.adjacency == Adjacency::replace) {
    // Two classes change, and Renyi costs add at one order only: the best one of the class that a
    // record weighs most in.
    const auto weight = [](const ClassLoad& load) {
      return load.rate * std::sqrt(static_cast<double>(load.rows));
    };
    alone(*std::max_element(classes.begin(), classes.end(),
                            [&](const auto& a, const auto& b) { return weight(a) < weight(b); }));
    common = OrderGrid::at(hint);
  }
  std::vector<double> multipliers;
  multipliers.reserve(classes.size());
  for (const ClassLoad& load : classes) {
    double z = 0;
    if (target.adjacency == Adjacency::replace) {
      z = least_multiplier(std::sqrt(static_cast<double>(load.rows)), [&](double z) {
        poll();
        return epsilon_of_renyi(common, rows_rho(target.adjacency, common, load, z),
                                target.delta) <= target.epsilon;
      });
    } else {
      z = alone(load);
    }
    const auto cheap = [&](double z) {
      poll();
      return rows_rho(target.adjacency, target.order, load, z) <= target.rho;
    };
    if (target.order != 0 && !cheap(z)) z = least_multiplier(z, cheap);
    multipliers.push_back(z);
  }
  return multipliers;
}

}  // namespace dpmix
