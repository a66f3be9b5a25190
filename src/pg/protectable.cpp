// What must hold of the table itself, at protect() and again at every charge.
#include "pg/catalog_row.hpp"
#include "pg/compat.hpp"
#include "pg/guard.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

// One row per value at every moment: no predicate, no expression, nothing deferred or half-built.
bool is_unique_on(Oid index, AttrNumber column) {
  HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
  if (!HeapTupleIsValid(tuple)) return false;
  Form_pg_index form = (Form_pg_index)GETSTRUCT(tuple);
  bool unique = form->indisunique && form->indisvalid && form->indisready && form->indislive &&
                form->indimmediate && form->indnkeyatts == 1 && form->indkey.values[0] == column &&
                heap_attisnull(tuple, Anum_pg_index_indpred, NULL);
  ReleaseSysCache(tuple);
  return unique;
}

bool has_unique_index(Relation rel, AttrNumber column) {
  List* indexes = RelationGetIndexList(rel);
  bool found = false;
  ListCell* cell;
  foreach (cell, indexes) found = found || is_unique_on(lfirst_oid(cell), column);
  list_free(indexes);
  return found;
}

// Why the column does not give every unit at most one row; NULL when it does.
const char* unit_defect(Oid relation, AttrNumber column) {
  if (column <= 0) return "There is no such column.";
  Relation rel = table_open(relation, AccessShareLock);
  bool not_null = has_no_nulls(RelationGetDescr(rel), column);
  bool unique = has_unique_index(rel, column);
  // An index of an ordinary table says nothing of the rows of its inheritance children.
  bool spread = rel->rd_rel->relkind == RELKIND_RELATION &&
                find_inheritance_children(relation, NoLock) != NIL;
  table_close(rel, NoLock);
  if (!not_null) return "The column is not declared NOT NULL.";
  if (!unique) return "The column has no valid, immediate, non-partial unique index of its own.";
  if (spread) return "Inheritance children hold rows that the unique index does not cover.";
  return NULL;
}

}  // namespace

// Rows elsewhere, or gone with the session, have no ledger to stand by.
const char* unprotectable_kind(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", relation);
  FormData_pg_class form = *(Form_pg_class)GETSTRUCT(tuple);
  ReleaseSysCache(tuple);
  if (relation < FirstNormalObjectId) return "is a system catalog";
  if (form.relnamespace == get_namespace_oid("dpmix", false)) return "belongs to dpmix itself";
  if (form.relkind != RELKIND_RELATION && form.relkind != RELKIND_PARTITIONED_TABLE) {
    return "is not a table";
  }
  if (form.relpersistence == RELPERSISTENCE_TEMP) return "is temporary";
  if (!form.relhassubclass) return NULL;
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
      return "has a foreign partition";
  }
  return NULL;
}

void require_privacy_unit(Oid relation, const char* privacy_unit, int max_rows_per_unit) {
  if (max_rows_per_unit != 1) {
    ereport(ERROR,
            (errcode(DPMIX_SQLSTATE(invalid_parameter)),
             errmsg("units with several rows are not supported yet"),
             errdetail("max_rows_per_unit is %d; the only valid value is 1.", max_rows_per_unit),
             errhint("Protect a table with one row per unit.")));
  }
  if (privacy_unit == NULL) return;
  const char* defect = unit_defect(relation, get_attnum(relation, privacy_unit));
  if (defect == NULL) return;
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(invalid_parameter)),
           errmsg("column \"%s\" of %s does not give every privacy unit one row", privacy_unit,
                  qualified_name(relation)),
           errdetail_internal("%s", defect),
           errhint("A privacy_unit is a NOT NULL column with a unique index; without one the "
                   "unit is a row.")));
}

void require_protectable(Oid relation) {
  const char* kind = unprotectable_kind(relation);
  if (kind == NULL) return;
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(invalid_parameter)),
           errmsg("%s cannot be protected", qualified_name(relation)), errdetail("It %s.", kind),
           errhint("Protect an ordinary or partitioned table whose rows are all stored here.")));
}

void require_owner_sees_all(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", relation);
  Form_pg_class form = (Form_pg_class)GETSTRUCT(tuple);
  bool forced = form->relrowsecurity && form->relforcerowsecurity;
  ReleaseSysCache(tuple);
  if (forced) {
    ereport(ERROR,
            (errcode(DPMIX_SQLSTATE(query_not_allowed)),
             errmsg("row-level security of %s also binds its owner", qualified_name(relation)),
             errdetail("FORCE ROW LEVEL SECURITY hides rows from the exact statistics."),
             errhint("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY;", qualified_name(relation))));
  }
}

}  // namespace dpmix::pg
