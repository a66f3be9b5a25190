#include "pg/query/keys/width_bucket.hpp"

#include <cfloat>
#include <cmath>
#include <limits>

extern "C" {
#include "access/stratnum.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

#include "pg/query/keys/collected.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {
namespace {

// Neither NaN, of which there is no bucket, nor NULL.
Expr* no_nan(Expr* operand) {
  const Oid type = exprType((Node*)operand);
  if (!has_nan(type)) return NULL;
  return comparison_with(type, BTLessStrategyNumber, (Expr*)copyObjectImpl(operand),
                         nan_of(type));  // the greatest
}

// Some value that width_bucket takes: whatever its constants make it raise it raises on that too.
Const* sample_operand(const FuncExpr* call, const ArrayType* edges) {
  const Node* operand = (const Node*)linitial(call->args);
  const Oid type = exprType(operand);
  if (edges == NULL) return constant(type, exprCollation(operand), integer_datum(type, 0));
  if (ArrayGetNItems(ARR_NDIM(edges), ARR_DIMS(edges)) == 0) {
    refuse_construct("width_bucket without edges is", "Write an array of edges.");
  }
  if (array_contains_nulls((ArrayType*)edges)) {
    refuse_construct("width_bucket over edges that are NULL is", "Leave them out.");
  }
  int16 length;
  bool by_value;
  get_typlenbyval(ARR_ELEMTYPE(edges), &length, &by_value);
  return constant(type, exprCollation(operand), fetch_att(ARR_DATA_PTR(edges), by_value, length));
}

// The bucket of a number at an end of what facts leave of the column; where that is no end at all,
// or no number of the operand's type, the outermost one.
int bucket_at(const FuncExpr* call, double end, int outermost) {
  const Oid type = exprType((Node*)linitial(call->args));
  if (!std::isfinite(end) || (type != FLOAT8OID && type != NUMERICOID)) return outermost;
  const Datum value = type == FLOAT8OID ? Float8GetDatum(end)
                                        : DirectFunctionCall1(float8_numeric, Float8GetDatum(end));
  // The numeric of a double has 15 digits, and a double is no bigint beyond 2^53.
  if (type == NUMERICOID && (std::fabs(end) >= 0x1p53 ||
                             DatumGetFloat8(DirectFunctionCall1(numeric_float8, value)) != end)) {
    return outermost;
  }
  FuncExpr* at = (FuncExpr*)copyObjectImpl(call);
  linitial(at->args) = constant(type, InvalidOid, value);
  KeyProbe* probe = probe_of((Expr*)at, 0, NULL);
  bool null;
  const Datum bucket = evaluate_probe(probe, NULL, NULL, &null);
  end_probe(probe);
  return DatumGetInt32(bucket);
}

struct Buckets {
  int first, last;
};

bool are_digits_of_double(int32 numeric_typmod) {
  return numeric_typmod >= (int32)VARHDRSZ &&
         ((numeric_typmod - (int32)VARHDRSZ) >> 16 & 0xffff) <= DBL_DIG;
}

// Edges from the largest to the least, of which the number of the bucket falls.
bool falls_from_first(const FuncExpr* call) {
  if (list_length(call->args) == 2) return false;
  return float8_of((const Const*)lsecond(call->args)) > float8_of((const Const*)lthird(call->args));
}

Buckets buckets_met(const RowScope* scope, const FuncExpr* call, const Var* column, int most) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!is_number(column->vartype)) return {0, most};
  // Ends of more digits than a double has: those next to them, which are no values of the column.
  const bool open = column->vartype != NUMERICOID || are_digits_of_double(column->vartypmod);
  const Bounds met = bounds_met(scope->facts, column, {-infinity, infinity}, open, false);
  const bool falls = falls_from_first(call);
  const double first = falls ? met.upper : met.lower, last = falls ? met.lower : met.upper;
  const Buckets found = {bucket_at(call, first, 0), bucket_at(call, last, most)};
  return found.first <= found.last ? found : Buckets{0, most};  // edges that are not in order
}

}  // namespace

bool is_width_bucket(Oid function) {
  return function == F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4 ||
         function == F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4 ||
         function == F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY;
}

void find_width_buckets(const RowScope* scope, Expr* whole, FuncExpr* call, Var* column,
                        KeyColumn* key) {
  require_constants(call->args, 0);
  const Oid operand = exprType((Node*)linitial(call->args));
  if (!is_number(operand) && operand != DATEOID && operand != TIMESTAMPOID &&
      operand != TIMESTAMPTZOID) {
    refuse_construct("width_bucket of values other than numbers, dates and time stamps is",
                     "Group by the column itself, or by CASE.");
  }
  const Datum last = constant_value((Node*)llast(call->args));
  const ArrayType* edges = list_length(call->args) == 2 ? DatumGetArrayTypeP(last) : NULL;
  Expr* number = no_nan((Expr*)linitial(call->args));
  Expr* value = (Expr*)copyObjectImpl(whole);
  put_type(key, number == NULL ? value : case_when(number, value));
  int most = edges != NULL ? ArrayGetNItems(ARR_NDIM(edges), ARR_DIMS(edges)) : DatumGetInt32(last);
  if (edges == NULL && most < kMaxGroups) most++;  // the bucket above the last edge
  if (most >= kMaxGroups) refuse_many_groups("width_bucket has more buckets.");
  FuncExpr* sample = (FuncExpr*)copyObjectImpl(call);
  linitial(sample->args) = sample_operand(call, edges);
  KeyProbe* checked = probe_of((Expr*)sample, 0, NULL);
  bool null;
  (void)evaluate_probe(checked, NULL, NULL, &null);
  end_probe(checked);
  KeyColumn below = {};
  put_type(&below, (Expr*)call);
  Collected buckets = collected_in(&below), to = collected_in(key);
  const Buckets met = buckets_met(scope, call, column, most);
  collect_numbers(&buckets, below.type, met.first, met.last);
  collect_images(&to, whole, call, below);
}

}  // namespace dpmix::pg
