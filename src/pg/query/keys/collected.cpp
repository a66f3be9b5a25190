#include "pg/query/keys/collected.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgrprotos.h"
#include "utils/typcache.h"
}

#include "pg/query/keys/probe.hpp"
#include "pg/query/keys/steps.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/refusal.hpp"

namespace dpmix::pg {

Collected collected_in(KeyColumn* key) {
  return {key, 0, &lookup_type_cache(key->type, TYPECACHE_CMP_PROC_FINFO)->cmp_proc_finfo};
}

void collect(Collected* to, Datum value) {
  KeyColumn* key = to->key;
  if (key->categories > 0 &&
      DatumGetInt32(FunctionCall2Coll(to->compare, key->collation, key->value[key->categories - 1],
                                      value)) == 0) {
    return;
  }
  if (key->categories == kMaxGroups) refuse_many_groups("A group key has more buckets.");
  if (key->categories == to->room) {
    to->room = Max(64, to->room * 2);
    const Size size = sizeof(Datum) * to->room;
    key->value = (Datum*)(key->value == NULL ? palloc(size) : repalloc(key->value, size));
  }
  key->value[key->categories++] = value;
}

Datum integer_datum(Oid type, int number) {
  if (type == INT4OID) return Int32GetDatum(number);
  if (type == FLOAT8OID) return Float8GetDatum(number);
  return DirectFunctionCall1(int4_numeric, Int32GetDatum(number));
}

void collect_numbers(Collected* to, Oid type, int first, int last) {
  for (int i = first; i <= last; i++) collect(to, integer_datum(type, i));
}

void collect_images(Collected* to, const Expr* whole, const FuncExpr* call,
                    const KeyColumn& below) {
  Var* place = makeVar(1, 1, below.type, -1, InvalidOid, 0);
  KeyProbe* image = probe_of(steps_over(whole, (const Expr*)call, place), 1, &place);
  for (int i = 0; i < below.categories; i++) {
    bool null;
    const Datum value = evaluate_probe(image, &below.value[i], NULL, &null);
    if (!null) collect(to, value);
  }
  end_probe(image);
}

void put_type(KeyColumn* key, Expr* expression) {
  key->expression = expression;
  key->type = exprType((const Node*)expression);
  key->typmod = -1;
  key->collation = InvalidOid;
}

Expr* comparison_with(Oid type, int strategy, Expr* left, Datum right) {
  return comparison(order_operator(type, strategy), left, (Expr*)constant(type, InvalidOid, right));
}

void require_constants(const List* arguments, int but) {
  int i = 0;
  ListCell* cell;
  foreach (cell, arguments) {
    if (i++ != but && !is_constant((const Node*)lfirst(cell))) {
      refuse_construct("a bucket whose unit or edges are not constant is",
                       "Write them as constants, or pass them as $1.");
    }
  }
}

}  // namespace dpmix::pg
