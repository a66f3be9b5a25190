#include "core/query/ratio_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/noise/lattice_moments.hpp"
#include "core/query/upgrade.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NoiseInterval kEveryNumber = {-kInfinity, kInfinity};
constexpr double kSlack = 0x1p-40;  // of what is computed, of the sizes of its parts

struct Computed {
  double value = 0, size = 0;  // and the sum of the sizes of its parts
};

Computed value_of(const LinearForm& form, std::span<const Int128> noisy) {
  Computed made = {form.constant, std::abs(form.constant)};
  for (std::size_t i = 0; i < form.factor.size(); ++i) {
    const double part = form.factor[i] * static_cast<double>(noisy[i]);
    made.value += part;
    made.size += std::abs(part);
  }
  return made;
}

// How far noise of above - ratio * below reaches.
class Reaches {
 public:
  Reaches(const RatioForm& form, const RatioReach& reach, std::span<const double> slack)
      : form_(form), reach_(reach), slack_(slack) {}

  double at(double ratio) const {
    return of([&](std::size_t i) {
             return factor_of(form_.above, i) - ratio * factor_of(form_.below, i);
           }) +
           form_.above.slack + std::abs(ratio) * form_.below.slack;
  }
  double of_divisor() const {
    return of([&](std::size_t i) { return factor_of(form_.below, i); }) + form_.below.slack;
  }

 private:
  // Deviations of noises that may go together add up; of others their squares do.
  template <class Factor>
  double of(const Factor& factor) const {
    const std::size_t count = reach_.of.size();
    double squares = 0, rest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const StatisticReach& one = reach_.of[i];
      const double by = std::abs(factor(i));
      rest += by * (one.rest + (slack_.empty() ? 0 : slack_[i]));
      double deviation = by * one.deviation;
      if (one.together >= 0) {
        for (std::size_t j = 0; j < count; ++j) {
          if (j == i || reach_.of[j].together != one.together) continue;
          if (j < i) {
            deviation = 0;  // counted with the first of them
            break;
          }
          deviation += std::abs(factor(j)) * reach_.of[j].deviation;
        }
      }
      squares += deviation * deviation;
    }
    return reach_.deviations * std::sqrt(squares) + rest;
  }

  const RatioForm& form_;
  const RatioReach& reach_;
  std::span<const double> slack_;
};

// The end on one side of the released ratio: from there on above - ratio * below is no noise.
// What noise allows is convex in the ratio, and grows more slowly than the left side: one root.
// step: about how far away it is, not 0.
template <class Allowed>
double end_of(double ratio, double direction, double step, const Allowed& allowed) {
  double inside = 0;
  while (allowed(ratio + direction * step)) {
    inside = step;
    step *= 2;
    if (!std::isfinite(ratio + direction * step)) return direction * kInfinity;
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = inside + (step - inside) / 2;
    (allowed(ratio + direction * middle) ? inside : step) = middle;
  }
  return ratio + direction * step;
}

}  // namespace

bool LinearForm::is_constant() const {
  return slack == 0 && std::ranges::all_of(factor, [](double f) { return f == 0; });
}

double factor_of(const LinearForm& form, std::size_t statistic) {
  return statistic < form.factor.size() ? form.factor[statistic] : 0;
}

LinearForm one_statistic(int statistic, double factor) {
  LinearForm form;
  form.factor.resize(static_cast<std::size_t>(statistic) + 1);
  form.factor.back() = factor;
  return form;
}

LinearForm operator*(const LinearForm& form, double by) {
  LinearForm made = form;
  made.constant *= by;
  for (double& factor : made.factor) factor *= by;
  made.slack *= std::abs(by);
  return made;
}

LinearForm operator+(const LinearForm& a, const LinearForm& b) {
  LinearForm made = {a.constant + b.constant, {}, a.slack + b.slack};
  made.factor.resize(std::max(a.factor.size(), b.factor.size()));
  for (std::size_t i = 0; i < made.factor.size(); ++i) {
    made.factor[i] = factor_of(a, i) + factor_of(b, i);
  }
  return made;
}

