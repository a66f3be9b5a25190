// dpmix.class_moments(class, x, frame) and its state dpmix.moment_state.
#include "core/input/frame_placer.hpp"
#include "pg/guard.hpp"
#include "pg/stats_agg.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
PG_FUNCTION_INFO_V1(dpmix_moment_state_in);
PG_FUNCTION_INFO_V1(dpmix_moment_state_out);
PG_FUNCTION_INFO_V1(dpmix_moment_state_recv);
PG_FUNCTION_INFO_V1(dpmix_moment_state_send);
PG_FUNCTION_INFO_V1(dpmix_moment_state_add);
PG_FUNCTION_INFO_V1(dpmix_moment_state_combine);
PG_FUNCTION_INFO_V1(dpmix_moment_state_rows);
}

namespace dpmix::pg {
namespace {

constexpr char type_name[] = "moment_state";
constexpr Size cache_line = 64;  // maps that start on one are read 10 % faster

MomentState* new_state(const MomentShape& shape) {
  const Size size = offsetof(MomentState, words) + ClassMoments::word_count(shape) * sizeof(uint64);
  auto* state = static_cast<MomentState*>(palloc0(size));
  SET_VARSIZE(state, size);
  ClassMoments::create(state->words, shape);
  return state;
}

ClassMoments view(MomentState* state) {
  const Size size = VARSIZE(state);
  const Size header = offsetof(MomentState, words);
  if (size < header || (size - header) % sizeof(uint64) != 0 ||
      !ClassMoments::shape_of(state->words, (size - header) / sizeof(uint64))) {
    corrupt_state(ERRCODE_DATA_CORRUPTED, type_name);
  }
  return ClassMoments(state->words);
}

MomentState* state_arg(FunctionCallInfo fcinfo, int argument) {
  return reinterpret_cast<MomentState*>(PG_DETOAST_DATUM(PG_GETARG_DATUM(argument)));
}

// The first argument, to be changed. The aggregate's own state was checked when it came in.
MomentState* own_state(FunctionCallInfo fcinfo) {
  if (likely(AggCheckCallContext(fcinfo, nullptr))) return state_arg(fcinfo, 0);
  auto* copy = reinterpret_cast<MomentState*>(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0)));
  view(copy);
  return copy;
}

// The frame of a query, parsed once. Lives in the function's memory context with a copy of the
// array it was made from.
struct FrameCache {
  bool constant;  // comparing many kilobytes for each row would cost more than the row
  int inputs;     // numbers in a row
  MomentShape shape;
  FramePlacer placer;
  ArrayType* array;
};

FrameCache* parse_frame(FunctionCallInfo fcinfo, ArrayType* array) {
  if (ARR_NDIM(array) != 1 || array_contains_nulls(array)) {
    ereport(ERROR,
            (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("invalid frame of class moments"),
             errdetail("The frame must be a one-dimensional array without NULLs."),
             errhint("Use the layout in the comment on dpmix.class_moments.")));
  }
  const auto size = static_cast<std::size_t>(ARR_DIMS(array)[0]);
  const auto* numbers = reinterpret_cast<const double*>(ARR_DATA_PTR(array));
  MemoryContext context = fcinfo->flinfo->fn_mcxt;
  auto* cache = static_cast<FrameCache*>(MemoryContextAllocZero(context, sizeof(FrameCache)));
  cache->constant = constant_argument(fcinfo, 3);
  cache->array = static_cast<ArrayType*>(MemoryContextAlloc(context, VARSIZE(array)));
  memcpy(cache->array, array, VARSIZE(array));
  guard([&] {
    const MomentFrame frame = MomentFrame::unpack({numbers, size});
    void* memory = nullptr;
    const std::size_t bytes = FramePlacer::memory_size(frame) * sizeof(double);
    postgres([&] { memory = MemoryContextAlloc(context, bytes + cache_line); });
    memory = reinterpret_cast<void*>(TYPEALIGN(cache_line, memory));
    cache->placer = FramePlacer(frame, static_cast<double*>(memory));
    cache->inputs = frame.inputs();
    cache->shape = {static_cast<std::int32_t>(frame.classes.size()), frame.features,
                    frame.resolution, fingerprint({numbers, size})};
  });
  return cache;
}

