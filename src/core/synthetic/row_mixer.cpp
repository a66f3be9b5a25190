#include "core/synthetic/row_mixer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/poll.hpp"
#include "core/input/record_code.hpp"
#include "core/random/noisy.hpp"

namespace dpmix {
namespace {

constexpr std::size_t coordinates_per_poll = std::size_t{1} << 17;  // well below a ms

// How many independent coins fail before one succeeds. None where all do.
std::int64_t skipped(RandomStream& random, const std::optional<Geometric>& gap) {
  if (!gap) return 0;
  constexpr UInt128 beyond = UInt128{1} << 62;  // of all rows and records
  return static_cast<std::int64_t>(std::min((*gap)(random), beyond));
}

}  // namespace

RowMixer::RowMixer(std::span<const MixedClass> classes, int coordinates, std::int64_t first,
                   std::int64_t rows)
    : classes_(classes),
      coordinates_(static_cast<std::size_t>(coordinates)),
      samplers_(classes.size()),
      sums_(coordinates_),
      sum_(coordinates_) {
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (classes[k].rows == 0) continue;
    if (!std::isinf(classes[k].exponent)) samplers_[k].gap.emplace(ExactRate{classes[k].exponent});
    samplers_[k].noise.emplace(classes[k].sigma);
  }
  next_block(first, rows);
}

void RowMixer::next_block(std::int64_t first, std::int64_t rows) {
  first_ = first;
  rows_ = rows;
  sums_.clear(static_cast<std::size_t>(rows));
}

RowMixer::Place RowMixer::place_of(int k) const {
  const MixedClass& c = classes_[static_cast<std::size_t>(k)];
  return {std::max(c.first, first_), std::min(c.first + c.rows, first_ + rows_)};
}

void RowMixer::join(std::int64_t row, std::span<const std::int32_t* const> records) {
  sums_.add(static_cast<std::size_t>(row - first_), records);
  since_poll_ += coordinates_ * records.size();
  if (since_poll_ >= coordinates_per_poll) {
    since_poll_ = 0;
    poll();
  }
}

void RowMixer::add(RandomStream& random, int k, const std::int32_t* record) {
  const Place rows = place_of(k);
  if (rows.first >= rows.end) return;
#ifdef DPMIX_REPLAY
  if (replay::at_work()) {  // draws of the record's own
    const auto draws = replay::draws_of_record(k, first_, {record, coordinates_});
    for (std::int64_t row = rows.first; row < rows.end; ++row) {
      if (replay::joins(draws, row, classes_[static_cast<std::size_t>(k)].exponent)) {
        join(row, {&record, 1});
      }
    }
    return;
  }
#endif
  const std::optional<Geometric>& gap = samplers_[static_cast<std::size_t>(k)].gap;
  for (std::int64_t row = rows.first + skipped(random, gap); row < rows.end;
       row += 1 + skipped(random, gap)) {
    join(row, {&record, 1});
  }
}

void RowMixer::add_all(RandomStream& random, const HeldRecords& records) {
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    if (classes_[k].first >= first_ + rows_) break;
    if (takes(static_cast<int>(k))) {
      add_class(random, static_cast<int>(k), records);
    }
  }
}

// Each row goes through the class's records by gaps of its own. That all rows do so a tile at a
// time changes nothing in the law; it reads a tile from memory once for all of them.
void RowMixer::add_class(RandomStream& random, int k, const HeldRecords& records) {
#ifdef DPMIX_REPLAY
  if (replay::at_work()) {
    for (const HeldRecords::Tile& tile : records.of(k)) {
      for (std::int64_t i = 0; i < tile.records; ++i) add(random, k, records.record(tile, i));
    }
    return;
  }
#endif
  const Place rows = place_of(k);
  const std::optional<Geometric>& gap = samplers_[static_cast<std::size_t>(k)].gap;
  next_.resize(static_cast<std::size_t>(rows.end - rows.first));
  for (std::int64_t& next : next_) next = skipped(random, gap);
  std::int64_t first = 0;
  for (const HeldRecords::Tile& tile : records.of(k)) {
    const std::int64_t end = first + tile.records;
    for (std::int64_t row = rows.first; row < rows.end; ++row) {
      std::int64_t& next = next_[static_cast<std::size_t>(row - rows.first)];
      while (next < end) {
        std::array<const std::int32_t*, 16> joined;
        std::size_t count = 0;
        for (; count < joined.size() && next < end; next += 1 + skipped(random, gap)) {
          joined[count] = records.record(tile, next - first);
          __builtin_prefetch(joined[count++]);  // while the next gap is drawn
        }
        join(row, {joined.data(), count});
      }
    }
    first = end;
    poll();
  }
}

void RowMixer::finish(RandomStream& random, int k, std::int64_t row, double* half_widths) {
  const RoundedNormal& noise = *samplers_[static_cast<std::size_t>(k)].noise;
  const double divisor =
      static_cast<double>(half_steps) * classes_[static_cast<std::size_t>(k)].mix;
  sums_.copy(static_cast<std::size_t>(row - first_), sum_.data());
#ifdef DPMIX_REPLAY
  replay::see_row(row);
#endif
  for (std::size_t j = 0; j < coordinates_; ++j) {
    half_widths[j] = to_double(noisy(random, noise, sum_[j])) / divisor;
  }
}

}  // namespace dpmix
