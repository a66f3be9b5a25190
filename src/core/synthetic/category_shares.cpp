#include "core/synthetic/category_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/algebra/simplex.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr std::size_t learning_rows = 2048;
constexpr std::size_t learning_bytes = 8 << 20;
constexpr int refreshing_rows = 64;

// Rows whose indicators are equal, as demixing leaves them where it finds nothing but noise, must
// not choose in step with each other's neighbours: then features would seem to depend on each
// other.
constexpr double most_jitter = 1e-3;  // of an indicator

double jitter(std::uint64_t row, int coordinate) {  // SplitMix64's mixing of the two
  std::uint64_t z = (row << 16 ^ static_cast<std::uint64_t>(coordinate)) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return most_jitter * (static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-52 - 1);
}

}  // namespace

ChoiceShares::ChoiceShares(const Choice& choice) : choice_(choice) {
  const auto values = static_cast<std::size_t>(std::max(choice.size, 2));
  for (auto* v : {&indicator_, &offset_, &sum_, &largest_, &given_, &drift_}) v->assign(values, 0);
}

// The indicators of a row, which sum up to 1 but for noise; returns the largest.
int ChoiceShares::read(const double* half_widths, std::uint64_t row, double* indicator) const {
  const double* x = half_widths + choice_.first;
  const double width = choice_.high - choice_.low;
  if (choice_.size == 1) {
    indicator[1] = (x[0] - choice_.low) / width + jitter(row, choice_.first);
    indicator[0] = 1 - indicator[1];
  } else {
    for (int c = 0; c < choice_.size; ++c) {
      indicator[c] = (x[c] - choice_.low) / width + jitter(row, choice_.first + c);
    }
  }
  return static_cast<int>(std::max_element(indicator, indicator + offset_.size()) - indicator);
}

void ChoiceShares::count(const double* indicator, int largest) {
  for (std::size_t c = 0; c < sum_.size(); ++c) sum_[c] += indicator[c];
  ++largest_[static_cast<std::size_t>(largest)];
  ++rows_;
}

// passed: rows that got their value. What these owe is spread over many others, so that no row
// notices.
void ChoiceShares::refresh(double passed) {
  const double many = std::max<double>(learning_rows, rows_ / 8);
  for (std::size_t c = 0; c < sum_.size(); ++c) drift_[c] = sum_[c] / rows_;
  project_to_simplex(drift_);
  for (std::size_t c = 0; c < sum_.size(); ++c) {
    const double debt = passed * drift_[c] - given_[c];
    drift_[c] += debt / many - largest_[c] / rows_;
  }
}

// A step of stochastic ascent of the dual: its gradient at a row is the shares wanted less the
// indicator of the choice. The shares wanted are written as the indicator of the largest plus what
// that lacks on average, so that offsets stay where they are while no row needs any.
int ChoiceShares::step(const double* indicator, int largest, double rate) {
  int chosen = 0;
  double most = -HUGE_VAL;
  for (std::size_t c = 0; c < offset_.size(); ++c) {
    const double x = indicator[c] + offset_[c];
    if (x > most) {
      most = x;
      chosen = static_cast<int>(c);
    }
    offset_[c] += rate * drift_[c];
  }
  offset_[static_cast<std::size_t>(largest)] += rate;
  offset_[static_cast<std::size_t>(chosen)] -= rate;
  return chosen;
}

void ChoiceShares::learn(const std::vector<double>& rows, std::size_t coordinates) {
  const std::size_t count_rows = rows.size() / coordinates, values = sum_.size();
  std::vector<double> indicators(count_rows * values), squares(values);
  std::vector<int> largest(count_rows);
  for (std::size_t t = 0; t < count_rows; ++t) {
    double* indicator = &indicators[t * values];
    largest[t] = read(&rows[t * coordinates], t, indicator);
    count(indicator, largest[t]);
    for (std::size_t c = 0; c < values; ++c) squares[c] += indicator[c] * indicator[c];
  }
  refresh(0);
  double variance = 0;
  for (std::size_t c = 0; c < values; ++c) {
    variance = std::max(variance, squares[c] / rows_ - std::pow(sum_[c] / rows_, 2));
  }
  const double spread = std::max(std::sqrt(variance), most_jitter / 2);
  const auto [least, most] = std::minmax_element(sum_.begin(), sum_.end());
  rate_ = spread / 50;
  // Long steps first, that reach any offsets in question; each pass halves them.
  for (double rate = ((*most - *least) / rows_ + spread) / 2;; rate /= 2) {
    rate = std::max(rate, rate_);
    for (std::size_t t = 0; t < count_rows; ++t) {
      step(&indicators[t * values], largest[t], rate);
    }
    poll();
    if (rate == rate_) break;
  }
}

void ChoiceShares::choose(double* half_widths, std::uint64_t row) {
  const int largest = read(half_widths, row, indicator_.data());
  const auto passed = static_cast<double>(row);
  if (passed >= rows_) {  // not one that was learned from
    count(indicator_.data(), largest);
    if (row % refreshing_rows == 0) refresh(passed);
  }
  const int chosen = step(indicator_.data(), largest, rate_);
  ++given_[static_cast<std::size_t>(chosen)];
  double* x = half_widths + choice_.first;
  if (choice_.size == 1) {
    x[0] = chosen == 1 ? choice_.high : choice_.low;
  } else {
    std::fill_n(x, choice_.size, choice_.low);
    x[chosen] = choice_.high;
  }
}

CategoryShares::CategoryShares(std::span<const Choice> choices, int coordinates, Put put)
    : choices_(choices),
      coordinates_(static_cast<std::size_t>(coordinates)),
      most_waiting_(std::clamp<std::size_t>(learning_bytes / (sizeof(double) * coordinates_), 1,
                                            learning_rows)),
      put_(std::move(put)),
      row_(coordinates_) {}

void CategoryShares::add(int k, const double* half_widths) {
  if (choices_.empty()) {
    put_(k, half_widths);
    return;
  }
  if (k != k_) {
    flush();
    k_ = k;
    learned_ = false;
    passed_ = 0;
    shares_.clear();
    for (const Choice& choice : choices_) shares_.emplace_back(choice);
  }
  if (learned_) {
    pass_on(half_widths);
    return;
  }
  waiting_.insert(waiting_.end(), half_widths, half_widths + coordinates_);
  if (waiting_.size() == most_waiting_ * coordinates_) flush();
}

void CategoryShares::finish() {
  flush();
}

void CategoryShares::flush() {
  if (waiting_.empty()) return;
  for (ChoiceShares& share : shares_) share.learn(waiting_, coordinates_);
  learned_ = true;
  for (std::size_t at = 0; at < waiting_.size(); at += coordinates_) {
    poll();
    pass_on(&waiting_[at]);
  }
  waiting_.clear();
}

void CategoryShares::pass_on(const double* half_widths) {
  std::copy_n(half_widths, coordinates_, row_.begin());
  for (ChoiceShares& share : shares_) share.choose(row_.data(), passed_);
  ++passed_;
  put_(k_, row_.data());
}

}  // namespace dpmix
