// dpmix.lattice_sum(x, origin, step, low, high) and its state dpmix.sum_state.
#include <bit>
#include <cmath>

#include "pg/guard.hpp"
#include "pg/stats_agg.hpp"

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

Int128 wide(const uint64* words) {
  return static_cast<Int128>(static_cast<UInt128>(words[1]) << 64 | words[0]);
}

void set_wide(uint64* words, Int128 value) {
  words[0] = static_cast<uint64>(value);
  words[1] = static_cast<uint64>(static_cast<UInt128>(value) >> 64);
}

LatticeSum load(const SumState* state) {
  LatticeSum sum;
  sum.lattice = {state->lattice.origin, state->step, static_cast<int64>(state->lattice.low),
                 static_cast<int64>(state->lattice.high)};
  sum.count = state->count;
  sum.total = wide(state->total);
  return sum;
}

void store(SumState* state, const LatticeSum& sum) {
  state->step = sum.lattice.step;
  state->lattice = sum.blank() ? LatticePlacer{} : sum.lattice.placer();
  state->count = sum.count;
  set_wide(state->total, sum.total);
}

SumState* state_arg(FunctionCallInfo fcinfo, int argument) {
  return reinterpret_cast<SumState*>(PG_GETARG_POINTER(argument));
}

// The first argument, to be changed: in place when it belongs to the aggregate, else a copy.
SumState* own_state(FunctionCallInfo fcinfo) {
  if (AggCheckCallContext(fcinfo, nullptr)) return state_arg(fcinfo, 0);
  auto* copy = static_cast<SumState*>(palloc(sizeof(SumState)));
  *copy = *state_arg(fcinfo, 0);
  return copy;
}

// Whether the four arguments are the lattice's own, bit for bit, and there is one.
bool same_lattice(FunctionCallInfo fcinfo, const SumState* state) {
  const auto differ = [fcinfo](int argument, double value) {
    return std::bit_cast<uint64>(PG_GETARG_FLOAT8(argument)) ^ std::bit_cast<uint64>(value);
  };
  return (differ(2, state->lattice.origin) | differ(3, state->step) |
          differ(4, state->lattice.low) | differ(5, state->lattice.high)) == 0 &&
         std::bit_cast<uint64>(state->step) != 0;
}

// The first row sets the lattice; a later row must not change it.
void set_lattice(SumState* state, double origin, double step, double low, double high) {
  Lattice lattice;
  lattice.origin = origin + 0.0;  // one zero: equal states have equal text
  lattice.step = step;
  const double most = static_cast<double>(Lattice::max_index);
  const bool whole = low >= -most && low <= most && low == std::floor(low) && high >= -most &&
                     high <= most && high == std::floor(high);
  if (whole) {
    lattice.low = static_cast<int64>(low);
    lattice.high = static_cast<int64>(high);
  }
  if (!whole || !lattice.valid()) {
    ereport(ERROR,
            (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("invalid lattice"),
             errdetail("origin %.17g, step %.17g, low %.17g, high %.17g", origin, step, low, high),
             errhint("Use a finite origin, a positive step, and integers low <= high of "
                     "magnitude at most 2^53.")));
  }
  LatticeSum sum = load(state);
  if (!sum.blank() && sum.lattice != lattice) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("the lattice must be the same for all rows"),
                    errhint("Pass constants for origin, step, low and high.")));
  }
  sum.lattice = lattice;
  store(state, sum);
}

// What fn_extra says of the four lattice arguments, once an aggregate has looked.
char constant_lattice, varying_lattice;

void classify(FunctionCallInfo fcinfo) {
  bool constant = true;
  for (int i = 2; i <= 5; ++i) constant = constant && constant_argument(fcinfo, i);
  fcinfo->flinfo->fn_extra = constant ? &constant_lattice : &varying_lattice;
}

// The state to add to, on the lattice of this call. When an aggregate's lattice is constant, each
// of its states passes here once, else every row does. nullptr when the lattice has a NULL.
pg_noinline SumState* prepare(FunctionCallInfo fcinfo) {
  for (int i = 2; i <= 5; ++i) {
    if (PG_ARGISNULL(i)) return nullptr;
  }
  if (fcinfo->flinfo->fn_extra == nullptr) classify(fcinfo);
  SumState* state = own_state(fcinfo);
  if (!same_lattice(fcinfo, state)) {
    set_lattice(state, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4),
                PG_GETARG_FLOAT8(5));
  }
  return state;
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
  LatticeSum sum;
  sum.count = pq_getmsgint64(message);
  const auto high = static_cast<uint64>(pq_getmsgint64(message));
  const uint64 words[2] = {static_cast<uint64>(pq_getmsgint64(message)), high};
  sum.total = wide(words);
  sum.lattice.origin = pq_getmsgfloat8(message) + 0.0;
  sum.lattice.step = pq_getmsgfloat8(message);
  sum.lattice.low = pq_getmsgint64(message);
  sum.lattice.high = pq_getmsgint64(message);
  if (!sum.plausible()) corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type_name);
  store(state, sum);
  PG_RETURN_POINTER(state);
}

Datum dpmix_sum_state_send(PG_FUNCTION_ARGS) {
  const SumState* state = state_arg(fcinfo, 0);
  const Lattice lattice = load(state).lattice;
  StringInfoData message;
  pq_begintypsend(&message);
  pq_sendint64(&message, static_cast<uint64>(state->count));
  pq_sendint64(&message, state->total[1]);
  pq_sendint64(&message, state->total[0]);
  pq_sendfloat8(&message, lattice.origin);
  pq_sendfloat8(&message, lattice.step);
  pq_sendint64(&message, static_cast<uint64>(lattice.low));
  pq_sendint64(&message, static_cast<uint64>(lattice.high));
  PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

// Not strict: checking six arguments for NULL would cost each row more than its sum.
Datum dpmix_sum_state_add(PG_FUNCTION_ARGS) {
  if (unlikely(PG_ARGISNULL(0))) PG_RETURN_NULL();
  SumState* state = state_arg(fcinfo, 0);
  if (PG_ARGISNULL(1)) PG_RETURN_POINTER(state);
  const bool checked = fcinfo->flinfo->fn_extra == &constant_lattice;
  if (unlikely(!checked || state->step == 0)) {
    state = prepare(fcinfo);
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
  SumState* state = own_state(fcinfo);
  LatticeSum mine = load(state);
  const LatticeSum theirs = load(state_arg(fcinfo, 1));
  if (!mine.merge(theirs)) {
    if (!mine.plausible() || !theirs.plausible() || mine.lattice == theirs.lattice) {
      corrupt_state(ERRCODE_DATA_CORRUPTED, type_name);
    }
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("states on different lattices cannot be combined"),
                    errhint("Make both with the same origin, step, low and high.")));
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
