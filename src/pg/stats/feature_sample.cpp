#include "pg/stats/feature_sample.hpp"

#include "core/input/moment_frame_placer.hpp"
#include "pg/border/texts.hpp"
#include "pg/stats/packed_argument.hpp"
#include "pg/stats/states.hpp"

extern "C" {
#include "libpq/pqformat.h"
PG_FUNCTION_INFO_V1(dpmix_feature_sample_add);
}

namespace dpmix::pg {
namespace {

using SampleState = WordState<StateKind::sample>;
constexpr char what[] = "a sample of features";

FeatureSample view(State* state) {
  return view_of_words<FeatureSample>(reinterpret_cast<SampleState*>(state));
}

State* new_sample(const SampleShape& shape) {
  return reinterpret_cast<State*>(new_word_state<SampleState, FeatureSample>(shape));
}

State* blank_sample() {
  return new_sample({});
}

State* sample_of_text(const char* text) {
  State* state = nullptr;
  guard([&] {
    const std::optional<SampleRows> rows = SampleRows::from_text(text);
    if (!rows) return;
    postgres([&] { state = new_sample(rows->shape); });
    FeatureSample(reinterpret_cast<SampleState*>(state)->words).assign(*rows);
  });
  return state;
}

char* text_of_sample(State* state) {
  const FeatureSample sample = view(state);
  return guard([&] { return c_string_of(sample.rows().to_text()); });
}

// Sends, in this order: the shape, the threshold, how many; then for each its count and integers.
void send_sample(StringInfo message, State* state) {
  const FeatureSample sample = view(state);
  guard([&] {
    const SampleRows rows = sample.rows();
    const auto features = static_cast<std::size_t>(rows.shape.features);
    postgres([&] {
      pq_sendint32(message, static_cast<uint32>(rows.shape.features));
      pq_sendint32(message, static_cast<uint32>(rows.shape.limit));
      pq_sendint64(message, static_cast<uint64>(rows.shape.resolution));
      pq_sendint64(message, rows.shape.frame);
      pq_sendint64(message, rows.shape.salt);
      pq_sendint64(message, rows.threshold);
      pq_sendint32(message, static_cast<uint32>(rows.counts.size()));
      for (std::size_t n = 0; n < rows.counts.size(); ++n) {
        pq_sendint64(message, static_cast<uint64>(rows.counts[n]));
        for (std::size_t i = 0; i < features; ++i) {
          pq_sendint32(message, static_cast<uint32>(rows.q[n * features + i]));
        }
      }
    });
  });
}

State* receive_sample(StringInfo message) {
  SampleShape shape;
  shape.features = static_cast<int32>(pq_getmsgint(message, 4));
  shape.limit = static_cast<int32>(pq_getmsgint(message, 4));
  shape.resolution = pq_getmsgint64(message);
  shape.frame = static_cast<uint64>(pq_getmsgint64(message));
  shape.salt = static_cast<uint64>(pq_getmsgint64(message));
  const uint64 threshold = static_cast<uint64>(pq_getmsgint64(message));
  const int32 count = static_cast<int32>(pq_getmsgint(message, 4));
  if (!shape.valid() || count < 0 || count > shape.limit) return nullptr;
  State* state = new_sample(shape);
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
    FeatureSample(reinterpret_cast<SampleState*>(state)->words).assign(rows);
    return true;
  });
  return valid ? state : nullptr;
}

State* merge_samples(State* own, State* other) {
  const FeatureSample theirs = view(other);
  FeatureSample mine = view(own);
  if (theirs.shape().blank()) return own;
  if (mine.shape().blank()) {
    own = new_sample(theirs.shape());
    mine = view(own);
  }
  if (mine.shape() != theirs.shape()) different_frames(what);
  if (!mine.merge(theirs)) corrupt_state(ERRCODE_DATA_CORRUPTED);
  return own;
}

// How many rows are in the sample.
ArrayType* numbers(State* state) {
  const FeatureSample sample = view(state);
  Int128 all = 0;
  guard([&] {
    for (const std::int64_t count : sample.rows().counts) all += count;
  });
  return numeric_array({all});
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
  return view_of_words<FeatureSample>(read_state_of<SampleState>(state));
}

const StateForm sample_form{
    StateKind::sample, "sample",    blank_sample,  sample_of_text, text_of_sample,
    receive_sample,    send_sample, merge_samples, numbers,
};

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_feature_sample_add(PG_FUNCTION_ARGS) {  // strict
  auto* state = own_state<SampleState>(fcinfo, view_of_words<FeatureSample, SampleState>);
  const auto* sampling = packed_argument<Sampling>(fcinfo, 2, "feature_sample", make_sampling);
  FeatureSample sample(state->words);
  if (unlikely(sample.shape() != sampling->shape)) {
    if (!sample.shape().blank()) different_frames(what);
    state = new_word_state<SampleState, FeatureSample>(sampling->shape);
    sample = FeatureSample(state->words);
  }
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(1), sampling->placer.inputs());
  std::int32_t q[FramePlacer::max_row];
  if (x != nullptr && sampling->placer.place(0, x, q)) sample.add(q);
  PG_RETURN_POINTER(state);
}
