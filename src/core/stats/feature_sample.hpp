// A sample of the distinct placed rows: those of the least hash, each with its number of rows.
//
// Enters: integer vectors q (core/input/moment_frame_placer.hpp), limit and salt. Leaves: the
// distinct q whose hash is below a threshold t, with exact multiplicities. t is the hash of rank
// limit + 1 among the distinct q, or beyond all of them when there are at most `limit`. So the
// sample is a function of the multiset of the q alone: mergeable, equal for any order of rows, and
// of no other column of the table. At most `limit` are kept (fewer when hashes of 63 bits are
// equal). Memory: room for 2 limit vectors, whatever the number of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/input/moment_frame.hpp"
#include "core/stats/weighted_points.hpp"

namespace dpmix {

// The argument of feature_sample: a frame, whose first class places the rows, limit and salt.
struct SampleFrame {
  MomentFrame frame;
  std::int32_t limit = 0;
  std::uint64_t salt = 0;  // an integer up to 2^53

  std::vector<double> extra() const;  // what follows the frame in a pass
  // Reads frame and extra together. Error PV005 unless valid.
  static SampleFrame unpack(std::span<const double> packed);
};

// What two states must share to be added. All zeros: a state that has seen no row yet.
struct SampleShape {
  static constexpr std::int32_t max_limit = 1 << 16;
  static constexpr std::int64_t max_numbers = 1 << 20;  // features * limit

  std::int32_t features = 0, limit = 0;
  std::int64_t resolution = 0;
  std::uint64_t frame = 0;  // fingerprint of frame and extra
  std::uint64_t salt = 0;

  SampleShape() = default;
  SampleShape(const SampleFrame& sample, std::uint64_t fingerprint);

  bool blank() const { return *this == SampleShape{}; }
  bool valid() const;  // blank, or within the limits above and MomentFrame's
  bool operator==(const SampleShape&) const = default;
};

// 63 bits, all of which depend on all of q.
std::uint64_t sample_hash(const std::int32_t* q, std::size_t features, std::uint64_t salt);

// The sample as plain values: distinct vectors by increasing (hash, q).
struct SampleRows {
  static constexpr std::uint64_t no_threshold = std::uint64_t{1} << 63;

  SampleShape shape;
  std::uint64_t threshold = no_threshold;
  std::vector<std::int32_t> q;  // one vector after the other
  std::vector<std::int64_t> counts;

  // Such as rows can make: sorted, distinct, below the threshold, at most `limit`, none longer than
  // the resolution; counts from 1 to 2^62.
  bool plausible() const;
  // (features,limit,resolution,frame,salt,threshold){count|q1|q2...}...; () when blank. Exact.
  std::string to_text() const;
  static std::optional<SampleRows> from_text(std::string_view text);
  // The points in units of W (x - c), with the step that the frame gives a lattice unit.
  WeightedPoints points(double step) const;
};

// The running state: a view on 8-byte words that the caller keeps, as ClassMoments.
class FeatureSample {
 public:
  static std::size_t word_count(const SampleShape& shape);
  // What `words` claims to be; nullopt unless it is a valid shape of exactly this many words whose
  // entries lie inside.
  static std::optional<SampleShape> shape_of(const std::uint64_t* words, std::size_t count);
  static FeatureSample create(std::uint64_t* words, const SampleShape& shape);
  explicit FeatureSample(std::uint64_t* words);  // words that shape_of() accepted

  const SampleShape& shape() const { return shape_; }
  void add(const std::int32_t* q) { add(q, 1); }
  // False (and no change) when shapes differ or the counts do not fit.
  bool merge(const FeatureSample& other);
  SampleRows rows() const;
  void assign(const SampleRows& rows);  // of the same shape

 private:
  struct Header;
  Header& header() const;
  std::uint64_t* entry(std::size_t i) const;
  std::uint32_t* index() const;  // slots of a hash table: 0, or 1 + entry
  bool same(const std::uint64_t* entry, const std::int32_t* q) const;
  // The entry of q, or the empty slot where it belongs.
  std::uint32_t* slot(std::uint64_t hash, const std::int32_t* q) const;
  void add(const std::int32_t* q, std::int64_t count);
  void prune();

  SampleShape shape_;
  std::size_t features_ = 0, capacity_ = 0, entry_size_ = 0, slots_ = 0;
  std::uint64_t* words_;
};

}  // namespace dpmix
