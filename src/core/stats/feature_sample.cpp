#include "core/stats/feature_sample.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/base/refuse_parameter.hpp"
#include "core/stats/lattice_sum.hpp"

namespace dpmix {
namespace {

constexpr std::int64_t max_count = LatticeSum::max_count;
constexpr double max_salt = 0x1p53;

bool limit_fits(std::int64_t features, double limit) {
  return limit >= 1 && limit <= SampleShape::max_limit && limit == std::floor(limit) &&
         static_cast<double>(features) * limit <= SampleShape::max_numbers;
}

std::uint64_t mix(std::uint64_t h) {  // a bijection; the finalizer of MurmurHash3 (public domain)
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdu;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 33;
}

bool inside(const std::int32_t* q, std::size_t features, std::int64_t resolution) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < features; ++i) {
    if (std::abs(std::int64_t{q[i]}) > resolution) return false;
    sum += std::int64_t{q[i]} * q[i];
  }
  return sum <= resolution * resolution;
}

}  // namespace

std::vector<double> SampleFrame::extra() const {
  return {static_cast<double>(limit), static_cast<double>(salt)};
}

SampleFrame SampleFrame::unpack(std::span<const double> packed) {
  SampleFrame out;
  out.frame = MomentFrame::unpack_front(packed);
  if (packed.size() != 2 || !limit_fits(out.frame.features, packed[0]) || !(packed[1] >= 0) ||
      packed[1] > max_salt || packed[1] != std::floor(packed[1])) {
    refuse_parameter(
        "invalid frame of a sample of features",
        "After the frame come a limit from 1 to 65536, at most 2^20 / features, and a salt, "
        "an integer from 0 to 2^53.",
        "Use the layout in the comment on dpmix_internal.feature_sample.");
  }
  out.limit = static_cast<std::int32_t>(packed[0]);
  out.salt = static_cast<std::uint64_t>(packed[1]);
  return out;
}

SampleShape::SampleShape(const SampleFrame& sample, std::uint64_t fingerprint)
    : features(sample.frame.features),
      limit(sample.limit),
      resolution(sample.frame.resolution),
      frame(fingerprint),
      salt(sample.salt) {}

bool SampleShape::valid() const {
  if (blank()) return true;
  return features >= 1 && features <= MomentFrame::max_features && limit_fits(features, limit) &&
         resolution >= 1 && resolution <= MomentFrame::max_resolution &&
         static_cast<double>(salt) <= max_salt;
}

std::uint64_t sample_hash(const std::int32_t* q, std::size_t features, std::uint64_t salt) {
  std::uint64_t h = mix(salt + 0x9e3779b97f4a7c15u);
  for (std::size_t i = 0; i < features; ++i) {
    h = mix(h + 0x9e3779b97f4a7c15u + static_cast<std::uint32_t>(q[i]));
  }
  return h >> 1;
}

bool SampleRows::plausible() const {
  const auto d = static_cast<std::size_t>(shape.features);
  if (shape.blank()) return q.empty() && counts.empty() && threshold == no_threshold;
  if (!shape.valid() || threshold > no_threshold || q.size() != d * counts.size() ||
      counts.size() > static_cast<std::size_t>(shape.limit)) {
    return false;
  }
  std::uint64_t before = 0;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    const std::int32_t* at = q.data() + n * d;
    const std::uint64_t hash = sample_hash(at, d, shape.salt);
    if (counts[n] < 1 || counts[n] > max_count || hash >= threshold) return false;
    if (!inside(at, d, shape.resolution) || hash < before) return false;
    if (n > 0 && hash == before && !std::lexicographical_compare(at - d, at, at, at + d)) {
      return false;
    }
    before = hash;
  }
  return true;
}

std::string SampleRows::to_text() const {
  if (shape.blank()) return "()";
  std::string text = "(" + std::to_string(shape.features) + "," + std::to_string(shape.limit) +
                     "," + std::to_string(shape.resolution) + "," + std::to_string(shape.frame) +
                     "," + std::to_string(shape.salt) + "," + std::to_string(threshold) + ")";
  const auto d = static_cast<std::size_t>(shape.features);
  for (std::size_t n = 0; n < counts.size(); ++n) {
    text += "{" + std::to_string(counts[n]);
    for (std::size_t i = 0; i < d; ++i) text += "|" + std::to_string(q[n * d + i]);
    text += "}";
  }
  return text;
}

