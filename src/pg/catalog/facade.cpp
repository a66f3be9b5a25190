#include "pg/catalog/facade.hpp"

#include <cmath>

#include "pg/border/unrecorded.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/epoch.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/parsenodes.h"
#include "parser/parse_func.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

// Columns of the tables, as src/sql creates them.
enum FacadeColumn {
  kId,
  kView,
  kSchema,
  kName,
  kTable,
  kEpsilon,
  kDelta,
  kMaxEpsilon,
  kComments,
  kRows,
  kRowsSchema,
  kRowsName,
  kOfSchema,
  kOfView
};
enum TableColumn { kTableId, kRelation, kTableSchema, kTableName, kActive };

struct Known {
  Facade facade;
  bool checked, genuine;  // the view's body and owner
};

// The facades on record, read in one epoch.
Known* known = NULL;
int known_count = 0;
uint64 known_epoch = 0;

bool has_name(Oid relation, const Datum* schema, const Datum* name) {
  const char* found = get_rel_name(relation);
  if (found == NULL || strcmp(found, NameStr(*DatumGetName(*name))) != 0) return false;
  const char* found_schema = get_namespace_name(get_rel_namespace(relation));
  return found_schema != NULL && strcmp(found_schema, NameStr(*DatumGetName(*schema))) == 0;
}

// Rows of a catalog table, without a statement of its own: this runs while the planner plans one.
template <class Visit>
void visit_rows(Oid table, Visit visit) {
  Relation rel = try_table_open(table, AccessShareLock);
  if (rel == NULL) return;  // the extension goes
  const int columns = RelationGetDescr(rel)->natts;
  Datum* values = (Datum*)palloc(columns * sizeof(Datum));
  bool* nulls = (bool*)palloc(columns * sizeof(bool));
  SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
  while (HeapTuple row = systable_getnext(scan)) {
    heap_deform_tuple(row, RelationGetDescr(rel), values, nulls);
    visit(values, nulls);
  }
  systable_endscan(scan);
  table_close(rel, AccessShareLock);
}

double number_of(const Datum* values, const bool* nulls, int column) {
  return nulls[column] ? NAN : DatumGetFloat8(values[column]);
}

// Only where oid and name agree: in a restored database oids are those of other relations.
void read_facades(Oid table) {
  List* found = NIL;
  visit_rows(table, [&](const Datum* values, const bool* nulls) {
    const Oid view = DatumGetObjectId(values[kView]);
    if (!has_name(view, &values[kSchema], &values[kName])) return;
    Known* entry = (Known*)palloc0(sizeof(Known));
    entry->facade = {.view = view,
                     .relation = InvalidOid,
                     .table_id = nulls[kTable] ? 0 : DatumGetInt64(values[kTable]),
                     .of_schema = {},
                     .of_view = {},
                     .default_epsilon = number_of(values, nulls, kEpsilon),
                     .default_delta = number_of(values, nulls, kDelta),
                     .max_epsilon = number_of(values, nulls, kMaxEpsilon),
                     .id = DatumGetInt64(values[kId]),
                     .rows_empty = strcmp(TextDatumGetCString(values[kRows]), "refuse") != 0,
                     .rows_synthetic = !nulls[kRowsName],
                     .synthetic_schema = {},
                     .synthetic_name = {}};
    if (entry->facade.rows_synthetic) {
      entry->facade.synthetic_schema = *DatumGetName(values[kRowsSchema]);
      entry->facade.synthetic_name = *DatumGetName(values[kRowsName]);
    }
    if (!nulls[kOfView]) {
      entry->facade.of_schema = *DatumGetName(values[kOfSchema]);
      entry->facade.of_view = *DatumGetName(values[kOfView]);
    }
    found = lappend(found, entry);
  });
  if (found == NIL) return;
  visit_rows(catalog_table("protected_table"), [&](const Datum* values, const bool*) {
    const Oid relation = DatumGetObjectId(values[kRelation]);
    if (!DatumGetBool(values[kActive])) return;
    if (!has_name(relation, &values[kTableSchema], &values[kTableName])) return;
    ListCell* cell;
    foreach (cell, found) {
      Known* entry = (Known*)lfirst(cell);
      if (entry->facade.table_id == DatumGetInt64(values[kTableId])) {
        entry->facade.relation = relation;
      }
    }
  });
  known = (Known*)MemoryContextAlloc(TopMemoryContext, list_length(found) * sizeof(Known));
  ListCell* cell;
  foreach (cell, found) {
    const Known* entry = (Known*)lfirst(cell);
    const bool of_view = entry->facade.table_id == 0;
    if (of_view || OidIsValid(entry->facade.relation)) known[known_count++] = *entry;
  }
}

void refresh() {
  const uint64 epoch = catalog_epoch();
  if (epoch != 0 && epoch == known_epoch) return;
  if (known != NULL) pfree(known);
  known = NULL;
  known_count = 0;
  known_epoch = 0;
  const Oid table = catalog_table("facade");
  if (!OidIsValid(table)) return;
  MemoryContext scratch =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix facades", ALLOCSET_SMALL_SIZES);
  MemoryContext before = MemoryContextSwitchTo(scratch);
  run_unrecorded([&] { read_facades(table); });
  MemoryContextSwitchTo(before);
  MemoryContextDelete(scratch);
  known_epoch = epoch;
}

