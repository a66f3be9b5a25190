#include "pg/query/statistics/key_shares.hpp"

#include "core/base/hash_index.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/guard.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/texts.hpp"
#include "pg/query/statistics/group_bytes.hpp"
#include "pg/query/statistics/tuples.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/units/value_numbers.hpp"

extern "C" {
#include "access/htup_details.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_key_in_share);
}

namespace dpmix::pg {
namespace {

constexpr double kMostShares = 1e6;
// The most in one of shares that are even but for chance: more with a probability below 1e-15.
double in_one(double all, double shares) {
  const double mean = all / shares;
  return shares == 1 ? all : mean + 8 * sqrt(mean) + 64;
}

struct Found {  // the most that can be found
  double groups, bytes_each, text_bytes;
};

// keys: as the scan has them. Of rows that are sampled each unit has as many as count.
Found found_at_most(const RowScope* scope, const List* keys, const QueryGroups* groups,
                    const QueryStatistics* statistics) {
  const Tuples tuples = tuples_of(scope, keys, false, most_rows_in);
  double most = tuples.count;
  if (scope->joined->sampled) {
    most = Min(most, measure_of(&scope->sources->source[0], most_rows_in) * scope->joined->most);
  }
  const double texts = 2 * tuples.text_bytes * most / tuples.count;  // blocks are rounded up
  return {most, bytes_of_group(groups, statistics), texts};
}

List* keys_in(const Query* query, const QueryGroups* groups) {
  List* keys = NIL;
  for (int k = 0; k < groups->keys; k++) {
    keys = lappend(keys, list_nth_node(TargetEntry, query->targetList, k)->expr);
  }
  return keys;
}

double bytes_of(const Found& found) {
  return found.groups * found.bytes_each + found.text_bytes;
}

void need(const Found& found, double shares) {
  need_memory(in_one(found.groups, shares) * found.bytes_each + found.text_bytes / shares);
  if (found.text_bytes > 0) need_memory(kHashedText);
}

bool has_distributed(const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    if (is_distributed(sources->source[i].relation)) return true;
  }
  return false;
}

Expr* told(bool has_memory) {
  Param* parameter = memory_parameter();
  if (!has_memory) parameter->paramtype = kShareType;
  return (Expr*)parameter;
}

// dpmix_internal.key_in_share($1, keys)
void add_condition(Query* query, const QueryGroups* groups, bool has_memory) {
  List* arguments = lcons(told(has_memory), (List*)copyObjectImpl(keys_in(query, groups)));
  const Oid function =
      dpmix_function("key_in_share", {has_memory ? (Oid)INTERNALOID : kShareType, ANYOID});
  Expr* asked = (Expr*)makeFuncExpr(function, BOOLOID, arguments, InvalidOid, InvalidOid,
                                    COERCE_EXPLICIT_CALL);
  // The planner expects half of the rows, as with what condition_of() makes.
  Expr* all = case_when(asked, (Expr*)constant(BOOLOID, InvalidOid, BoolGetDatum(true)));
  query->jointree->quals = make_and_qual(query->jointree->quals, (Node*)all);
}

struct Asked {
  uint64 seed;
  int shares, share;
};

Asked asked_of(FunctionCallInfo fcinfo) {
  if (get_fn_expr_argtype(fcinfo->flinfo, 0) == INTERNALOID) {
    const RowMemory* memory = (const RowMemory*)PG_GETARG_POINTER(0);
    return {memory->shares.seed, memory->shares.count, memory->share};
  }
  const ArrayType* array = PG_GETARG_ARRAYTYPE_P(0);
  const bool good = ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] == 3 && !ARR_HASNULL(array);
  if (!good) refuse_argument("a share of keys is three numbers", NULL, NULL);
  const int64* number = (const int64*)ARR_DATA_PTR(array);
  return {(uint64)number[0], (int)number[1], (int)number[2]};
}

ValueKinds* kinds_of(FunctionCallInfo fcinfo) {
  if (fcinfo->flinfo->fn_extra == NULL) {
    Oid types[FUNC_MAX_ARGS];
    for (int i = 1; i < PG_NARGS(); i++) {
      types[i - 1] = get_fn_expr_argtype(fcinfo->flinfo, i);
      if (!has_hashes(types[i - 1])) elog(ERROR, "a key whose type has no hash");
    }
    MemoryContext outer = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    fcinfo->flinfo->fn_extra = value_kinds(PG_NARGS() - 1, types);
    MemoryContextSwitchTo(outer);
  }
  return (ValueKinds*)fcinfo->flinfo->fn_extra;
}

}  // namespace

Datum share_parameter(const KeyShares& shares, int share) {
  Datum numbers[] = {Int64GetDatum((int64)shares.seed), Int64GetDatum(shares.count),
                     Int64GetDatum(share)};
  return PointerGetDatum(construct_array(numbers, lengthof(numbers), INT8OID, sizeof(int64),
                                         FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

KeyShares share_keys(Query* query, const RowScope* scope, const QueryGroups* groups,
                     const QueryStatistics* statistics, bool has_memory) {
  const Found found = found_at_most(scope, keys_in(query, groups), groups, statistics);
  KeyShares shares = {1, 0};
  if (!has_distributed(scope->sources) && groups->keys < FUNC_MAX_ARGS) {
    shares.count = (int)Min(ceil(Max(bytes_of(found) / scan_memory_bytes(), 1.)), kMostShares);
  }
  need(found, shares.count);
  if (shares.count == 1) return shares;
  RandomStream* random = random_stream();
  shares.seed = guard([&] { return random->next64(); });
  add_condition(query, groups, has_memory);
  return shares;
}

void need_found_groups(const Query* query, const RowScope* scope, const QueryGroups* groups,
                       const QueryStatistics* statistics) {
  need(found_at_most(scope, keys_in(query, groups), groups, statistics), 1);
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_key_in_share(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  const Asked asked = asked_of(fcinfo);
  const ValueKinds* kinds = kinds_of(fcinfo);
  Datum values[FUNC_MAX_ARGS];
  for (int i = 1; i < PG_NARGS(); i++) values[i - 1] = PG_GETARG_DATUM(i);
  ReadValue read[FUNC_MAX_ARGS];
  read_values(kinds, values, read);
  const uint64 hash = dpmix::mix_bits(hash_of_values(kinds, asked.seed, read));
  const uint64 share = ((hash >> 32) * (uint64)asked.shares) >> 32;
  PG_RETURN_BOOL(share == (uint64)asked.share);
}
