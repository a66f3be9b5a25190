#include "pg/stats/count_state.hpp"

#include <algorithm>

#include "pg/border/texts.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_count_state_in);
PG_FUNCTION_INFO_V1(dpmix_count_state_out);
PG_FUNCTION_INFO_V1(dpmix_count_state_recv);
PG_FUNCTION_INFO_V1(dpmix_count_state_send);
PG_FUNCTION_INFO_V1(dpmix_count_state_combine);
PG_FUNCTION_INFO_V1(dpmix_count_state_rows);
}

namespace dpmix::pg {
namespace {

constexpr char type_name[] = "count_state";

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
    corrupt_state(ERRCODE_DATA_CORRUPTED, type_name);
  }
  return state;
}

// Raises on bytes that are no state.
CountState* require_state(CountState* state) {
  if (!plausible_counts(span_of(require_shape(state))))
    corrupt_state(ERRCODE_DATA_CORRUPTED, type_name);
  return state;
}

CountState* new_count_state(int classes, int bins, uint64 frame) {
  const Size counts = static_cast<Size>(classes) * static_cast<Size>(bins);
  const Size size = offsetof(CountState, counts) + counts * sizeof(int64);
  auto* state = static_cast<CountState*>(palloc0(size));
  SET_VARSIZE(state, size);
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
  return require_state(reinterpret_cast<CountState*>(PG_DETOAST_DATUM(state)));
}

BinCounts counts_of(const CountState* state) {
  BinCounts counts(state->classes, state->bins, state->frame);
  const auto values = span_of(state);
  counts.counts.assign(values.begin(), values.end());
  return counts;
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_count_state_in(PG_FUNCTION_ARGS) {
  const char* text = PG_GETARG_CSTRING(0);
  CountState* state = nullptr;
  guard([&] {
    const std::optional<BinCounts> counts = BinCounts::from_text(text);
    if (!counts) return;
    postgres([&] { state = new_count_state(counts->classes, counts->bins, counts->frame); });
    std::copy(counts->counts.begin(), counts->counts.end(), state->counts);
  });
  if (state == nullptr) corrupt_state(ERRCODE_INVALID_TEXT_REPRESENTATION, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_count_state_out(PG_FUNCTION_ARGS) {
  const CountState* state = require_state(state_argument<CountState>(fcinfo, 0));
  PG_RETURN_CSTRING(guard([&] { return c_string_of(counts_of(state).to_text()); }));
}

// On the wire: classes, bins, the frame's fingerprint, then the counts.
Datum dpmix_count_state_send(PG_FUNCTION_ARGS) {
  const CountState* state = require_state(state_argument<CountState>(fcinfo, 0));
  StringInfoData message;
  pq_begintypsend(&message);
  pq_sendint32(&message, static_cast<uint32>(state->classes));
  pq_sendint32(&message, static_cast<uint32>(state->bins));
  pq_sendint64(&message, state->frame);
  for (const std::int64_t count : span_of(state)) {
    pq_sendint64(&message, static_cast<uint64>(count));
  }
  PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

Datum dpmix_count_state_recv(PG_FUNCTION_ARGS) {
  StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  const auto classes = static_cast<int32>(pq_getmsgint(message, 4));
  const auto bins = static_cast<int32>(pq_getmsgint(message, 4));
  const auto frame = static_cast<uint64>(pq_getmsgint64(message));
  if (!(classes == 0 && bins == 0 && frame == 0) && !BinCounts::valid_size(classes, bins)) {
    corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type_name);
  }
  CountState* state = new_count_state(classes, bins, frame);
  for (Size i = 0; i < counts_in(state); ++i) state->counts[i] = pq_getmsgint64(message);
  if (!plausible_counts(span_of(state))) {
    corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type_name);
  }
  PG_RETURN_POINTER(state);
}

Datum dpmix_count_state_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  CountState* state = own_count_state(fcinfo);
  const CountState* other = require_shape(state_argument<CountState>(fcinfo, 1));  // counts: below
  if (is_blank(other)) PG_RETURN_POINTER(state);
  state = of_shape(state, other->classes, other->bins, other->frame);
  if (!add_counts({reinterpret_cast<std::int64_t*>(state->counts), counts_in(state)},
                  span_of(other))) {
    corrupt_state(ERRCODE_DATA_CORRUPTED, type_name);
  }
  PG_RETURN_POINTER(state);
}

Datum dpmix_count_state_rows(PG_FUNCTION_ARGS) {
  const CountState* state = require_state(state_argument<CountState>(fcinfo, 0));
  const auto counts = span_of(state);
  const int size = static_cast<int>(counts.size());
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * Max(counts.size(), 1)));
  for (int i = 0; i < size; ++i) values[i] = Int64GetDatum(counts[static_cast<std::size_t>(i)]);
  if (size == 0) PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
  int dims[] = {state->classes, state->bins}, lower_bounds[] = {1, 1};
  PG_RETURN_ARRAYTYPE_P(construct_md_array(values, nullptr, 2, dims, lower_bounds, INT8OID,
                                           sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
}
