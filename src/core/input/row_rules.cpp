#include "core/input/row_rules.hpp"

#include <algorithm>
#include <utility>

#include "core/base/clamped.hpp"
#include "core/base/index.hpp"
#include "core/base/packed_reader.hpp"

namespace dpmix {
namespace {

[[noreturn]] void refuse_rules(const char* why) {
  refuse_parameter("these rules cannot be kept", why, "Declare other rules, or other bounds.");
}

void require(bool holds, const char* why) {
  if (!holds) refuse_rules(why);
}

bool is_measured(const RuledColumn& column) {
  return column.sum_of.empty();
}

}  // namespace

RowRules::RowRules(std::vector<RuledColumn> columns) : columns_(std::move(columns)) {
  require(columns_.size() <= most_columns, "A row has too many columns.");
  for (RuledColumn& column : columns_) {
    require(std::isfinite(column.lower) && std::isfinite(column.upper), "A bound is not finite.");
    if (column.whole) {
      column.lower = std::ceil(column.lower);
      column.upper = std::floor(column.upper);
    }
    require(column.lower <= column.upper, "Bounds do not ascend.");
    measured_of_.push_back(is_measured(column) ? measured() : -1);
    if (is_measured(column)) column_of_.push_back(static_cast<int>(measured_of_.size()) - 1);
  }
  find_order();
  check_bounds();
  find_groups();
}

// Depth first: a column is in order once all that it is made of are.
void RowRules::find_order() {
  enum class State { unseen, open, done };
  std::vector<State> state(columns_.size(), State::unseen);
  const auto needed = [&](int i) {
    std::vector<int> of = columns_[index(i)].sum_of;
    if (columns_[index(i)].at_least >= 0) of.push_back(columns_[index(i)].at_least);
    return of;
  };
  for (int first = 0; first < this->columns(); ++first) {
    std::vector<int> open = {first};
    while (!open.empty()) {
      const int i = open.back();
      const RuledColumn& column = columns_[index(i)];
      if (state[index(i)] == State::done) {
        open.pop_back();
        continue;
      }
      const std::vector<int> of = needed(i);
      require(of.empty() || column.number, "A rule is about a column that is no number.");
      require(column.sum_of.empty() || column.at_least < 0, "A sum has another rule.");
      require(column.present_with < this->columns() && column.present_with != i,
              "A column is present with itself, or with none.");
      bool ready = true;
      for (const int needed_one : of) {
        require(needed_one >= 0 && needed_one < this->columns(), "A rule names no column.");
        require(columns_[index(needed_one)].number, "A rule is about a column that is no number.");
        if (state[index(needed_one)] == State::done) continue;
        require(state[index(needed_one)] == State::unseen && needed_one != i,
                "A rule leads back to its own column.");
        ready = false;
        open.push_back(needed_one);
      }
      state[index(i)] = ready ? State::done : State::open;
      if (!ready) continue;
      order_.push_back(i);
      open.pop_back();
    }
  }
}

void RowRules::check_bounds() const {
  for (const RuledColumn& column : columns_) {
    if (column.at_least >= 0) {
      require(columns_[index(column.at_least)].upper <= column.upper,
              "A column has a lower upper bound than the one that it is at least.");
    }
    if (column.sum_of.empty()) continue;
    double lower = 0, upper = 0;
    for (const int part : column.sum_of) {
      lower += columns_[index(part)].lower;
      upper += columns_[index(part)].upper;
    }
    require(column.lower <= lower && upper <= column.upper,
            "The bounds of a sum are narrower than the sums of its parts' bounds.");
  }
}

// A sum is present where all of its parts are.
void RowRules::find_groups() {
  std::vector<int> leader(columns_.size());
  for (std::size_t i = 0; i < leader.size(); ++i) leader[i] = static_cast<int>(i);
  const auto of = [&](int i) {
    while (leader[index(i)] != i) i = leader[index(i)];
    return i;
  };
  std::vector<bool> bound(columns_.size(), false);
  for (int i = 0; i < columns(); ++i) {
    const int other = columns_[index(i)].present_with;
    if (other < 0) continue;
    leader[index(of(i))] = of(other);
    bound[index(i)] = bound[index(other)] = true;
  }
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {  // sums before their parts
    if (!bound[index(*i)]) continue;
    for (const int part : columns_[index(*i)].sum_of) {
      leader[index(of(part))] = of(*i);
      bound[index(part)] = true;
    }
  }
  group_of_.assign(columns_.size(), -1);
  std::vector<int> group(columns_.size(), -1);  // of a leader
  for (int i = 0; i < columns(); ++i) {
    if (!bound[index(i)] || measured_of(i) < 0) continue;
    int& number = group[index(of(i))];
    if (number < 0) {
      number = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    group_of_[index(i)] = number;
    groups_[index(number)].push_back(i);
  }
}

double RowRules::base(int column) const {
  const RuledColumn& ruled = columns_[index(column)];
  return std::min(ruled.lower, columns_[index(ruled.at_least)].lower);
}

double RowRules::measured_lower(int column) const {
  const RuledColumn& ruled = columns_[index(column)];
  return ruled.at_least < 0 ? ruled.lower : 0;
}

double RowRules::measured_upper(int column) const {
  const RuledColumn& ruled = columns_[index(column)];
  return ruled.at_least < 0 ? ruled.upper : ruled.upper - base(column);
}

std::span<const int> RowRules::together(int column) const {
  const int group = group_of_[index(column)];
  if (group < 0) return {};
  return groups_[index(group)];
}

double RowRules::sum(const RuledColumn& column, std::span<const double> row) const {
  double sum = 0;
  for (const int part : column.sum_of) {
    const double x = row[index(part)];
    sum += column.units > 0 ? std::rint(x * column.units) : x;
  }
  if (std::isnan(sum)) return NAN;
  return clamped(column.units > 0 ? sum / column.units : sum, column.lower, column.upper);
}

void RowRules::measure(std::span<double> row, std::span<double> measured) const {
  for (const std::vector<int>& group : groups_) {
    bool missing = false;
    for (const int column : group) missing = missing || std::isnan(row[index(column)]);
    if (!missing) continue;
    for (const int column : group) row[index(column)] = NAN;
  }
  for (const int i : order_) {
    const RuledColumn& column = columns_[index(i)];
    double& x = row[index(i)];
    if (!is_measured(column)) {
      x = sum(column, row);
      continue;
    }
    double& out = measured[index(measured_of(i))];
    out = x;  // beyond bounds there are cells of its own
    if (!column.number || std::isnan(x)) continue;
    x = clamped(x, column.lower, column.upper);
    if (column.at_least < 0) continue;
    const double other = row[index(column.at_least)];
    const double from = std::isnan(other) ? base(i) : other;
    out = std::fmax(x - from, 0);
    x = std::fmax(x, from);
  }
}

void RowRules::put_together(std::span<const double> measured, std::span<double> row) const {
  for (const int i : order_) {
    const RuledColumn& column = columns_[index(i)];
    double& x = row[index(i)];
    if (!is_measured(column)) {
      x = sum(column, row);
      continue;
    }
    x = measured[index(measured_of(i))];
    if (column.at_least < 0 || std::isnan(x)) continue;
    const double other = row[index(column.at_least)];
    x = clamped((std::isnan(other) ? base(i) : other) + x, column.lower, column.upper);
  }
}

std::vector<double> RowRules::pack() const {
  std::vector<double> packed = {static_cast<double>(columns_.size())};
  for (const RuledColumn& column : columns_) {
    packed.insert(packed.end(), {double(column.number), double(column.whole), column.lower,
                                 column.upper, double(column.at_least), double(column.present_with),
                                 column.units, double(column.sum_of.size())});
    packed.insert(packed.end(), column.sum_of.begin(), column.sum_of.end());
  }
  return packed;
}

RowRules RowRules::unpack(std::span<const double> packed) {
  PackedReader read(packed, {.message = "invalid rules of rows",
                             .detail = "The numbers are not those of rules.",
                             .hint = "Release the model again."});
  std::vector<RuledColumn> columns;
  const int last = read.whole(0, most_columns) - 1;
  for (int i = 0; i <= last; ++i) {
    RuledColumn column;
    column.number = read.whole(0, 1) == 1;
    column.whole = read.whole(0, 1) == 1;
    column.lower = read.number();
    column.upper = read.number();
    column.at_least = read.whole(-1, last);
    column.present_with = read.whole(-1, last);
    column.units = read.number();
    read.require(column.units >= 0 && std::isfinite(column.units));
    column.sum_of = read.wholes(read.count(last), 0, last);
    columns.push_back(std::move(column));
  }
  read.end();
  return RowRules(std::move(columns));
}

}  // namespace dpmix