const FrameCache* frame_arg(FunctionCallInfo fcinfo, int argument) {
  auto* cache = static_cast<FrameCache*>(fcinfo->flinfo->fn_extra);
  if (likely(cache != nullptr && cache->constant)) return cache;
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(argument);
  if (cache == nullptr || VARSIZE(array) != VARSIZE(cache->array) ||
      memcmp(array, cache->array, VARSIZE(array)) != 0) {
    cache = parse_frame(fcinfo, array);
    fcinfo->flinfo->fn_extra = cache;
  }
  return cache;
}

[[noreturn]] void different_frames() {
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                  errmsg("the frame of class moments must be the same for all rows"),
                  errhint("Pass one constant frame.")));
  pg_unreachable();
}

}  // namespace

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
    postgres([&] { state = new_state(totals->shape); });
    ClassMoments(state->words).assign(*totals);
  });
  if (state == nullptr) corrupt_state(ERRCODE_INVALID_TEXT_REPRESENTATION, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_moment_state_out(PG_FUNCTION_ARGS) {
  const ClassMoments moments = view(state_arg(fcinfo, 0));
  char* text = nullptr;
  guard([&] {
    const std::string digits = moments.totals().to_text();
    postgres([&] { text = pstrdup(digits.c_str()); });
  });
  PG_RETURN_CSTRING(text);
}

// On the wire: the shape, then for each class the count, sums and products; 128 bits high first.
Datum dpmix_moment_state_send(PG_FUNCTION_ARGS) {
  const ClassMoments moments = view(state_arg(fcinfo, 0));
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
  MomentState* state = new_state(shape);
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

Datum dpmix_moment_state_add(PG_FUNCTION_ARGS) {  // strict
  MomentState* state = own_state(fcinfo);
  const FrameCache* frame = frame_arg(fcinfo, 3);
  ArrayType* x = PG_GETARG_ARRAYTYPE_P(2);
  ClassMoments moments(state->words);
  if (unlikely(moments.shape() != frame->shape)) {
    if (!moments.shape().blank()) different_frames();
    state = new_state(frame->shape);
    moments = ClassMoments(state->words);
  }
  if (unlikely(ARR_NDIM(x) != 1 || ARR_DIMS(x)[0] != frame->inputs)) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("rows must have as many features as the frame"),
                    errdetail("Features of the frame: %d.", frame->inputs),
                    errhint("Pass one float8 array with an element for each feature.")));
  }
  const int32 k = PG_GETARG_INT32(1);
  std::int32_t q[FramePlacer::max_row];
  if (k >= 0 && k < frame->shape.classes && !array_contains_nulls(x) &&
      frame->placer.place(k, reinterpret_cast<const double*>(ARR_DATA_PTR(x)), q)) {
    moments.add(k, q);
  }
  PG_RETURN_POINTER(state);
}

Datum dpmix_moment_state_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  MomentState* state = own_state(fcinfo);
  MomentState* other = state_arg(fcinfo, 1);
  const ClassMoments theirs = view(other);
  ClassMoments mine(state->words);
  if (theirs.shape().blank()) PG_RETURN_POINTER(state);
  if (mine.shape().blank()) {
    state = new_state(theirs.shape());
    mine = ClassMoments(state->words);
  }
  if (mine.shape() != theirs.shape()) different_frames();
  if (!mine.merge(theirs)) corrupt_state(ERRCODE_DATA_CORRUPTED, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_moment_state_rows(PG_FUNCTION_ARGS) {
  const ClassMoments moments = view(state_arg(fcinfo, 0));
  const int classes = moments.shape().classes;
  auto* rows = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<Size>(Max(classes, 1))));
  for (int k = 0; k < classes; ++k) rows[k] = Int64GetDatum(moments.count(k));
  PG_RETURN_ARRAYTYPE_P(
      construct_array(rows, classes, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
}
