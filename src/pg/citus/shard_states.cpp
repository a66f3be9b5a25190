#include "pg/citus/shard_states.hpp"

#include "pg/border/guard.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
PG_FUNCTION_INFO_V1(dpmix_state_array);
PG_FUNCTION_INFO_V1(dpmix_joined_states);
PG_FUNCTION_INFO_V1(dpmix_merge_state);
PG_FUNCTION_INFO_V1(dpmix_merged_state);
}

namespace dpmix::pg {
namespace {

// What the states of a type are merged by, and the state of no row.
struct StateType {
  const char* name;  // NULL: bytea
  const char* combine;
  const char* blank;
};
constexpr StateType kStates[] = {
    {"sum_state", "sum_state_combine", "(0,0,0,0,0,0)"},
    {"squares_state", "squares_state_combine", "(0,0,0,0,0,0,0)"},
    {"moment_state", "moment_state_combine", "()"},
    {"count_state", "count_state_combine", "()"},
    {"sample_state", "sample_state_combine", "()"},
    {NULL, "numbers_seen_combine", ""},
};

Oid type_of(const StateType& state) {
  if (state.name == NULL) return BYTEAOID;
  return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(state.name),
                         ObjectIdGetDatum(get_namespace_oid("dpmix", false)));
}

// An aggregate, and the type of the last argument of the array_agg that computes the same.
struct ShardForm {
  const char* aggregate;
  const char* kind;
};
constexpr ShardForm kForms[] = {
    {"lattice_sum", "dpmix.sum_state"},       {"lattice_squares", "dpmix.squares_state"},
    {"numbers_seen", "pg_catalog.bytea"},     {"cell_counts", "dpmix.count_state"},
    {"edge_counts", "dpmix.count_state[]"},   {"class_moments", "dpmix.moment_state"},
    {"class_distances", "dpmix.count_state"}, {"class_clusters", "dpmix.count_state[]"},
    {"soft_moments", "dpmix.moment_state"},   {"cells", "dpmix.count_state"},
    {"feature_sample", "dpmix.sample_state"}, {"marginal_counts", "dpmix.moment_state[]"},
    {"pair_counts", "dpmix.count_state[]"},   {"logistic_moments", "dpmix.sample_state[]"},
};

const ShardForm* form_of(const char* aggregate) {
  for (const ShardForm& form : kForms) {
    if (strcmp(form.aggregate, aggregate) == 0) return &form;
  }
  return NULL;
}

// Any value of the kind: nobody reads it, but transition functions are strict.
const char* kind_name(const ShardForm* form) {
  if (strchr(form->kind, '[') != NULL) return "{}";
  for (const StateType& state : kStates) {
    const char* name = state.name != NULL ? psprintf("dpmix.%s", state.name) : "pg_catalog.bytea";
    if (strcmp(name, form->kind) == 0) return state.blank;
  }
  elog(ERROR, "no state of type %s", form->kind);
}

Oid kind_type(const ShardForm* form) {
  for (const StateType& state : kStates) {
    const char* name = state.name != NULL ? psprintf("dpmix.%s", state.name) : "pg_catalog.bytea";
    if (strcmp(name, form->kind) == 0) return type_of(state);
    if (strcmp(psprintf("%s[]", name), form->kind) == 0) return get_array_type(type_of(state));
  }
  elog(ERROR, "no state of type %s", form->kind);
}

Const* kind_constant(const ShardForm* form, Oid type) {
  Oid input, argument;
  getTypeInputInfo(type, &input, &argument);
  return constant(type, InvalidOid,
                  OidInputFunctionCall(input, pstrdup(kind_name(form)), argument, -1));
}

// array_agg with arguments of these types and this kind.
Oid shard_function(const List* types, Oid kind) {
  Oid all[FUNC_MAX_ARGS];
  int count = 0;
  ListCell* cell;
  foreach (cell, types) all[count++] = lfirst_oid(cell);
  all[count++] = kind;
  return dpmix_function("array_agg", count, all);
}

// How states of one type are merged, kept by the call site.
struct Joining {
  Oid type;
  int16 length;
  bool by_value;
  char align;
  const char* blank;
  FmgrInfo combine;
};

// The function that merges two states of the type, and the state of no row.
Oid combine_function(Oid type, const char** blank) {
  for (const StateType& state : kStates) {
    if (!OidIsValid(type) || type_of(state) != type) continue;
    *blank = state.blank;
    return dpmix_function(state.combine, {type, type});
  }
  refuse_argument(
      "these are no states that can be merged",
      psprintf("They are of type %s.", OidIsValid(type) ? format_type_be(type) : "unknown"),
      "Pass states of dpmix's aggregates, such as dpmix.partial_sql() makes.");
}

// counts: those of rows, which are numbers, are states as well.
Joining* joining_of(FunctionCallInfo fcinfo, Oid type, bool counts) {
  Joining* joining = (Joining*)fcinfo->flinfo->fn_extra;
  if (joining != NULL) return joining;
  const char* blank = "0";
  const Oid combine = counts && type == INT8OID ? F_INT8PL : combine_function(type, &blank);
  joining = (Joining*)MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Joining));
  joining->type = type;
  get_typlenbyvalalign(type, &joining->length, &joining->by_value, &joining->align);
  joining->blank = blank;
  fmgr_info_cxt(combine, &joining->combine, fcinfo->flinfo->fn_mcxt);
  fcinfo->flinfo->fn_extra = joining;
  return joining;
}

