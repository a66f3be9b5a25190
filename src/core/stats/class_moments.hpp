// Per class: the number of rows, the sum of their integer vectors q and of their products q q^T.
//
// Enters: vectors with sum q_i^2 <= resolution^2 (core/input/frame_placer.hpp). Leaves: exact sums,
// mergeable, equal for any order of rows; the upper triangle of the products, once, row by row.
// No overflow: count <= 2^62 and resolution <= 2^20, so |sum| <= 2^82 and |product| <= 2^102.
// Proof: docs/proofs/stats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/int128.hpp"

namespace dpmix {

// What two states must share to be added. All zeros: a state that has seen no row yet.
struct MomentShape {
  std::int32_t classes = 0, features = 0;
  std::int64_t resolution = 0;
  std::uint64_t frame = 0;  // fingerprint of the frame that placed the rows

  bool blank() const { return *this == MomentShape{}; }
  bool valid() const;  // blank, or within MomentFrame's limits
  std::size_t products() const {
    return static_cast<std::size_t>(features) * (static_cast<std::size_t>(features) + 1) / 2;
  }
  bool operator==(const MomentShape&) const = default;
};

std::uint64_t fingerprint(const void* bytes, std::size_t size);

// The sums as plain values, for releases.
struct MomentTotals {
  struct Class {
    std::int64_t count = 0;
    std::vector<Int128> sums, products;
  };
  MomentShape shape;
  std::vector<Class> classes;

  // Non-blank of the right sizes, and such as rows can make: counts in 0..2^62, |sum| <= count R,
  // |product| <= count R^2, the products' trace at most count R^2 and its terms at least |sum|.
  bool plausible() const;
  // (classes,features,resolution,frame){count|sums|products}...; () when blank. Exact.
  std::string to_text() const;
  static std::optional<MomentTotals> from_text(std::string_view text);
};

// The running state: a view on 8-byte words that the caller keeps, so that PostgreSQL can hold it
// as a plain value. Trivially copyable; only totals() and the words-from-totals copy allocate.
class ClassMoments {
 public:
  static std::size_t word_count(const MomentShape& shape);
  // What `words` claims to be; nullopt unless it is a valid shape of exactly this many words with
  // counters in range.
  static std::optional<MomentShape> shape_of(const std::uint64_t* words, std::size_t count);
  // A state without rows, in word_count(shape) words.
  static ClassMoments create(std::uint64_t* words, const MomentShape& shape);
  explicit ClassMoments(std::uint64_t* words);  // words that shape_of() accepted

  const MomentShape& shape() const { return shape_; }
  // q has padded(features) entries, the last of them 0, as FramePlacer makes them.
  void add(int k, const std::int32_t* q);
  // Adds what other holds, which is not changed. False (and no change) when shapes differ or the
  // counts do not fit.
  bool merge(const ClassMoments& other);

  std::int64_t count(int k) const;
  MomentTotals totals() const;
  void assign(const MomentTotals& totals);  // of the same shape

 private:
  std::uint64_t* class_words(int k) const { return words_ + header + class_size_ * k; }
  void push(std::uint64_t* words, const std::int32_t* q);

  static constexpr std::size_t header = 3;
  MomentShape shape_;
  std::uint64_t* words_;
  std::size_t class_size_;
};

}  // namespace dpmix
