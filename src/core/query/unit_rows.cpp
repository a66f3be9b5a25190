#include "core/query/unit_rows.hpp"

#include <algorithm>
#include <cstring>

namespace dpmix {
namespace {

bool precedes(const UnitRows::Row& a, std::span<const std::byte> b) {
  if (a.size != b.size()) return a.size < b.size();
  return a.size > 0 && std::memcmp(a.data, b.data(), a.size) < 0;
}

bool in_order(const UnitRows::Row& a, const UnitRows::Row& b) {
  return precedes(a, {b.data, b.size});
}

std::size_t eights(std::size_t size) {
  return (size + 7) / 8;
}

}  // namespace

std::byte* UnitRows::room(std::size_t size) {
  const std::size_t words = eights(size);
  if (words < gaps_.size() && !gaps_[words].empty()) {
    std::byte* gap = gaps_[words].back();
    gaps_[words].pop_back();
    return gap;
  }
  if (words * 8 > left_) {
    left_ = std::max(kChunk, words * 8);
    chunks_.emplace_back();
    chunks_.back().reserve(left_ / 8);  // not filled: only what is used is touched
    free_ = reinterpret_cast<std::byte*>(chunks_.back().data());
  }
  std::byte* made = free_;
  free_ += words * 8;
  left_ -= words * 8;
  return made;
}

void UnitRows::free(const Row& row) {
  const std::size_t words = eights(row.size);
  if (words >= gaps_.size()) gaps_.resize(words + 1);
  gaps_[words].push_back(row.data);
}

std::vector<std::uint32_t> UnitRows::places_of(std::uint32_t unit) const {
  std::vector<std::uint32_t> places;
  places.reserve(units_[unit].count);
  for (std::uint32_t at = units_[unit].last; at != kNone; at = before_[at]) places.push_back(at);
  return places;
}

// The first ones of twice as many.
void UnitRows::keep_first(std::uint32_t unit) {
  std::vector<std::uint32_t> places = places_of(unit);
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return in_order(rows_[a], rows_[b]); };
  std::nth_element(places.begin(), places.begin() + (most_ - 1), places.end(), less);
  for (std::size_t i = most_; i < places.size(); i++) {
    free(rows_[places[i]]);
    rows_[places[i]].data = nullptr;
    unused_.push_back(places[i]);
  }
  units_[unit] = {};
  for (std::size_t i = 0; i < most_; i++) {
    before_[places[i]] = units_[unit].last;
    units_[unit].last = places[i];
    units_[unit].count++;
  }
  end_[unit] = places[most_ - 1];
}

void UnitRows::add(std::uint32_t unit, std::span<const std::byte> row) {
  if (unit >= units_.size()) units_.resize(std::max<std::size_t>(unit + 1, units_.size() * 3 / 2));
  Unit& of = units_[unit];
  if (const auto end = end_.find(unit); !end_.empty() && end != end_.end()) {
    if (!precedes({const_cast<std::byte*>(row.data()), (std::uint32_t)row.size(), unit},
                  {rows_[end->second].data, rows_[end->second].size})) {
      return;
    }
  }
  const Row made = {room(row.size()), (std::uint32_t)row.size(), unit};
  if (!row.empty()) std::memcpy(made.data, row.data(), row.size());
  const std::uint32_t before = of.last;
  if (unused_.empty()) {
    of.last = (std::uint32_t)rows_.size();
    rows_.push_back(made);
    before_.push_back(before);
  } else {
    of.last = unused_.back();
    unused_.pop_back();
    rows_[of.last] = made;
    before_[of.last] = before;
  }
  if (++of.count >= 2 * (std::uint64_t)most_) keep_first(unit);
}

void UnitRows::put_together(std::uint32_t units) {
  units_.resize(std::max<std::size_t>(units, units_.size()));
  first_.reserve(units + 1);
  first_.push_back(0);
  for (std::uint32_t unit = 0; unit < units; unit++) {
    first_.push_back(first_.back() + units_[unit].count);
  }
  together_.resize(first_.back());
  is_sorted_.resize(units);
  std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
  constexpr std::size_t kAhead = 16;  // rows of different units are far from each other
  for (std::size_t i = 0; i < rows_.size(); i++) {
    if (i + 2 * kAhead < rows_.size()) __builtin_prefetch(&next[rows_[i + 2 * kAhead].unit], 1);
    if (i + kAhead < rows_.size()) {
      __builtin_prefetch(together_.data() + next[rows_[i + kAhead].unit], 1);
    }
    if (rows_[i].data != nullptr) together_[next[rows_[i].unit]++] = rows_[i];
  }
  rows_ = {};
  before_ = {};
  units_ = {};
}

// Sorted where they are used: their bytes are at hand then.
std::span<const UnitRows::Row> UnitRows::of(std::uint32_t unit) {
  if (unit + 1 >= first_.size()) return {};
  const std::span rows(together_.data() + first_[unit], together_.data() + first_[unit + 1]);
  if (!is_sorted_[unit]) std::sort(rows.begin(), rows.end(), in_order);
  is_sorted_[unit] = true;
  if (unit + 2 < first_.size()) {
    for (std::uint64_t i = first_[unit + 1]; i < first_[unit + 2] && i < first_[unit + 1] + 64;
         i++) {
      __builtin_prefetch(together_[i].data);
    }
  }
  return rows.first(std::min<std::size_t>(rows.size(), most_));
}

}  // namespace dpmix
