#include "core/synthetic/class_mixing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/int128.hpp"
#include "core/base/next_double.hpp"
#include "core/input/record_code.hpp"
#include "core/synthetic/row_noise.hpp"

namespace dpmix {
namespace {

// The noise of a synthetic row for which the order of mixing is chosen for raw rows, in half
// widths: about the spread of a class. Fewer records leave noise that hides it (and that the bounds
// cut off), more leave no spread at all.
constexpr double raw_noise = .2;
// More records than this many times the noise of the largest order would take buy nothing.
constexpr double raw_excess = 1.15;

double norm(const CdaPlan& plan) {  // in half widths
  return plan.asked.norm / static_cast<double>(half_steps);
}

// The least noise of a synthetic row, however many of `count` records it is mixed from.
double least_noise(const CdaPlan& plan, double count, std::int64_t rows) {
  return plain_multiplier(plan.rows, rows) / count * norm(plan);
}

// The least order that comes down to raw_noise, or near to what it could at best come down to.
// `least` is that of an average class: where it has more, all shall have about the same.
int raw_order(const CdaPlan& plan, double count, std::int64_t rows, double least) {
  if (count < 2 || rows < 1) return 1;
  const double level =
      std::max(raw_noise, raw_excess * std::max(least, least_noise(plan, count, rows)));
  int low = 0, high = static_cast<int>(std::min(count, double{most_mixed}));
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    const double noise = likely_multiplier(plan.rows, {middle / count, rows}) / middle * norm(plan);
    (noise > level ? low : high) = middle;
  }
  return high;
}

// Demixing undoes the averaging, so that the noise is what counts: the order that makes the
// effective ridge mix * noise^2 least, .505 mu N_k / sqrt(T_k), mu that of one record's shift.
double demixing_order(const CdaPlan& plan, double count, std::int64_t rows) {
  if (rows < 1 || count < 1) return 1;
  return std::max(1., .505 * count / plain_multiplier(plan.rows, rows));
}

int whole(double order) {
  return static_cast<int>(std::clamp(std::nearbyint(order), 1., double{most_mixed}));
}

// Each record stays out with probability e^-r: a law that can be sampled exactly.
void set_rate(MixedClass& c, double count) {
  if (count <= c.mix) {
    c.exponent = std::numeric_limits<double>::infinity();
    c.rate = 1;
  } else {
    c.exponent = -std::log1p(-c.mix / count);
    c.rate = std::min(1., next_up(next_up(-std::expm1(-c.exponent))));
  }
}

std::vector<std::int64_t> balanced_rows(std::int64_t rows, std::size_t classes) {
  const auto k = static_cast<std::int64_t>(classes);
  std::vector<std::int64_t> shares(classes, rows / k);
  for (std::int64_t i = 0; i < rows % k; ++i) ++shares[static_cast<std::size_t>(i)];
  return shares;
}

}  // namespace

std::vector<std::int64_t> proportional_rows(std::int64_t rows,
                                            std::span<const std::int64_t> counts) {
  const Int128 all = std::accumulate(counts.begin(), counts.end(), Int128{0});
  if (all == 0) return balanced_rows(rows, counts.size());
  std::vector<std::int64_t> shares;
  std::vector<Int128> remainders;
  std::int64_t left = rows;
  for (const std::int64_t count : counts) {  // 2^30 rows, counts of at most 2^53
    const Int128 product = Int128{count} * rows;
    shares.push_back(static_cast<std::int64_t>(product / all));
    remainders.push_back(product % all);
    left -= shares.back();
  }
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; i < static_cast<std::size_t>(left); ++i) ++shares[order[i]];
  return shares;
}

double MixedClass::noise() const {
  return sigma / (static_cast<double>(half_steps) * mix);
}

std::vector<MixedClass> plan_classes(const CdaPlan& plan, std::span<const std::int64_t> counts) {
  const CdaRequest& asked = plan.asked;
  const std::vector<std::int64_t> rows = asked.class_rows == ClassRows::balanced
                                             ? balanced_rows(asked.rows, counts.size())
                                             : proportional_rows(asked.rows, counts);
  const double mean_count =
      std::max(1., std::accumulate(counts.begin(), counts.end(), 0.) / asked.classes);
  const std::int64_t mean_rows = std::max<std::int64_t>(1, asked.rows / asked.classes);
  std::vector<MixedClass> classes(counts.size());
  std::vector<ClassLoad> loads(counts.size());
  std::int64_t first = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    MixedClass& c = classes[k];
    c.first = first;
    c.rows = rows[k];
    first += c.rows;
    const auto count = static_cast<double>(counts[k]);
    if (asked.mix != 0) {
      c.mix = asked.mix;
    } else if (asked.demix == Demix::none) {
      c.mix = raw_order(plan, count, c.rows, least_noise(plan, mean_count, mean_rows));
    } else if (asked.demix == Demix::per_class) {
      // That of an average class, so that noise be the same in all, but for those too small for it.
      c.mix = whole(std::min(demixing_order(plan, mean_count, mean_rows), count / 4));
    } else {  // one scatter for all classes needs one order
      c.mix = whole(demixing_order(plan, mean_count, mean_rows));
    }
    // A class of fewer records joins whole, and its sums are divided by its own size.
    c.mix = static_cast<int>(std::min<double>(c.mix, std::max(1., count)));
    set_rate(c, count);
    loads[k] = {c.rate, c.rows};
  }
  const std::vector<double> multipliers = row_noise(plan.rows, loads);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    classes[k].sigma = next_up(multipliers[k] * asked.norm);
  }
  return classes;
}

UselessClasses useless_classes(std::span<const MixedClass> classes, int coordinates, Demix demix) {
  UselessClasses useless{};
  for (const MixedClass& c : classes) {
    if (c.rows == 0) continue;
    const double noise = c.noise(), rows = static_cast<double>(c.rows);
    ++useless.of;
    useless.averages += noise / std::sqrt(rows) > 1;
    if (demix == Demix::none) {
      useless.rows += noise > 1;
    } else {
      // No column varies more than one that is at either bound half of the time.
      const double edge = 1 + std::sqrt(coordinates / rows);
      useless.rows += (1 - c.rate) / c.mix < noise * noise * (edge * edge - 1);
    }
  }
  return useless;
}

}  // namespace dpmix
