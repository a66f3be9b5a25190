#include "pg/query/keys/width_bucket.hpp"

extern "C" {
#include "access/stratnum.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

#include "pg/query/keys/collected.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/read/group_limit.hpp"
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

}  // namespace

bool is_width_bucket(Oid function) {
  return function == F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4 ||
         function == F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4 ||
         function == F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY;
}

void find_width_buckets(Expr* whole, FuncExpr* call, KeyColumn* key) {
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
  if (edges == NULL && most < kMaxGroups) most++;  // above the last edge
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
  collect_numbers(&buckets, below.type, 0, most);
  collect_images(&to, whole, call, below);
}

}  // namespace dpmix::pg
