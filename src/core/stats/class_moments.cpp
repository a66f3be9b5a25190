#include "core/stats/class_moments.hpp"

#include <algorithm>
#include <vector>

#include "core/stats/lattice_sum.hpp"

namespace dpmix {
namespace {

constexpr std::int64_t max_count = LatticeSum::max_count;

}  // namespace

std::size_t ClassMoments::word_count(const MomentShape& shape) {
  return header + MomentLayout(shape).size * static_cast<std::size_t>(shape.classes);
}

std::optional<MomentShape> ClassMoments::shape_of(const std::uint64_t* words, std::size_t count) {
  if (count < header) return std::nullopt;
  const MomentShape shape = shape_at(words);
  if (!shape.valid() || count != word_count(shape)) return std::nullopt;
  const MomentLayout layout(shape);
  for (const std::uint64_t* at = words + header; at != words + count; at += layout.size) {
    const std::uint64_t rows = at[MomentLayout::count], waiting = at[MomentLayout::waiting];
    if (rows > static_cast<std::uint64_t>(max_count)) return std::nullopt;
    if (waiting >= moment_block_rows || waiting > rows) return std::nullopt;
  }
  return shape;
}

ClassMoments ClassMoments::create(std::uint64_t* words, const MomentShape& shape) {
  std::fill_n(words, word_count(shape), 0);
  std::memcpy(words, &shape, sizeof shape);
  return ClassMoments(words);
}

void ClassMoments::settle(std::uint64_t* words) const {
  add_block(reinterpret_cast<const std::int32_t*>(words + layout_.block),
            words[MomentLayout::waiting], static_cast<std::size_t>(shape_.features),
            words + MomentLayout::sums, words + layout_.products);
  words[MomentLayout::waiting] = 0;
}

void ClassMoments::add(int k, const std::int32_t* q, std::int64_t share) {
  if (share == 0) return;
  std::uint64_t* words = class_words(k);
  words[MomentLayout::count] += static_cast<std::uint64_t>(share);
  const auto d = static_cast<std::size_t>(shape_.features);
  std::uint64_t *sum = words + MomentLayout::sums, *product = words + layout_.products;
  for (std::size_t i = 0; i < d; ++i, sum += 2) {
    const std::int64_t weighted = share * q[i];  // at most 2^40, its products 2^60
    store_wide(sum, load_wide(sum) + weighted);
    for (std::size_t j = i; j < d; ++j, product += 2) {
      store_wide(product, load_wide(product) + weighted * q[j]);
    }
  }
}

void ClassMoments::add_squares(int k, const std::int32_t* q) {
  std::uint64_t* words = class_words(k);
  ++words[MomentLayout::count];
  const auto d = static_cast<std::size_t>(shape_.features);
  std::uint64_t *sum = words + MomentLayout::sums, *square = words + layout_.products;
  for (std::size_t i = 0; i < d; ++i, sum += 2) {
    const std::int64_t x = q[i];
    store_wide(sum, load_wide(sum) + x);
    store_wide(square, load_wide(square) + x * x);
    square += 2 * (d - i);
  }
}

bool ClassMoments::merge(const ClassMoments& other) {
  if (shape_ != other.shape_) return false;
  for (int k = 0; k < shape_.classes; ++k) {
    if (count(k) > max_count - other.count(k)) return false;
  }
  for (int k = 0; k < shape_.classes; ++k) {
    std::uint64_t* mine = class_words(k);
    const std::uint64_t* theirs = other.class_words(k);
    mine[MomentLayout::count] += theirs[MomentLayout::count];
    for (std::size_t at = MomentLayout::sums; at < layout_.block; at += 2) {
      store_wide(mine + at, load_wide(mine + at) + load_wide(theirs + at));
    }
    const auto* row = reinterpret_cast<const std::int32_t*>(theirs + layout_.block);
    for (std::size_t r = 0; r < theirs[MomentLayout::waiting]; ++r, row += layout_.row) {
      push(mine, row);
    }
  }
  return true;
}

MomentTotals ClassMoments::totals() const {
  MomentTotals totals{shape_, {}};
  std::vector<std::uint64_t> words(layout_.size);
  for (int k = 0; k < shape_.classes; ++k) {
    std::copy_n(class_words(k), words.size(), words.begin());
    settle(words.data());
    MomentTotals::Class& c = totals.classes.emplace_back();
    c.count = count(k);
    for (std::size_t at = MomentLayout::sums; at < layout_.block; at += 2) {
      (at < layout_.products ? c.sums : c.products).push_back(load_wide(words.data() + at));
    }
  }
  return totals;
}

void ClassMoments::assign(const MomentTotals& totals) {
  for (int k = 0; k < shape_.classes; ++k) {
    const MomentTotals::Class& c = totals.classes[static_cast<std::size_t>(k)];
    std::uint64_t* words = class_words(k);
    words[MomentLayout::count] = static_cast<std::uint64_t>(c.count);
    words[MomentLayout::waiting] = 0;
    std::uint64_t* at = words + MomentLayout::sums;
    for (const std::vector<Int128>* values : {&c.sums, &c.products}) {
      for (Int128 value : *values) {
        store_wide(at, value);
        at += 2;
      }
    }
  }
}

}  // namespace dpmix
