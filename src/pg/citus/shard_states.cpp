#include "pg/citus/shard_states.hpp"

#include "pg/border/guard.hpp"
#include "pg/citus/shard_aggregates.hpp"
#include "pg/stats/states.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
PG_FUNCTION_INFO_V1(dpmix_state_array);
PG_FUNCTION_INFO_V1(dpmix_joined_states);
}

namespace dpmix::pg {
namespace {

Oid array_of_any() {
  const Oid any = ANYOID;
  return dpmix_function("array_agg", 1, &any);
}

// How an array of states is laid out.
struct StateLayout {
  Oid type;
  int16 length;
  bool by_value;
  char align;
};

StateLayout layout_of(Oid type) {
  StateLayout layout = {type, 0, false, 0};
  get_typlenbyvalalign(type, &layout.length, &layout.by_value, &layout.align);
  return layout;
}

}  // namespace

Expr* on_shards(Aggref* aggregate) {
  const char* name =
      is_dpmix_function(aggregate->aggfnoid) ? get_func_name(aggregate->aggfnoid) : "";
  if (!has_shard_form(name)) return (Expr*)aggregate;
  Const* which = constant(TEXTOID, DEFAULT_COLLATION_OID, CStringGetTextDatum(name));
  const auto last = (AttrNumber)(list_length(aggregate->args) + 1);
  aggregate->args = lappend(aggregate->args, makeTargetEntry((Expr*)which, last, NULL, false));
  aggregate->aggargtypes = lappend_oid(aggregate->aggargtypes, TEXTOID);
  aggregate->aggfnoid = array_of_any();
  const Oid state = aggregate->aggtype, array = get_array_type(state);
  aggregate->aggtype = array;
  return call_builtin(dpmix_function("joined_states", {array}), state, list_make1(aggregate));
}

void begin_statistic(StringInfo sql, const char* aggregate, bool on_shards) {
  if (on_shards) {
    appendStringInfoString(sql, "dpmix_internal.joined_states(dpmix_internal.array_agg(");
  } else {
    appendStringInfo(sql, "dpmix_internal.%s(", aggregate);
  }
}

void end_statistic(StringInfo sql, const char* aggregate, bool on_shards) {
  if (on_shards) appendStringInfo(sql, ", '%s'::pg_catalog.text)", aggregate);
  appendStringInfoChar(sql, ')');
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_state_array(PG_FUNCTION_ARGS) {  // strict
  const StateLayout layout = layout_of(get_element_type(get_fn_expr_rettype(fcinfo->flinfo)));
  Datum state = PG_GETARG_DATUM(0);
  PG_RETURN_ARRAYTYPE_P(
      construct_array(&state, 1, layout.type, layout.length, layout.by_value, layout.align));
}

Datum dpmix_joined_states(PG_FUNCTION_ARGS) {
  State* joined = new_state<State>(sizeof(State));
  if (PG_ARGISNULL(0)) PG_RETURN_POINTER(joined);
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(0);
  const StateLayout layout = layout_of(ARR_ELEMTYPE(array));
  Datum* state;
  bool* null;
  int count;
  deconstruct_array(array, layout.type, layout.length, layout.by_value, layout.align, &state, &null,
                    &count);
  for (int i = 0; i < count; i++) {
    CHECK_FOR_INTERRUPTS();
    if (null[i]) continue;
    State* before = joined;
    joined = merged_state(joined, read_state(state[i]));
    if (before != joined) pfree(before);
  }
  PG_RETURN_POINTER(joined);
}
}
