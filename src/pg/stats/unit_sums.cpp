// unit_sum(x, origin, step, low, high) and unit_squares(...).
#include "pg/stats/unit_sums.hpp"

#include "pg/border/guard.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_unit_sum_add);
PG_FUNCTION_INFO_V1(dpmix_unit_squares_add);
}

namespace dpmix::pg {

void refuse_unit() {
  refuse_argument("these are no sums of a privacy unit's rows", NULL,
                  "Pass what dpmix_internal.unit_sum or unit_squares made.");
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

namespace {

struct UnitPlacer {
  LatticePlacer lattice;
  SquarePlacer square;
};

// That of the call's lattice; NULL where that has a NULL. One of an aggregate's constants is made
// once, and kept in fn_extra.
const UnitPlacer* placer_of(FunctionCallInfo fcinfo) {
  if (likely(fcinfo->flinfo->fn_extra != nullptr)) {
    return static_cast<const UnitPlacer*>(fcinfo->flinfo->fn_extra);
  }
  SumState entered = {};
  if (!enter_lattice(fcinfo, &entered)) return nullptr;
  const bool constant = fcinfo->flinfo->fn_extra == &constant_lattice;
  auto* made = static_cast<UnitPlacer*>(MemoryContextAlloc(
      constant ? fcinfo->flinfo->fn_mcxt : CurrentMemoryContext, sizeof(UnitPlacer)));
  made->lattice = entered.lattice;
  made->square = square_placer(static_cast<int64>(entered.lattice.high));
  fcinfo->flinfo->fn_extra = constant ? made : nullptr;
  return made;
}

// Arguments: 0 the sums, then as of lattice_sum_add.
template <class Sum, class Add>
Datum add_row(FunctionCallInfo fcinfo, const Add& add) {
  if (unlikely(PG_ARGISNULL(0))) PG_RETURN_NULL();
  bytea* unit = PG_GETARG_BYTEA_PP(0);
  if (PG_ARGISNULL(1)) PG_RETURN_BYTEA_P(unit);
  const UnitPlacer* placer = placer_of(fcinfo);
  const double x = PG_GETARG_FLOAT8(1);
  if (placer == nullptr || x != x) PG_RETURN_BYTEA_P(unit);  // NaN is missing
  Sum sum = unit_argument<Sum>(fcinfo, 0);
  add(&sum, *placer, placer->lattice.place(x));
  if (unlikely(fcinfo->flinfo->fn_extra == nullptr)) {  // the caller's own, maybe a table's
    unit = static_cast<bytea*>(palloc(VARHDRSZ + sizeof(Sum)));
    SET_VARSIZE(unit, VARHDRSZ + sizeof(Sum));
  }
  memcpy(VARDATA_ANY(unit), &sum, sizeof sum);
  PG_RETURN_BYTEA_P(unit);
}

void add_place(UnitSum* sum, int64 place) {
  sum->count++;
  set_wide(sum->total, wide(sum->total) + place);
}

}  // namespace

extern "C" {

Datum dpmix_unit_sum_add(PG_FUNCTION_ARGS) {
  return add_row<UnitSum>(
      fcinfo, [](UnitSum* sum, const UnitPlacer&, int64 place) { add_place(sum, place); });
}

Datum dpmix_unit_squares_add(PG_FUNCTION_ARGS) {
  return add_row<UnitSquares>(
      fcinfo, [](UnitSquares* squares, const UnitPlacer& placer, int64 place) {
        add_place(&squares->sum, place);
        set_wide(squares->squares, wide(squares->squares) + placer.square.place(place));
      });
}
}
