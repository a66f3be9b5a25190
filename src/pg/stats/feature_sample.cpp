#include "pg/stats/feature_sample.hpp"

#include "core/input/moment_frame_placer.hpp"
#include "pg/border/texts.hpp"
#include "pg/stats/packed_argument.hpp"
#include "pg/stats/states.hpp"

extern "C" {
#include "libpq/pqformat.h"

PG_FUNCTION_INFO_V1(dpmix_sample_state_in);
PG_FUNCTION_INFO_V1(dpmix_sample_state_out);
PG_FUNCTION_INFO_V1(dpmix_sample_state_recv);
PG_FUNCTION_INFO_V1(dpmix_sample_state_send);
PG_FUNCTION_INFO_V1(dpmix_sample_state_combine);
PG_FUNCTION_INFO_V1(dpmix_feature_sample_add);
}

namespace dpmix::pg {
namespace {

constexpr char type_name[] = "sample_state";
constexpr char what[] = "a sample of features";

FeatureSample view(WordState* state) {
  return view_of_words<FeatureSample>(state, type_name);
}

struct Sampling {
  SampleShape shape;
  FramePlacer placer;
};

void make_sampling(std::span<const double> packed, MemoryContext context, Sampling* sampling) {
  const SampleFrame sample = SampleFrame::unpack(packed);
  sampling->placer =
      FramePlacer(sample.frame, placer_memory(context, FramePlacer::memory_size(sample.frame)));
  sampling->shape = SampleShape(sample, fingerprint(packed));
}

}  // namespace

FeatureSample read_sample_state(Datum state) {
  return view(reinterpret_cast<WordState*>(PG_DETOAST_DATUM(state)));
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_sample_state_in(PG_FUNCTION_ARGS) {
  const char* text = PG_GETARG_CSTRING(0);
  WordState* state = nullptr;
  guard([&] {
    const std::optional<SampleRows> rows = SampleRows::from_text(text);
    if (!rows) return;
    postgres([&] { state = new_word_state<FeatureSample>(rows->shape); });
    FeatureSample(state->words).assign(*rows);
  });
  if (state == nullptr) corrupt_state(ERRCODE_INVALID_TEXT_REPRESENTATION, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_sample_state_out(PG_FUNCTION_ARGS) {
  const FeatureSample sample = view(state_argument<WordState>(fcinfo, 0));
  PG_RETURN_CSTRING(guard([&] { return c_string_of(sample.rows().to_text()); }));
}

// On the wire: the shape, the threshold, how many; then for each its count and its integers.
Datum dpmix_sample_state_send(PG_FUNCTION_ARGS) {
  const FeatureSample sample = view(state_argument<WordState>(fcinfo, 0));
  bytea* result = nullptr;
  guard([&] {
    const SampleRows rows = sample.rows();
    const auto features = static_cast<std::size_t>(rows.shape.features);
    postgres([&] {
      StringInfoData message;
      pq_begintypsend(&message);
      pq_sendint32(&message, static_cast<uint32>(rows.shape.features));
      pq_sendint32(&message, static_cast<uint32>(rows.shape.limit));
      pq_sendint64(&message, static_cast<uint64>(rows.shape.resolution));
      pq_sendint64(&message, rows.shape.frame);
      pq_sendint64(&message, rows.shape.salt);
      pq_sendint64(&message, rows.threshold);
      pq_sendint32(&message, static_cast<uint32>(rows.counts.size()));
      for (std::size_t n = 0; n < rows.counts.size(); ++n) {
        pq_sendint64(&message, static_cast<uint64>(rows.counts[n]));
        for (std::size_t i = 0; i < features; ++i) {
          pq_sendint32(&message, static_cast<uint32>(rows.q[n * features + i]));
        }
      }
      result = pq_endtypsend(&message);
    });
  });
  PG_RETURN_BYTEA_P(result);
}

Datum dpmix_sample_state_recv(PG_FUNCTION_ARGS) {
  StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  SampleShape shape;
  shape.features = static_cast<int32>(pq_getmsgint(message, 4));
  shape.limit = static_cast<int32>(pq_getmsgint(message, 4));
  shape.resolution = pq_getmsgint64(message);
  shape.frame = static_cast<uint64>(pq_getmsgint64(message));
  shape.salt = static_cast<uint64>(pq_getmsgint64(message));
  const uint64 threshold = static_cast<uint64>(pq_getmsgint64(message));
  const int32 count = static_cast<int32>(pq_getmsgint(message, 4));
  if (!shape.valid() || count < 0 || count > shape.limit) {
    corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type_name);
  }
  WordState* state = new_word_state<FeatureSample>(shape);
  const bool valid = guard([&] {
    SampleRows rows;
    rows.shape = shape;
    rows.threshold = threshold;
    rows.counts.resize(static_cast<std::size_t>(count));
    rows.q.resize(rows.counts.size() * static_cast<std::size_t>(shape.features));
    postgres([&] {
      auto* at = rows.q.data();
      for (std::int64_t& times : rows.counts) {
        times = pq_getmsgint64(message);
        for (int i = 0; i < shape.features; ++i) {
          *at++ = static_cast<std::int32_t>(pq_getmsgint(message, 4));
        }
      }
    });
    if (!rows.plausible()) return false;
    FeatureSample(state->words).assign(rows);
    return true;
  });
  if (!valid) corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_feature_sample_add(PG_FUNCTION_ARGS) {  // strict
  auto* state = own_state<WordState>(fcinfo, view);
  const auto* sampling = packed_argument<Sampling>(fcinfo, 2, "feature_sample", make_sampling);
  FeatureSample sample(state->words);
  if (unlikely(sample.shape() != sampling->shape)) {
    if (!sample.shape().blank()) different_frames(what);
    state = new_word_state<FeatureSample>(sampling->shape);
    sample = FeatureSample(state->words);
  }
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(1), sampling->placer.inputs());
  std::int32_t q[FramePlacer::max_row];
  if (x != nullptr && sampling->placer.place(0, x, q)) sample.add(q);
  PG_RETURN_POINTER(state);
}

Datum dpmix_sample_state_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  auto* state = own_state<WordState>(fcinfo, view);
  const FeatureSample theirs = view(state_argument<WordState>(fcinfo, 1));
  FeatureSample mine(state->words);
  if (theirs.shape().blank()) PG_RETURN_POINTER(state);
  if (mine.shape().blank()) {
    state = new_word_state<FeatureSample>(theirs.shape());
    mine = FeatureSample(state->words);
  }
  if (mine.shape() != theirs.shape()) different_frames(what);
  if (!mine.merge(theirs)) corrupt_state(ERRCODE_DATA_CORRUPTED, type_name);
  PG_RETURN_POINTER(state);
}
}
