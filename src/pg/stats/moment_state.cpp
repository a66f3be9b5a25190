#include "pg/stats/moment_state.hpp"

#include "pg/border/texts.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_moment_state_in);
PG_FUNCTION_INFO_V1(dpmix_moment_state_out);
PG_FUNCTION_INFO_V1(dpmix_moment_state_recv);
PG_FUNCTION_INFO_V1(dpmix_moment_state_send);
PG_FUNCTION_INFO_V1(dpmix_moment_state_combine);
PG_FUNCTION_INFO_V1(dpmix_moment_state_rows);
}

namespace dpmix::pg {
namespace {

constexpr char type_name[] = "moment_state";

ClassMoments view(MomentState* state) {
  return view_of_words<ClassMoments>(state, type_name);
}

}  // namespace

MomentState* own_moment_state(FunctionCallInfo fcinfo) {
  return own_state<MomentState>(fcinfo, view);
}

MomentState* change_shape(MomentState* state, const MomentShape& shape) {
  const ClassMoments moments(state->words);
  if (!moments.shape().blank()) different_frames("class moments");
  return new_word_state<ClassMoments>(shape);
}

ClassMoments read_moment_state(Datum state) {
  return view(reinterpret_cast<MomentState*>(PG_DETOAST_DATUM(state)));
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_moment_state_in(PG_FUNCTION_ARGS) {
  const char* text = PG_GETARG_CSTRING(0);
  MomentState* state = nullptr;
  guard([&] {
    const std::optional<MomentTotals> totals = MomentTotals::from_text(text);
    if (!totals) return;
    postgres([&] { state = new_word_state<ClassMoments>(totals->shape); });
    ClassMoments(state->words).assign(*totals);
  });
  if (state == nullptr) corrupt_state(ERRCODE_INVALID_TEXT_REPRESENTATION, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_moment_state_out(PG_FUNCTION_ARGS) {
  const ClassMoments moments = view(state_argument<MomentState>(fcinfo, 0));
  PG_RETURN_CSTRING(guard([&] { return c_string_of(moments.totals().to_text()); }));
}

// On the wire: the shape, then for each class the count, sums and products; 128 bits high first.
Datum dpmix_moment_state_send(PG_FUNCTION_ARGS) {
  const ClassMoments moments = view(state_argument<MomentState>(fcinfo, 0));
  bytea* result = nullptr;
  guard([&] {
    const MomentTotals totals = moments.totals();
    postgres([&] {
      StringInfoData message;
      pq_begintypsend(&message);
      pq_sendint32(&message, static_cast<uint32>(totals.shape.classes));
      pq_sendint32(&message, static_cast<uint32>(totals.shape.features));
      pq_sendint64(&message, static_cast<uint64>(totals.shape.resolution));
      pq_sendint64(&message, totals.shape.frame);
      for (const MomentTotals::Class& c : totals.classes) {
        pq_sendint64(&message, static_cast<uint64>(c.count));
        for (const auto* values : {&c.sums, &c.products}) {
          for (const Int128 value : *values) {
            pq_sendint64(&message, static_cast<uint64>(static_cast<UInt128>(value) >> 64));
            pq_sendint64(&message, static_cast<uint64>(value));
          }
        }
      }
      result = pq_endtypsend(&message);
    });
  });
  PG_RETURN_BYTEA_P(result);
}

Datum dpmix_moment_state_recv(PG_FUNCTION_ARGS) {
  StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  MomentShape shape;
  shape.classes = static_cast<int32>(pq_getmsgint(message, 4));
  shape.features = static_cast<int32>(pq_getmsgint(message, 4));
  shape.resolution = pq_getmsgint64(message);
  shape.frame = static_cast<uint64>(pq_getmsgint64(message));
  if (!shape.valid()) corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type_name);
  MomentState* state = new_word_state<ClassMoments>(shape);
  const bool valid = guard([&] {
    MomentTotals totals{shape, std::vector<MomentTotals::Class>(shape.classes)};
    for (MomentTotals::Class& c : totals.classes) {
      c.sums.resize(static_cast<std::size_t>(shape.features));
      c.products.resize(shape.products());
    }
    postgres([&] {
      for (MomentTotals::Class& c : totals.classes) {
        c.count = pq_getmsgint64(message);
        for (auto* values : {&c.sums, &c.products}) {
          for (Int128& value : *values) {
            const UInt128 high = static_cast<uint64>(pq_getmsgint64(message));
            value = static_cast<Int128>(high << 64 | static_cast<uint64>(pq_getmsgint64(message)));
          }
        }
      }
    });
    if (totals.plausible()) ClassMoments(state->words).assign(totals);
    return totals.plausible();
  });
  if (!valid) corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_moment_state_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  MomentState* state = own_moment_state(fcinfo);
  MomentState* other = state_argument<MomentState>(fcinfo, 1);
  const ClassMoments theirs = view(other);
  if (theirs.shape().blank()) PG_RETURN_POINTER(state);
  state = of_shape(state, theirs.shape());
  if (!ClassMoments(state->words).merge(theirs)) corrupt_state(ERRCODE_DATA_CORRUPTED, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_moment_state_rows(PG_FUNCTION_ARGS) {
  const ClassMoments moments = view(state_argument<MomentState>(fcinfo, 0));
  const int classes = moments.shape().classes;
  auto* rows = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<Size>(Max(classes, 1))));
  for (int k = 0; k < classes; ++k) rows[k] = Int64GetDatum(moments.count(k));
  PG_RETURN_ARRAYTYPE_P(
      construct_array(rows, classes, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
}
