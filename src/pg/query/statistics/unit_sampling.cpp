#include "pg/query/statistics/unit_sampling.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
}

#include "pg/query/statistics/unit_rows.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/units/row_memory.hpp"

namespace dpmix::pg {
namespace {

constexpr int kTold = 2;  // what functions are told besides a row's unit and keys

UnitsToSample units_to_sample(const Query* query, const RowScope* scope, const QueryGroups* groups,
                              const Contribution& most, const List* unit, const List* unit_counts) {
  const List* keys = keys_of(query, unit, kTold);
  const bool limits_groups = most.groups < most.rows || most.rows_per_group < most.rows;
  UnitsToSample asked = units_to_count(query, scope, groups, unit, keys, NIL);
  asked.draws = true;
  asked.most = most;
  asked.by_group = keys != NIL && (limits_groups || unit_counts != NIL);
  return asked;
}

// dpmix_internal.name($1, told, unit, keys)
Expr* ask(const char* name, Expr* told, const List* unit_and_keys) {
  List* arguments = list_make2(memory_parameter(), told);
  arguments = list_concat(arguments, (List*)copyObjectImpl(unit_and_keys));
  const Oid function = dpmix_function(name, {INTERNALOID, INT4OID, ANYOID});
  return (Expr*)makeFuncExpr(function, BOOLOID, arguments, InvalidOid, InvalidOid,
                             COERCE_EXPLICIT_CALL);
}

}  // namespace

SampledUnits* sample_units(Query* query, const RowScope* scope, const QueryGroups* groups,
                           const Contribution& most, Expr* apart, const List* unit_counts) {
  List* unit = unit_columns(scope, apart);
  SampledUnits* units =
      sampled_units(units_to_sample(query, scope, groups, most, unit, unit_counts));
  const int keys = list_length(query->groupClause), parts = list_length(unit);
  Query* layer = read_from_rows(query, unit);
  const int first = list_length(layer->targetList) - parts + 1;
  const List* unit_and_keys =
      list_concat(columns_from(layer, first, parts), columns_from(layer, first - keys, keys));
  Expr* share = add_shares(query, layer, units);
  query->jointree->quals = (Node*)ask("row_kept", share, unit_and_keys);
  int list = 0;
  const ListCell* cell;
  foreach (cell, unit_counts) {
    TargetEntry* entry = get_tle_by_resno(query->targetList, (AttrNumber)lfirst_int(cell));
    Aggref* count = castNode(Aggref, entry->expr);
    Expr* first = ask("unit_counted", whole_number(list++), unit_and_keys);
    count->aggfilter = count->aggfilter == NULL ? first : case_when(count->aggfilter, first);
  }
  return units;
}

}  // namespace dpmix::pg