Datum blank_state(const Joining* joining) {
  Oid input, argument;
  getTypeInputInfo(joining->type, &input, &argument);
  return OidInputFunctionCall(input, pstrdup(joining->blank), argument, -1);
}

}  // namespace

Expr* on_shards(Aggref* aggregate) {
  const ShardForm* form =
      is_dpmix_function(aggregate->aggfnoid) ? form_of(get_func_name(aggregate->aggfnoid)) : NULL;
  if (form == NULL) return (Expr*)aggregate;
  const Oid kind = kind_type(form), result = aggregate->aggtype;
  const Oid function = shard_function(aggregate->aggargtypes, kind);
  TargetEntry* last = makeTargetEntry((Expr*)kind_constant(form, kind),
                                      (AttrNumber)(list_length(aggregate->args) + 1), NULL, false);
  aggregate->args = lappend(aggregate->args, last);
  aggregate->aggargtypes = lappend_oid(aggregate->aggargtypes, kind);
  aggregate->aggfnoid = function;
  aggregate->aggtype = get_array_type(result);
  return call_builtin(dpmix_function("joined_states", {ANYARRAYOID}), result,
                      list_make1(aggregate));
}

void begin_statistic(StringInfo sql, const char* aggregate, bool on_shards) {
  if (on_shards) {
    appendStringInfoString(sql, "dpmix_internal.joined_states(dpmix_internal.array_agg(");
  } else {
    appendStringInfo(sql, "dpmix_internal.%s(", aggregate);
  }
}

void end_statistic(StringInfo sql, const char* aggregate, bool on_shards) {
  if (on_shards) {
    const ShardForm* form = form_of(aggregate);
    appendStringInfo(sql, ", '%s'::%s)", kind_name(form), form->kind);
  }
  appendStringInfoChar(sql, ')');
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_state_array(PG_FUNCTION_ARGS) {  // strict
  const Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
  int16 length;
  bool by_value;
  char align;
  get_typlenbyvalalign(type, &length, &by_value, &align);
  Datum state = PG_GETARG_DATUM(0);
  PG_RETURN_ARRAYTYPE_P(construct_array(&state, 1, type, length, by_value, align));
}

Datum dpmix_joined_states(PG_FUNCTION_ARGS) {
  const Oid type = get_element_type(get_fn_expr_argtype(fcinfo->flinfo, 0));
  Joining* joining = joining_of(fcinfo, type, false);
  if (PG_ARGISNULL(0)) PG_RETURN_DATUM(blank_state(joining));
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(0);
  Datum* state;
  bool* null;
  int count;
  deconstruct_array(array, joining->type, joining->length, joining->by_value, joining->align,
                    &state, &null, &count);
  Datum joined = (Datum)0;
  bool found = false;
  for (int i = 0; i < count; i++) {
    CHECK_FOR_INTERRUPTS();
    if (null[i]) continue;
    if (found) {
      const Datum both = FunctionCall2(&joining->combine, joined, state[i]);
      pfree(DatumGetPointer(joined));  // combine functions copy outside of an aggregate
      joined = both;
    } else {
      // One that nobody merged is checked, too.
      joined = FunctionCall2(&joining->combine, blank_state(joining), state[i]);
      found = true;
    }
  }
  PG_RETURN_DATUM(found ? joined : blank_state(joining));
}

// The transition function of dpmix.merge: NULL, too, is the state of no row.
Datum dpmix_merge_state(PG_FUNCTION_ARGS) {
  Joining* joining = joining_of(fcinfo, get_fn_expr_argtype(fcinfo->flinfo, 1), true);
  if (PG_ARGISNULL(1)) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    PG_RETURN_DATUM(PG_GETARG_DATUM(0));
  }
  // One that nobody merged is checked, too.
  const Datum merged = PG_ARGISNULL(0) ? blank_state(joining) : PG_GETARG_DATUM(0);
  LOCAL_FCINFO(both, 2);
  InitFunctionCallInfoData(*both, &joining->combine, 2, InvalidOid, fcinfo->context, NULL);
  both->args[0] = {merged, false};
  both->args[1] = {PG_GETARG_DATUM(1), false};
  PG_RETURN_DATUM(FunctionCallInvoke(both));
}

Datum dpmix_merged_state(PG_FUNCTION_ARGS) {
  Joining* joining = joining_of(fcinfo, get_fn_expr_argtype(fcinfo->flinfo, 0), true);
  PG_RETURN_DATUM(PG_ARGISNULL(0) ? blank_state(joining) : PG_GETARG_DATUM(0));
}
}