namespace {

bool are_equal(const LinearForm& a, const LinearForm& b) {
  if (a.constant != b.constant || a.slack != 0 || b.slack != 0) return false;
  for (std::size_t i = 0; i < std::max(a.factor.size(), b.factor.size()); ++i) {
    if (factor_of(a, i) != factor_of(b, i)) return false;
  }
  return true;
}

std::optional<LinearForm> product_of(const LinearForm& a, const LinearForm& b) {
  if (a.is_constant()) return b * a.constant;
  if (b.is_constant()) return a * b.constant;
  return std::nullopt;
}

}  // namespace

RatioForm constant_ratio(double value) {
  return {{value}, {1}};
}

std::optional<RatioForm> sum_of(const RatioForm& a, const RatioForm& b) {
  if (are_equal(a.below, b.below)) return RatioForm{a.above + b.above, a.below};
  const auto left = product_of(a.above, b.below), right = product_of(b.above, a.below);
  const auto below = product_of(a.below, b.below);
  if (!left || !right || !below) return std::nullopt;
  return RatioForm{*left + *right, *below};
}

std::optional<RatioForm> product_of(const RatioForm& a, const RatioForm& b) {
  const auto above = product_of(a.above, b.above), below = product_of(a.below, b.below);
  if (!above || !below) return std::nullopt;
  return RatioForm{*above, *below};
}

std::optional<RatioForm> quotient_of(const RatioForm& a, const RatioForm& b) {
  return product_of(a, {b.below, b.above});
}

int statistics_in(const RatioForm& form) {
  int found = 0;
  for (std::size_t i = 0; i < std::max(form.above.factor.size(), form.below.factor.size()); ++i) {
    found += factor_of(form.above, i) != 0 || factor_of(form.below, i) != 0;
  }
  return found;
}

RatioReach ratio_reach(const RatioForm& form, std::span<const StatisticNoise> noise, double level) {
  check_level(level);
  double held = level;
  bool normal = true;
  const auto used = [&](std::size_t i) {
    return factor_of(form.above, i) != 0 || factor_of(form.below, i) != 0;
  };
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (!used(i)) continue;
    normal = normal && noise[i].law.family == Family::gaussian;
    held = std::max(held, ladder_level(level, noise[i].draws));
  }
  if (!normal) {
    return ratio_reach_by(form, [&](int i, int parts) {
      return answer_reach(noise[static_cast<std::size_t>(i)], level, parts);
    });
  }
  RatioReach made = {normal_tail_quantile(1 - held), {}};
  made.of.resize(noise.size());
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (!used(i)) continue;
    made.of[i].deviation = noise[i].law.scale;
    made.of[i].rest = noise[i].draws <= 1 ? .5 : 1;
    const int rows = noise[i].rows;
    if (noise[i].weight <= 0 || rows < 0 || !used(static_cast<std::size_t>(rows))) continue;
    made.of[i].together = made.of[static_cast<std::size_t>(rows)].together = rows;
  }
  return made;
}

NoiseInterval ratio_interval(const RatioForm& form, std::span<const Int128> noisy,
                             const RatioReach& reach, std::span<const double> slack) {
  const Computed above = value_of(form.above, noisy), below = value_of(form.below, noisy);
  const Reaches reaches(form, reach, slack);
  if (!(std::abs(below.value) > reaches.of_divisor() + kSlack * below.size)) return kEveryNumber;
  const double ratio = above.value / below.value;
  const auto reach_at = [&](double other) {
    return reaches.at(other) + kSlack * (above.size + std::abs(other) * below.size);
  };
  const double near = reach_at(ratio) / std::abs(below.value);
  if (form.below.is_constant() || near == 0) return {ratio - near, ratio + near};
  const auto allowed = [&](double other) {
    return std::abs(above.value - other * below.value) <= reach_at(other);
  };
  return {end_of(ratio, -1, near, allowed), end_of(ratio, 1, near, allowed)};
}

}  // namespace dpmix
