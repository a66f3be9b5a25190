// Moments of each class: the number of rows, sums of their integer vectors q and products q q^T.
//
// Enters: vectors with sum q_i^2 <= resolution^2 (core/input/moment_frame_placer.hpp). Leaves:
// exact sums, mergeable, equal for any order of rows; the upper triangle of the products, once, row
// by row. No overflow: count <= 2^62 and resolution <= 2^20, so |sum| <= 2^82 and |product| <=
// 2^102. Proof: docs/proofs/stats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/base/vectorize.hpp"
#include "core/stats/moment_block.hpp"
#include "core/stats/moment_totals.hpp"

namespace dpmix {

// Where things are in the words of one class: its count, how many rows wait in the block, sums,
// products, and the block of waiting rows.
struct MomentLayout {
  static constexpr std::size_t count = 0, waiting = 1, sums = 2;
  std::size_t row, products, block, size;  // row: of a row of the block, in int32

  explicit MomentLayout(const MomentShape& shape)
      : row(padded(static_cast<std::size_t>(shape.features))),
        products(sums + 2 * static_cast<std::size_t>(shape.features)),
        block(products + 2 * shape.products()),
        size(block + moment_block_rows * row / 2) {}
};

// The running state: a view on 8-byte words that the caller keeps, so that PostgreSQL can hold it
// as a plain value. Trivially copyable; only totals() allocates.
class ClassMoments {
 public:
  static std::size_t word_count(const MomentShape& shape);
  // What `words` claims to be; nullopt unless it is a valid shape of exactly this many words with
  // counters in range.
  static std::optional<MomentShape> shape_of(const std::uint64_t* words, std::size_t count);
  // A state without rows, in word_count(shape) words.
  static ClassMoments create(std::uint64_t* words, const MomentShape& shape);
  explicit ClassMoments(std::uint64_t* words)  // words that shape_of() accepted
      : shape_(shape_at(words)), layout_(shape_), words_(words) {}

  const MomentShape& shape() const { return shape_; }
  // q has padded(features) entries, the last of them 0, as FramePlacer makes them.
  void add(int k, const std::int32_t* q) {
    std::uint64_t* words = class_words(k);
    ++words[MomentLayout::count];
    push(words, q);
  }
  // The same row `share` times, in one step: for moments whose rows count in parts of a whole. Then
  // the count is the sum of the shares, and the bounds above are about it. share in 0..2^20.
  void add(int k, const std::int32_t* q, std::int64_t share);
  // Count, sums and squares alone, for rows of which nobody will ask for products of two: those are
  // left as they are.
  void add_squares(int k, const std::int32_t* q);
  // Adds what other holds, which is not changed. False (and no change) when shapes differ or the
  // counts do not fit.
  bool merge(const ClassMoments& other);

  std::int64_t count(int k) const {
    return static_cast<std::int64_t>(class_words(k)[MomentLayout::count]);
  }
  MomentTotals totals() const;
  void assign(const MomentTotals& totals);  // of the same shape

 private:
  static constexpr std::size_t header = 3;  // words of the shape
  static MomentShape shape_at(const std::uint64_t* words) {
    static_assert(sizeof(MomentShape) == header * sizeof *words);
    MomentShape shape;
    std::memcpy(static_cast<void*>(&shape), words, sizeof shape);
    return shape;
  }
  std::uint64_t* class_words(int k) const {
    return words_ + header + layout_.size * static_cast<std::size_t>(k);
  }
  void push(std::uint64_t* words, const std::int32_t* q) {
    auto* row = reinterpret_cast<std::int32_t*>(words + layout_.block) +
                words[MomentLayout::waiting] * layout_.row;
    for (std::size_t i = 0; i < layout_.row; i += lanes) lanes_at(row + i) = lanes_at(q + i);
    if (++words[MomentLayout::waiting] == moment_block_rows) settle(words);
  }
  void settle(std::uint64_t* words) const;  // adds the waiting rows to the sums

  MomentShape shape_;
  MomentLayout layout_;
  std::uint64_t* words_;
};

}  // namespace dpmix
