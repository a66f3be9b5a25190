#include "core/input/record_code.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "core/base/clamped.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr std::int64_t square(std::int64_t x) {
  return x * x;
}

double in_half_widths(std::int32_t steps) {
  return static_cast<double>(steps) / half_steps;
}

}  // namespace

RecordCode::RecordCode(double clip) : clip_(clip) {
  if (clip > 0 && clip <= 1) return;
  char text[32];
  std::snprintf(text, sizeof text, "%g", clip);
  refuse_parameter("clip out of range",
                   std::string("clip is ") + text + "; it must lie above 0 and be at most 1.",
                   "Leave clip out, so that no record is shortened.");
}

void RecordCode::add(const Feature& feature, int coordinates) {
  features_.push_back(feature);
  coordinates_ += coordinates;
  const std::int64_t largest = features() * square(half_steps);
  limit_ = static_cast<std::int64_t>(std::ceil(clip_ * std::sqrt(features()) * half_steps));
  limit_ = std::max<std::int64_t>(limit_, 1);
  if (clip_ >= 1) {  // no record is shortened
    while (square(limit_) < largest) ++limit_;
  }
}

void RecordCode::add_number(double lower, double upper) {
  const Lattice lattice = {lower / 2 + upper / 2, (upper / 2 - lower / 2) / half_steps, -half_steps,
                           half_steps};
  add({coordinates_, 0, lattice, lattice.placer(), 0, 0}, 1);
}

void RecordCode::add_boolean() {
  choices_.push_back({coordinates_, 1, -1, 1});
  add_number(0, 1);
}

void RecordCode::add_categories(int count) {
  const double others = 1 - 1. / count, root = std::sqrt(others);
  auto high = static_cast<std::int32_t>(root * half_steps);  // toward 0
  const auto low = count == 1 ? 0 : -static_cast<std::int32_t>(half_steps / (count * root));
  // Whatever the rounding did: as long as a bound at most.
  while (square(high) + (count - 1) * square(low) > square(half_steps)) --high;
  if (count > 1)
    choices_.push_back({coordinates_, count, in_half_widths(low), in_half_widths(high)});
  ++groups_;
  add({coordinates_, count, {}, {}, low, high}, count);
}

void RecordCode::check() const {
  if (coordinates_ <= most_coordinates) return;
  refuse_parameter("too many features and categories",
                   "They have " + std::to_string(coordinates_) +
                       " coordinates, one for each number and one for each category; at most " +
                       std::to_string(most_coordinates) + " are allowed.",
                   "Leave features out, or declare fewer categories.");
}

bool RecordCode::encode(std::span<const double> values, std::int32_t* record) const {
  std::int64_t squares = 0;  // at most 2^12 of at most 2^40
  for (std::size_t i = 0; i < features_.size(); ++i) {
    const Feature& f = features_[i];
    std::int32_t* at = record + f.first;
    if (f.categories == 0) {
      if (std::isnan(values[i])) return false;
      *at = static_cast<std::int32_t>(f.placer.place(values[i]));
      squares += square(*at);
    } else {
      if (!(values[i] >= 0 && values[i] < f.categories)) return false;
      std::fill_n(at, f.categories, f.low);
      at[static_cast<int>(values[i])] = f.high;
      squares += square(f.high) + (f.categories - 1) * square(f.low);
    }
  }
  if (squares > square(limit_)) shorten(record, squares);
  return true;
}

// The factor stays clearly below 1, so that every coordinate but 0 shrinks each time: it ends.
void RecordCode::shorten(std::int32_t* record, std::int64_t squares) const {
  while (squares > square(limit_)) {
    const double exact = norm() / std::sqrt(static_cast<double>(squares));
    const double factor = std::min(exact, 1 - 0x1p-26);
    squares = 0;
    for (int j = 0; j < coordinates_; ++j) {
      record[j] = static_cast<std::int32_t>(record[j] * factor);  // toward 0
      squares += square(record[j]);
    }
  }
}

void RecordCode::decode(const double* half_widths, double* numbers, int* categories) const {
  for (const Feature& f : features_) {
    const double* at = half_widths + f.first;
    if (f.categories == 0) {
      *numbers++ = f.lattice.value_of(clamped(*at, -1, 1) * half_steps);
    } else {
      *categories++ = static_cast<int>(std::max_element(at, at + f.categories) - at);
    }
  }
}

}  // namespace dpmix