bool calls_guard(const RangeTblEntry* entry, int64 id) {
  if (entry->rtekind != RTE_FUNCTION || entry->funcordinality) return false;
  if (list_length(entry->functions) != 1) return false;
  const Node* call = linitial_node(RangeTblFunction, entry->functions)->funcexpr;
  if (!IsA(call, FuncExpr)) return false;
  const FuncExpr* function = (const FuncExpr*)call;
  const Oid type = INT8OID;
  List* name =
      list_make2(makeString(pstrdup("dpmix_internal")), makeString(pstrdup("facade_guard")));
  if (function->funcid != LookupFuncName(name, 1, &type, true)) return false;
  const Node* argument = (const Node*)linitial(function->args);
  if (!IsA(argument, Const)) return false;
  const Const* constant = (const Const*)argument;
  return constant->consttype == INT8OID && !constant->constisnull &&
         DatumGetInt64(constant->constvalue) == id;
}

// SELECT column, ... FROM guard(id): nothing filtered, renamed in order or computed.
bool is_guard_body(const Query* body, int64 id) {
  if (body->commandType != CMD_SELECT || body->hasAggs || body->hasWindowFuncs ||
      body->hasTargetSRFs || body->hasSubLinks || body->hasForUpdate || body->cteList != NIL ||
      body->groupClause != NIL || body->groupingSets != NIL || body->havingQual != NULL ||
      body->distinctClause != NIL || body->sortClause != NIL || body->limitCount != NULL ||
      body->limitOffset != NULL || body->setOperations != NULL) {
    return false;
  }
  const FromExpr* from = body->jointree;
  if (from->quals != NULL || list_length(from->fromlist) != 1) return false;
  if (!IsA(linitial(from->fromlist), RangeTblRef)) return false;
  const int index = linitial_node(RangeTblRef, from->fromlist)->rtindex;
  if (!calls_guard(rt_fetch(index, body->rtable), id)) return false;
  ListCell* cell;
  foreach (cell, body->targetList) {
    const TargetEntry* column = lfirst_node(TargetEntry, cell);
    if (!IsA(column->expr, Var)) return false;
    const Var* var = (const Var*)column->expr;
    if (var->varno != index || var->varattno != column->resno || var->varlevelsup != 0)
      return false;
  }
  return true;
}

bool is_genuine(const Facade& facade) {
  watch_relation(facade.view);
  watch_relation(facade.relation);
  const Oid table_owner = relation_owner(facade.relation), owner = relation_owner(facade.view);
  if (!OidIsValid(table_owner) || !OidIsValid(owner)) return false;
  if (!has_privs_of_role(owner, table_owner)) return false;
  if (get_rel_relkind(facade.view) != RELKIND_VIEW) return false;
  Relation view = table_open(facade.view, NoLock);
  const bool genuine = is_guard_body(get_view_query(view), facade.id);
  table_close(view, NoLock);
  return genuine;
}

bool is_on_record(Oid view) {
  for (int i = 0; i < known_count; i++) {
    if (known[i].facade.view == view) return true;
  }
  return false;
}

// Looked up at each use: no epoch begins as a view takes a name. A facade of a facade is none: what
// the latter stands for has its own.
void find_view(Known* entry) {
  const Facade& facade = entry->facade;
  const Oid schema = get_namespace_oid(NameStr(facade.of_schema), true);
  Oid view = OidIsValid(schema) ? get_relname_relid(NameStr(facade.of_view), schema) : InvalidOid;
  if (OidIsValid(view) && (get_rel_relkind(view) != RELKIND_VIEW || is_on_record(view))) {
    view = InvalidOid;
  }
  if (view != facade.relation) entry->checked = false;
  entry->facade.relation = view;
}

}  // namespace

bool have_facades() {
  refresh();
  return known_count > 0;
}

const Facade* facade_of_view(Oid view) {
  refresh();
  for (int i = 0; i < known_count; i++) {
    if (known[i].facade.view != view) continue;
    if (known[i].facade.table_id == 0) find_view(&known[i]);
    if (!OidIsValid(known[i].facade.relation)) return NULL;
    Facade* facade = (Facade*)palloc(sizeof(Facade));
    *facade = known[i].facade;
    if (known[i].checked) return known[i].genuine ? facade : NULL;
    const uint64 epoch = known_epoch;
    const bool genuine = is_genuine(*facade);
    // What was read meanwhile may have begun another epoch, without these entries.
    if (known_epoch == epoch && catalog_epoch() == epoch && i < known_count) {
      known[i].checked = true;
      known[i].genuine = genuine;
    }
    return genuine ? facade : NULL;
  }
  return NULL;
}

AttrNumber table_column(const Facade* facade, AttrNumber column) {
  const char* name = get_attname(facade->view, column, true);
  if (name == NULL || column <= 0) return InvalidAttrNumber;
  const AttrNumber there = get_attnum(facade->relation, name);
  if (there <= 0) return InvalidAttrNumber;
  Oid type, shown_type, collation, shown_collation;
  int32 modifier, shown_modifier;
  get_atttypetypmodcoll(facade->relation, there, &type, &modifier, &collation);
  get_atttypetypmodcoll(facade->view, column, &shown_type, &shown_modifier, &shown_collation);
  const bool same =
      type == shown_type && modifier == shown_modifier && collation == shown_collation;
  return same ? there : InvalidAttrNumber;
}

}  // namespace dpmix::pg
