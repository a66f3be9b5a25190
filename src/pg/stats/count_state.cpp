#include "pg/stats/count_state.hpp"

#include <algorithm>

#include "pg/border/texts.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace dpmix::pg {
namespace {

Size counts_in(const CountState* state) {
  return static_cast<Size>(state->classes) * static_cast<Size>(state->bins);
}

bool is_blank(const CountState* state) {
  return state->classes == 0 && state->bins == 0 && state->frame == 0;
}

std::span<const std::int64_t> span_of(const CountState* state) {
  return {reinterpret_cast<const std::int64_t*>(state->counts), counts_in(state)};
}

// Raises on bytes that have no shape of a state.
CountState* require_shape(CountState* state) {
  const Size size = VARSIZE(state), header = offsetof(CountState, counts);
  if (size < header || !(is_blank(state) || BinCounts::valid_size(state->classes, state->bins)) ||
      size != header + counts_in(state) * sizeof(int64)) {
    corrupt_state(ERRCODE_DATA_CORRUPTED);
  }
  return state;
}

// Raises on bytes that are no state.
CountState* require_state(CountState* state) {
  if (!plausible_counts(span_of(require_shape(state)))) corrupt_state(ERRCODE_DATA_CORRUPTED);
  return state;
}

CountState* new_count_state(int classes, int bins, uint64 frame) {
  const Size counts = static_cast<Size>(classes) * static_cast<Size>(bins);
  const Size size = offsetof(CountState, counts) + counts * sizeof(int64);
  auto* state = new_state<CountState>(size);
  state->classes = classes;
  state->bins = bins;
  state->frame = frame;
  return state;
}

}  // namespace

CountState* own_count_state(FunctionCallInfo fcinfo) {
  return own_state<CountState>(fcinfo, require_state);
}

CountState* change_shape(CountState* state, int classes, int bins, uint64 frame) {
  if (!is_blank(state)) different_frames("counts");
  return new_count_state(classes, bins, frame);
}

const CountState* read_count_state(Datum state) {
  return require_state(read_state_of<CountState>(state));
}

BinCounts counts_of(const CountState* state) {
  BinCounts counts(state->classes, state->bins, state->frame);
  const auto values = span_of(state);
  counts.counts.assign(values.begin(), values.end());
  return counts;
}

namespace {

State* plain(CountState* state) {
  return reinterpret_cast<State*>(state);
}
CountState* counts(State* state) {
  return reinterpret_cast<CountState*>(state);
}

State* blank_counts() {
  return plain(new_count_state(0, 0, 0));
}

State* counts_of_text(const char* text) {
  CountState* state = nullptr;
  guard([&] {
    const std::optional<BinCounts> values = BinCounts::from_text(text);
    if (!values) return;
    postgres([&] { state = new_count_state(values->classes, values->bins, values->frame); });
    std::copy(values->counts.begin(), values->counts.end(), state->counts);
  });
  return plain(state);
}

char* text_of_counts(State* state) {
  const CountState* valid = require_state(counts(state));
  return guard([&] { return c_string_of(counts_of(valid).to_text()); });
}

// Sends, in this order: classes, bins, the frame's fingerprint, then the counts.
void send_counts(StringInfo message, State* state) {
  const CountState* valid = require_state(counts(state));
  pq_sendint32(message, static_cast<uint32>(valid->classes));
  pq_sendint32(message, static_cast<uint32>(valid->bins));
  pq_sendint64(message, valid->frame);
  for (const std::int64_t count : span_of(valid)) {
    pq_sendint64(message, static_cast<uint64>(count));
  }
}

State* receive_counts(StringInfo message) {
  const auto classes = static_cast<int32>(pq_getmsgint(message, 4));
  const auto bins = static_cast<int32>(pq_getmsgint(message, 4));
  const auto frame = static_cast<uint64>(pq_getmsgint64(message));
  if (!(classes == 0 && bins == 0 && frame == 0) && !BinCounts::valid_size(classes, bins)) {
    return nullptr;
  }
  CountState* state = new_count_state(classes, bins, frame);
  for (Size i = 0; i < counts_in(state); ++i) state->counts[i] = pq_getmsgint64(message);
  return plausible_counts(span_of(state)) ? plain(state) : nullptr;
}

State* merge_counts(State* own, State* other) {
  const CountState* theirs = require_shape(counts(other));  // what it counts: below
  CountState* mine = require_state(counts(own));
  if (is_blank(theirs)) return own;
  mine = of_shape(mine, theirs->classes, theirs->bins, theirs->frame);
  if (!add_counts({reinterpret_cast<std::int64_t*>(mine->counts), counts_in(mine)},
                  span_of(theirs))) {
    corrupt_state(ERRCODE_DATA_CORRUPTED);
  }
  return plain(mine);
}

ArrayType* numbers(State* state) {
  const CountState* valid = require_state(counts(state));
  return numeric_array(valid->classes, valid->bins,
                       [valid](int i) { return static_cast<Int128>(valid->counts[i]); });
}

}  // namespace

const StateForm counts_form{
    StateKind::counts, "counts",    blank_counts, counts_of_text, text_of_counts,
    receive_counts,    send_counts, merge_counts, numbers,
};

}  // namespace dpmix::pg
