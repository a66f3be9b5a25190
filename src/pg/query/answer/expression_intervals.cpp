#include "pg/query/answer/expression_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/noise/lattice_moments.hpp"
#include "core/query/ratio_intervals.hpp"
#include "core/query/upgrade.hpp"
#include "pg/border/context_object.hpp"
#include "pg/query/read/aggregate.hpp"

namespace dpmix::pg {
namespace {

using Kind = Operand::Kind;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NoiseInterval kEveryNumber = {-kInfinity, kInfinity};

struct Part {
  const Operand* operand;
  std::optional<RatioForm> form = {};  // the whole part's
  RatioReach reach = {};
  EndReach end = {};  // that of an answer by itself
  std::unique_ptr<Part> left = {}, right = {};

  bool is_constant() const { return form && statistics_in(*form) == 0 && form->above.slack == 0; }
  // A single answer has an interval of its own, which knows its bounds.
  bool is_answer() const { return operand->kind == Kind::answer; }
};

std::optional<RatioForm> form_of_answer(const IntervalSource& source, int aggregate) {
  const auto form = source.shape->aggregate[aggregate].row->form;
  return form == NULL ? std::nullopt : form(source.answer(aggregate));
}

double unit_of(const Operand& rounded) {
  return std::pow(10, -rounded.number);
}

std::optional<RatioForm> form_of(const Part& part) {
  const auto& left = part.left->form;
  switch (part.operand->kind) {
    case Kind::plus:
    case Kind::minus:
    case Kind::times:
    case Kind::over: {
      const auto& right = part.right->form;
      if (!left || !right) return std::nullopt;
      if (part.operand->kind == Kind::times) return product_of(*left, *right);
      if (part.operand->kind == Kind::over) return quotient_of(*left, *right);
      const double sign = part.operand->kind == Kind::plus ? 1 : -1;
      return sum_of(*left, {right->above * sign, right->below});
    }
    case Kind::places: {
      if (!left || !left->below.is_constant()) return std::nullopt;
      RatioForm rounded = *left;
      rounded.above.slack += .5 * unit_of(*part.operand) * std::abs(rounded.below.constant);
      return rounded;
    }
    default:
      return std::nullopt;
  }
}

std::unique_ptr<Part> part_of(const IntervalSource& source, const Operand* operand) {
  auto part = std::make_unique<Part>(Part{operand});
  if (operand->kind == Kind::constant) {
    part->form = constant_ratio(operand->number);
  } else if (operand->kind == Kind::answer) {
    part->form = form_of_answer(source, operand->aggregate);
  } else {
    part->left = part_of(source, operand->left);
    if (operand->right != NULL) part->right = part_of(source, operand->right);
    // Rounding of one answer alone: of the ends of its interval.
    part->form = form_of(*part);
  }
  return part;
}

// Whether its interval is made of those of its parts, not of a form of all of it.
bool is_made_of_parts(const Part& part) {
  if (part.is_constant() || part.is_answer()) return false;
  const bool rounds = part.operand->kind == Kind::places;
  return !part.form || (rounds && part.left->is_answer());
}

int intervals_in(const Part& part) {
  if (part.is_constant()) return 0;
  if (!is_made_of_parts(part)) return 1;
  return intervals_in(*part.left) + (part.right ? intervals_in(*part.right) : 0);
}

void find_reach(const IntervalSource& source, double level, Part& part) {
  if (part.is_constant()) return;
  if (is_made_of_parts(part)) {
    find_reach(source, level, *part.left);
    if (part.right) find_reach(source, level, *part.right);
    return;
  }
  const std::span<const StatisticNoise> noise(source.noise, (std::size_t)source.statistics->count);
  if (part.is_answer()) {
    const AnswerSource answer = source.answer(part.operand->aggregate);
    if (answer.aggregate->row->reach == NULL) {
      part.end = interval_reach(answer, source.groups, source.set, level, source.sums);
    }
    return;
  }
  if (source.sums == NULL && source.groups->cube == NULL) {
    part.reach = ratio_reach(*part.form, noise, level);
    return;
  }
  check_level(level);
  part.reach = ratio_reach_by(*part.form, [&](int statistic, int parts) {
    return statistic_reach(source.groups, source.set, source.noise, statistic, level, parts,
                           source.sums);
  });
}

// Finds the reach of answers made of many cells. Call outside of guard().
void find_cell_reaches(const IntervalSource& source, double level, Part* part) {
  if (part->is_answer()) {
    const AnswerSource answer = source.answer(part->operand->aggregate);
    if (answer.aggregate->row->reach == NULL) return;
    part->end = answer.aggregate->row->reach(answer, level);
    return;
  }
  if (part->left) find_cell_reaches(source, level, part->left.get());
  if (part->right) find_cell_reaches(source, level, part->right.get());
}

NoiseInterval hull(std::initializer_list<double> ends) {
  NoiseInterval made = {kInfinity, -kInfinity};
  for (const double end : ends) {
    if (std::isnan(end)) return kEveryNumber;
    made = {std::min(made.low, end), std::max(made.high, end)};
  }
  return made;
}

NoiseInterval product(const NoiseInterval& a, const NoiseInterval& b) {
  return hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

double rounded(double value, double unit) {
  return std::nearbyint(value / unit) * unit;
}

// A monotone function, at both ends.
template <class Function>
NoiseInterval at_ends(const NoiseInterval& of, const Function& function) {
  return {function(of.low), function(of.high)};
}

NoiseInterval combined(const Operand& operand, const NoiseInterval& left,
                       const NoiseInterval& right) {
  switch (operand.kind) {
    case Kind::plus:
      return {left.low + right.low, left.high + right.high};
    case Kind::minus:
      return {left.low - right.high, left.high - right.low};
    case Kind::times:
      return product(left, right);
    case Kind::over:
      if (right.low <= 0 && right.high >= 0) return kEveryNumber;
      return product(left, {1 / right.high, 1 / right.low});
    case Kind::cut:
      return at_ends(left, [](double x) { return std::trunc(x); });
    case Kind::places:
      return at_ends(left, [&](double x) { return rounded(x, unit_of(operand)); });
    case Kind::single:
      return at_ends(left, [](double x) { return static_cast<double>(static_cast<float>(x)); });
    case Kind::root:
      return at_ends(left, [](double x) { return std::sqrt(std::max(x, 0.0)); });
    case Kind::constant:
    case Kind::answer:
      break;
  }
  return kEveryNumber;
}

}  // namespace

struct ExpressionInterval {
  IntervalSource source;
  std::unique_ptr<Part> part;
  std::vector<Int128> centre;  // each statistic's in the group at hand; so is slack
  std::vector<double> slack;
};

namespace {

// Outside of guard(), as answers and their intervals are made: their cells may be many.
NoiseInterval interval_of(const ExpressionInterval* of, const Part& part,
                          const GroupAnswer& group) {
  if (part.is_constant()) {
    const double value = part.form->above.constant / part.form->below.constant;
    return {value, value};
  }
  if (part.is_answer()) {
    return interval_in(of->source.answer(part.operand->aggregate), part.end, group);
  }
  if (!is_made_of_parts(part)) {
    return ratio_interval(*part.form, of->centre, part.reach, of->slack);
  }
  const NoiseInterval left = interval_of(of, *part.left, group);
  const NoiseInterval right = part.right ? interval_of(of, *part.right, group) : left;
  return combined(*part.operand, left, right);
}

// What the answers make of it; NaN: nothing.
double value_of(const IntervalSource& source, const Operand* operand, const GroupAnswer& group) {
  if (operand->kind == Kind::constant) return operand->number;
  if (operand->kind == Kind::answer) {
    return number_in(source.answer(operand->aggregate), group.noisy);
  }
  const double left = value_of(source, operand->left, group);
  const double right = operand->right != NULL ? value_of(source, operand->right, group) : left;
  if (std::isnan(left) || std::isnan(right)) return NAN;
  if (operand->kind == Kind::over) return right == 0 ? NAN : left / right;
  if (operand->kind == Kind::root && left < 0) return NAN;
  return combined(*operand, {left, left}, {right, right}).low;
}

}  // namespace

const ExpressionInterval* expression_interval(const IntervalSource& source, const Expr* expression,
                                              double level) {
  const Operand* operand = operand_of(source.shape, expression);
  return operand == NULL ? NULL : expression_interval(source, operand, level);
}

const ExpressionInterval* expression_interval(const IntervalSource& source, const Operand* operand,
                                              double level) {
  double share = level;
  auto* made = context_object<ExpressionInterval>([&] {
    check_level(level);
    std::unique_ptr<ExpressionInterval> begun(new ExpressionInterval{source, {}, {}, {}});
    begun->part = part_of(source, operand);
    share = 1 - (1 - level) / std::max(intervals_in(*begun->part), 1);
    find_reach(source, share, *begun->part);
    begun->centre.resize((std::size_t)source.statistics->count);
    begun->slack.resize((std::size_t)source.statistics->count);
    return begun.release();
  });
  find_cell_reaches(source, share, made->part.get());
  return made;
}

MeasuredValue measured_in_group(const ExpressionInterval* of, const GroupAnswer& group) {
  ExpressionInterval* here = (ExpressionInterval*)of;  // the numbers at hand
  for (int i = 0; i < of->source.statistics->count; i++) {
    const int first = of->source.statistics->first[i];
    here->centre[(std::size_t)i] = group.centre[first];
    here->slack[(std::size_t)i] = group.slack == NULL ? 0 : group.slack[first];
  }
  NoiseInterval interval = interval_of(of, *of->part, group);
  const double value = value_of(of->source, of->part->operand, group);
  if (!std::isnan(value)) {
    interval = {std::min(interval.low, value), std::max(interval.high, value)};
  }
  return {value, interval};
}

}  // namespace dpmix::pg
