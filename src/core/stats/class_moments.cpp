#include "core/stats/class_moments.hpp"

#include <algorithm>
#include <cstring>

#include "core/input/frame.hpp"
#include "core/stats/lattice_sum.hpp"
#include "core/stats/moment_block.hpp"

namespace dpmix {
namespace {

constexpr std::int64_t max_count = LatticeSum::max_count;

// Words of one class: count, rows waiting in the block, sums, products, then the block of int32.
enum : std::size_t { count_at, waiting_at, sums_at };
std::size_t row_size(const MomentShape& s) {
  return padded(static_cast<std::size_t>(s.features));
}
std::size_t products_at(const MomentShape& s) {
  return sums_at + 2 * static_cast<std::size_t>(s.features);
}
std::size_t block_at(const MomentShape& s) {
  return products_at(s) + 2 * s.products();
}
std::size_t class_size(const MomentShape& s) {
  return block_at(s) + moment_block_rows * row_size(s) / 2;
}

}  // namespace

std::uint64_t fingerprint(const void* bytes, std::size_t size) {  // FNV-1a
  std::uint64_t hash = 14695981039346656037u;
  const auto* byte = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 1099511628211u;
  return hash;
}

bool MomentShape::valid() const {
  if (blank()) return true;
  return classes >= 1 && classes <= MomentFrame::max_classes && features >= 1 &&
         features <= MomentFrame::max_features && resolution >= 1 &&
         resolution <= MomentFrame::max_resolution &&
         static_cast<std::int64_t>(products()) * classes <= MomentFrame::max_products;
}

std::size_t ClassMoments::word_count(const MomentShape& shape) {
  return header + (shape.blank() ? 0 : class_size(shape) * static_cast<std::size_t>(shape.classes));
}

ClassMoments::ClassMoments(std::uint64_t* words) : words_(words) {
  static_assert(sizeof(MomentShape) == header * sizeof *words);
  std::memcpy(static_cast<void*>(&shape_), words, sizeof shape_);
  class_size_ = class_size(shape_);
}

std::optional<MomentShape> ClassMoments::shape_of(const std::uint64_t* words, std::size_t count) {
  if (count < header) return std::nullopt;
  MomentShape shape;
  std::memcpy(static_cast<void*>(&shape), words, sizeof shape);
  if (!shape.valid() || count != word_count(shape)) return std::nullopt;
  for (std::int32_t k = 0; k < shape.classes; ++k) {
    const std::uint64_t* at = words + header + class_size(shape) * static_cast<std::size_t>(k);
    if (at[count_at] > static_cast<std::uint64_t>(max_count)) return std::nullopt;
    if (at[waiting_at] >= moment_block_rows || at[waiting_at] > at[count_at]) return std::nullopt;
  }
  return shape;
}

ClassMoments ClassMoments::create(std::uint64_t* words, const MomentShape& shape) {
  std::fill_n(words, word_count(shape), 0);
  std::memcpy(words, &shape, sizeof shape);
  return ClassMoments(words);
}

void ClassMoments::push(std::uint64_t* words, const std::int32_t* q) {
  auto* block = reinterpret_cast<std::int32_t*>(words + block_at(shape_));
  std::int32_t* row = block + words[waiting_at] * row_size(shape_);
  for (std::size_t i = 0; i < row_size(shape_); i += lanes) lanes_at(row + i) = lanes_at(q + i);
  if (++words[waiting_at] < moment_block_rows) return;
  add_block(block, moment_block_rows, static_cast<std::size_t>(shape_.features), words + sums_at,
            words + products_at(shape_));
  words[waiting_at] = 0;
}

void ClassMoments::add(int k, const std::int32_t* q) {
  std::uint64_t* words = class_words(k);
  ++words[count_at];
  push(words, q);
}

bool ClassMoments::merge(const ClassMoments& other) {
  if (shape_ != other.shape_) return false;
  for (int k = 0; k < shape_.classes; ++k) {
    if (count(k) > max_count - other.count(k)) return false;
  }
  for (int k = 0; k < shape_.classes; ++k) {
    std::uint64_t* mine = class_words(k);
    const std::uint64_t* theirs = other.class_words(k);
    mine[count_at] += theirs[count_at];
    for (std::size_t at = sums_at; at < block_at(shape_); at += 2) {
      store_wide(mine + at, load_wide(mine + at) + load_wide(theirs + at));
    }
    const auto* block = reinterpret_cast<const std::int32_t*>(theirs + block_at(shape_));
    for (std::size_t r = 0; r < theirs[waiting_at]; ++r) push(mine, block + r * row_size(shape_));
  }
  return true;
}

std::int64_t ClassMoments::count(int k) const {
  return static_cast<std::int64_t>(class_words(k)[count_at]);
}

MomentTotals ClassMoments::totals() const {
  MomentTotals totals{shape_, {}};
  const auto d = static_cast<std::size_t>(shape_.features);
  const std::size_t wide = d + shape_.products();
  std::vector<std::uint64_t> sums(2 * wide);
  for (int k = 0; k < shape_.classes; ++k) {
    const std::uint64_t* words = class_words(k);
    std::copy_n(words + sums_at, sums.size(), sums.begin());
    add_block(reinterpret_cast<const std::int32_t*>(words + block_at(shape_)), words[waiting_at], d,
              sums.data(), sums.data() + 2 * d);
    MomentTotals::Class& c = totals.classes.emplace_back();
    c.count = count(k);
    for (std::size_t i = 0; i < wide; ++i) {
      (i < d ? c.sums : c.products).push_back(load_wide(sums.data() + 2 * i));
    }
  }
  return totals;
}

void ClassMoments::assign(const MomentTotals& totals) {
  for (int k = 0; k < shape_.classes; ++k) {
    const MomentTotals::Class& c = totals.classes[static_cast<std::size_t>(k)];
    std::uint64_t* words = class_words(k);
    words[count_at] = static_cast<std::uint64_t>(c.count);
    words[waiting_at] = 0;
    std::uint64_t* at = words + sums_at;
    for (const std::vector<Int128>* values : {&c.sums, &c.products}) {
      for (Int128 value : *values) {
        store_wide(at, value);
        at += 2;
      }
    }
  }
}

}  // namespace dpmix