std::optional<SampleRows> SampleRows::from_text(std::string_view text) {
  SampleRows out;
  if (text == "()") return out;
  const char *at = text.data(), *end = at + text.size();
  const auto read = [&](char before, auto& value) {
    if (at == end || *at != before) return false;
    const auto [stop, error] = std::from_chars(at + 1, end, value);
    at = stop;
    return error == std::errc{};
  };
  const auto close = [&](char bracket) { return at != end && *at++ == bracket; };
  SampleShape& shape = out.shape;
  if (!read('(', shape.features) || !read(',', shape.limit) || !read(',', shape.resolution) ||
      !read(',', shape.frame) || !read(',', shape.salt) || !read(',', out.threshold) ||
      !close(')') || shape.blank() || !shape.valid()) {
    return std::nullopt;
  }
  while (at != end) {
    if (out.counts.size() == static_cast<std::size_t>(shape.limit)) return std::nullopt;
    if (!read('{', out.counts.emplace_back())) return std::nullopt;
    for (int i = 0; i < shape.features; ++i) {
      if (!read('|', out.q.emplace_back())) return std::nullopt;
    }
    if (!close('}')) return std::nullopt;
  }
  if (!out.plausible()) return std::nullopt;
  return out;
}

WeightedPoints SampleRows::points(double step) const {
  WeightedPoints out{shape.features, {}, {}};
  for (const std::int32_t v : q) out.points.push_back(v * step);
  for (const std::int64_t n : counts) out.weights.push_back(static_cast<double>(n));
  return out;
}

// Words of the state: this, then 2 limit entries (hash, count, vector), then the index.
struct FeatureSample::Header {
  std::int32_t features, limit;
  std::int64_t resolution;
  std::uint64_t frame, salt, threshold, size;
};

namespace {

constexpr std::size_t hash_at = 0, count_at = 1, vector_at = 2;  // words of an entry

struct Layout {
  std::size_t capacity, entry, slots;
};

Layout layout_of(const SampleShape& shape) {
  if (shape.blank()) return {0, 0, 0};
  const auto limit = static_cast<std::size_t>(shape.limit);
  const auto d = static_cast<std::size_t>(shape.features);
  return {2 * limit, vector_at + (d + 1) / 2, std::bit_ceil(4 * limit)};
}

}  // namespace

std::size_t FeatureSample::word_count(const SampleShape& shape) {
  const Layout l = layout_of(shape);
  return sizeof(Header) / sizeof(std::uint64_t) + l.capacity * l.entry + l.slots / 2;
}

FeatureSample::FeatureSample(std::uint64_t* words) : words_(words) {
  const Header& h = header();
  shape_.features = h.features, shape_.limit = h.limit, shape_.resolution = h.resolution;
  shape_.frame = h.frame, shape_.salt = h.salt;
  const Layout l = layout_of(shape_);
  features_ = static_cast<std::size_t>(h.features);
  capacity_ = l.capacity, entry_size_ = l.entry, slots_ = l.slots;
}

FeatureSample FeatureSample::create(std::uint64_t* words, const SampleShape& shape) {
  std::fill_n(words, word_count(shape), 0);
  const Header header{shape.features,
                      shape.limit,
                      shape.resolution,
                      shape.frame,
                      shape.salt,
                      SampleRows::no_threshold,
                      0};
  std::memcpy(static_cast<void*>(words), &header, sizeof header);
  return FeatureSample(words);
}

std::optional<SampleShape> FeatureSample::shape_of(const std::uint64_t* words, std::size_t count) {
  if (count < sizeof(Header) / sizeof *words) return std::nullopt;
  Header header;
  std::memcpy(&header, words, sizeof header);
  SampleShape shape;
  shape.features = header.features, shape.limit = header.limit;
  shape.resolution = header.resolution, shape.frame = header.frame, shape.salt = header.salt;
  const Layout l = layout_of(shape);
  // A full one was pruned: the next row has room. A blank one has neither.
  const std::size_t room = std::max<std::size_t>(l.capacity, 1);
  if (!shape.valid() || count != word_count(shape) || header.size >= room ||
      header.threshold > SampleRows::no_threshold) {
    return std::nullopt;
  }
  const auto* slot = reinterpret_cast<const std::uint32_t*>(words + count - l.slots / 2);
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < l.slots; ++i) {
    if (slot[i] > header.size) return std::nullopt;
    used += slot[i] != 0;
  }
  if (used != header.size) return std::nullopt;
  return shape;
}

FeatureSample::Header& FeatureSample::header() const {
  return *reinterpret_cast<Header*>(words_);
}

std::uint64_t* FeatureSample::entry(std::size_t i) const {
  return words_ + sizeof(Header) / sizeof *words_ + i * entry_size_;
}

std::uint32_t* FeatureSample::index() const {
  return reinterpret_cast<std::uint32_t*>(entry(capacity_));
}

bool FeatureSample::same(const std::uint64_t* entry, const std::int32_t* q) const {
  return std::memcmp(entry + vector_at, q, features_ * sizeof *q) == 0;
}

