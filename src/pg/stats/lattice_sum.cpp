// lattice_sum(x, origin, step, low, high) and its state dpmix.sum_state.
#include "pg/border/guard.hpp"
#include "pg/stats/lattice_state.hpp"

extern "C" {
#include "libpq/pqformat.h"
PG_FUNCTION_INFO_V1(dpmix_sum_state_in);
PG_FUNCTION_INFO_V1(dpmix_sum_state_out);
PG_FUNCTION_INFO_V1(dpmix_sum_state_recv);
PG_FUNCTION_INFO_V1(dpmix_sum_state_send);
PG_FUNCTION_INFO_V1(dpmix_sum_state_add);
PG_FUNCTION_INFO_V1(dpmix_sum_state_combine);
PG_FUNCTION_INFO_V1(dpmix_sum_state_rows);
PG_FUNCTION_INFO_V1(dpmix_sum_state_total);
}

namespace dpmix::pg {
namespace {

constexpr char type_name[] = "sum_state";

SumState* state_arg(FunctionCallInfo fcinfo, int argument) {
  return reinterpret_cast<SumState*>(PG_GETARG_POINTER(argument));
}

}  // namespace

LatticeSum read_sum_state(Datum state) {
  return load(reinterpret_cast<const SumState*>(DatumGetPointer(state)));
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_sum_state_in(PG_FUNCTION_ARGS) {
  const char* text = PG_GETARG_CSTRING(0);
  auto* state = static_cast<SumState*>(palloc0(sizeof(SumState)));
  const bool valid = guard([&] {
    const std::optional<LatticeSum> sum = LatticeSum::from_text(text);
    if (sum) store(state, *sum);
    return sum.has_value();
  });
  if (!valid) corrupt_state(ERRCODE_INVALID_TEXT_REPRESENTATION, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_sum_state_out(PG_FUNCTION_ARGS) {
  const SumState* state = state_arg(fcinfo, 0);
  char text[256];  // six numbers of at most 40 characters
  guard([&] { strlcpy(text, load(state).to_text().c_str(), sizeof text); });
  PG_RETURN_CSTRING(pstrdup(text));
}

Datum dpmix_sum_state_recv(PG_FUNCTION_ARGS) {
  StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  auto* state = static_cast<SumState*>(palloc0(sizeof(SumState)));
  const LatticeSum sum = receive_sum(message);
  if (!sum.plausible()) corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type_name);
  store(state, sum);
  PG_RETURN_POINTER(state);
}

Datum dpmix_sum_state_send(PG_FUNCTION_ARGS) {
  StringInfoData message;
  pq_begintypsend(&message);
  send_sum(&message, load(state_arg(fcinfo, 0)));
  PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

// Not strict: checking six arguments for NULL would cost each row more than its sum.
Datum dpmix_sum_state_add(PG_FUNCTION_ARGS) {
  if (unlikely(PG_ARGISNULL(0))) PG_RETURN_NULL();
  SumState* state = state_arg(fcinfo, 0);
  if (PG_ARGISNULL(1)) PG_RETURN_POINTER(state);
  if (unlikely(!is_ready(fcinfo, state))) {
    state = prepare_sum_state(fcinfo, sizeof(SumState));
    if (state == nullptr) PG_RETURN_DATUM(PG_GETARG_DATUM(0));
  }
  const double x = PG_GETARG_FLOAT8(1);
  if (likely(x == x)) {  // NaN is missing
    ++state->count;
    set_wide(state->total, wide(state->total) + state->lattice.place(x));
  }
  PG_RETURN_POINTER(state);
}

Datum dpmix_sum_state_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  auto* state = static_cast<SumState*>(own_fixed_state(fcinfo, sizeof(SumState)));
  LatticeSum mine = load(state);
  const LatticeSum theirs = load(state_arg(fcinfo, 1));
  if (!mine.merge(theirs)) {
    refuse_merge(!mine.plausible() || !theirs.plausible() || mine.lattice == theirs.lattice,
                 type_name);
  }
  store(state, mine);
  PG_RETURN_POINTER(state);
}

Datum dpmix_sum_state_rows(PG_FUNCTION_ARGS) {
  PG_RETURN_INT64(state_arg(fcinfo, 0)->count);
}

Datum dpmix_sum_state_total(PG_FUNCTION_ARGS) {
  return numeric_of(wide(state_arg(fcinfo, 0)->total));
}
}