std::uint32_t* FeatureSample::slot(std::uint64_t hash, const std::int32_t* q) const {
  std::uint32_t* slots = index();
  for (std::size_t i = hash & (slots_ - 1);; i = (i + 1) & (slots_ - 1)) {
    if (slots[i] == 0) return slots + i;
    const std::uint64_t* at = entry(slots[i] - 1);
    if (at[hash_at] == hash && same(at, q)) return slots + i;
  }
}

void FeatureSample::add(const std::int32_t* q, std::int64_t count) {
  const std::uint64_t hash = sample_hash(q, features_, shape_.salt);
  Header& h = header();
  if (hash >= h.threshold) return;
  std::uint32_t* at = slot(hash, q);
  if (*at != 0) {
    entry(*at - 1)[count_at] += static_cast<std::uint64_t>(count);
    return;
  }
  std::uint64_t* fresh = entry(h.size++);
  *at = static_cast<std::uint32_t>(h.size);
  fresh[hash_at] = hash;
  fresh[count_at] = static_cast<std::uint64_t>(count);
  std::memcpy(fresh + vector_at, q, features_ * sizeof *q);
  if (h.size == capacity_) prune();
}

// Drops what cannot be in the sample: the hash of rank limit + 1 among those here, and beyond.
void FeatureSample::prune() {
  Header& h = header();
  if (h.size <= static_cast<std::uint64_t>(shape_.limit)) return;
  auto* hashes = reinterpret_cast<std::uint64_t*>(index());  // made anew below
  for (std::size_t i = 0; i < h.size; ++i) hashes[i] = entry(i)[hash_at];
  std::nth_element(hashes, hashes + shape_.limit, hashes + h.size);
  h.threshold = std::min(h.threshold, hashes[shape_.limit]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < h.size; ++i) {
    const std::uint64_t* from = entry(i);
    if (from[hash_at] >= h.threshold) continue;
    if (kept != i) std::copy_n(from, entry_size_, entry(kept));
    ++kept;
  }
  h.size = kept;
  std::fill_n(index(), slots_, 0);
  for (std::size_t i = 0; i < kept; ++i) {
    const std::uint64_t* at = entry(i);
    *slot(at[hash_at], reinterpret_cast<const std::int32_t*>(at + vector_at)) =
        static_cast<std::uint32_t>(i + 1);
  }
}

bool FeatureSample::merge(const FeatureSample& other) {
  if (shape_ != other.shape_) return false;
  const auto vector = [&](std::size_t i) {
    return reinterpret_cast<const std::int32_t*>(other.entry(i) + vector_at);
  };
  const std::size_t theirs = other.header().size;
  for (std::size_t i = 0; i < theirs; ++i) {
    const std::uint64_t* at = other.entry(i);
    const std::uint32_t mine = *slot(at[hash_at], vector(i));
    if (mine != 0 && entry(mine - 1)[count_at] + at[count_at] > std::uint64_t{max_count}) {
      return false;
    }
  }
  header().threshold = std::min(header().threshold, other.header().threshold);
  for (std::size_t i = 0; i < theirs; ++i) {
    add(vector(i), static_cast<std::int64_t>(other.entry(i)[count_at]));
  }
  return true;
}

SampleRows FeatureSample::rows() const {
  SampleRows out;
  out.shape = shape_;
  if (shape_.blank()) return out;
  std::vector<std::uint64_t> copy(words_, words_ + word_count(shape_));
  FeatureSample sample(copy.data());
  sample.prune();
  out.threshold = sample.header().threshold;
  std::vector<const std::uint64_t*> entries;
  for (std::size_t i = 0; i < sample.header().size; ++i) {
    const std::uint64_t* at = sample.entry(i);
    if (at[hash_at] < out.threshold) entries.push_back(at);  // a merge may have lowered it
  }
  const auto vector = [](const std::uint64_t* at) {
    return reinterpret_cast<const std::int32_t*>(at + vector_at);
  };
  std::sort(entries.begin(), entries.end(), [&](const auto* a, const auto* b) {
    if (a[hash_at] != b[hash_at]) return a[hash_at] < b[hash_at];
    return std::lexicographical_compare(vector(a), vector(a) + features_, vector(b),
                                        vector(b) + features_);
  });
  for (const std::uint64_t* at : entries) {
    out.counts.push_back(static_cast<std::int64_t>(at[count_at]));
    out.q.insert(out.q.end(), vector(at), vector(at) + features_);
  }
  return out;
}

void FeatureSample::assign(const SampleRows& rows) {
  create(words_, shape_);
  header().threshold = rows.threshold;
  for (std::size_t n = 0; n < rows.counts.size(); ++n) {
    add(rows.q.data() + n * features_, rows.counts[n]);
  }
}

}  // namespace dpmix
