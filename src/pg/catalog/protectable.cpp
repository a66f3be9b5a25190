#include "pg/catalog/protectable.hpp"

#include "core/query/contribution.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/trees/allow_list.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

// One row per value at every moment: no predicate, no expression, nothing deferred or half-built,
// and no key that bars overlaps alone (WITHOUT OVERLAPS, since PostgreSQL 18).
bool is_unique_on(Oid index, AttrNumber column) {
  HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
  if (!HeapTupleIsValid(tuple)) return false;
  Form_pg_index form = (Form_pg_index)GETSTRUCT(tuple);
  bool unique = form->indisunique && !form->indisexclusion && form->indisvalid &&
                form->indisready && form->indislive && form->indimmediate &&
                form->indnkeyatts == 1 && form->indkey.values[0] == column &&
                heap_attisnull(tuple, Anum_pg_index_indpred, NULL);
  ReleaseSysCache(tuple);
  return unique;
}

// Whether the tuple holds for the active snapshot too. One made in this transaction counts: whoever
// made it owns the rows.
bool is_settled(HeapTuple tuple) {
  return HeapTupleIsValid(tuple) &&
         (TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)) ||
          is_older_than_snapshot(tuple));
}

// Nor does NOT NULL say anything of an older snapshot; any change of the column counts as that, and
// so does one of the constraint, which may have been NOT VALID.
bool has_units_in_snapshot(Oid relation, AttrNumber column) {
  HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(column));
  const bool settled = is_settled(tuple);
  if (HeapTupleIsValid(tuple)) ReleaseSysCache(tuple);
  HeapTuple constraint = not_null_constraint(relation, column);
  return settled && (constraint == NULL || is_settled(constraint));
}

bool has_unique_index(Relation rel, AttrNumber column) {
  List* indexes = RelationGetIndexList(rel);
  bool found = false;
  ListCell* cell;
  foreach (cell, indexes) {
    const Oid index = lfirst_oid(cell);
    found = found || (is_unique_on(index, column) && index_parts(index, is_settled));
  }
  list_free(indexes);
  return found;
}

// Rows that somebody else may have put beside others of their key, which an older snapshot still
// shows (unique_key.hpp). The owner's are its own affair.
bool has_strange_rows(Oid relation, Oid owner) {
  return !has_privs_of_role(GetUserId(), owner) && is_written_here(relation);
}

bool gives_each_unit_one_row(Oid relation, AttrNumber column) {
  Relation rel = table_open(relation, AccessShareLock);
  // Citus keeps the rows, and what enforces an index, in shards: the table here has none.
  const bool one = !is_distributed(relation) && has_no_nulls(RelationGetDescr(rel), column) &&
                   has_units_in_snapshot(relation, column) && has_unique_index(rel, column) &&
                   table_parts(relation, is_settled) &&
                   !has_strange_rows(relation, rel->rd_rel->relowner) &&
                   // An index of an ordinary table says nothing of its inheritance children.
                   (rel->rd_rel->relkind != RELKIND_RELATION ||
                    find_inheritance_children(relation, NoLock) == NIL);
  table_close(rel, NoLock);
  return one;
}

}  // namespace

const char* unit_defect(Oid relation, AttrNumber column) {
  if (column <= 0) return "There is no such column.";
  Oid type, collation;
  int32 typmod;
  get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
  if (!is_unit_type(type)) return psprintf("Its type is %s.", format_type_be(type));
  if (OidIsValid(collation) && !get_collation_isdeterministic(collation)) {
    return "Its collation is not deterministic.";
  }
  return is_virtual_column(relation, column) ? "It is a virtual generated column." : NULL;
}

bool is_unit_type(Oid type) {
  const char kind = get_typtype(type);
  const TypeCacheEntry* entry = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR);
  return is_own_type(type) && (kind == TYPTYPE_BASE || kind == TYPTYPE_ENUM) &&
         !OidIsValid(get_element_type(type)) && OidIsValid(entry->eq_opr) &&
         OidIsValid(entry->lt_opr);
}

void require_unit_type(Oid relation, const char* privacy_unit, Oid type, const char* population) {
  const Oid found = get_atttype(relation, get_attnum(relation, privacy_unit));
  if (!OidIsValid(type) || found == type) return;
  refuse_argument(
      psprintf("column \"%s\" of %s is of another type than the units of population \"%s\"",
               privacy_unit, qualified_name(relation), population),
      psprintf("It is %s; they are %s.", format_type_be(found), format_type_be(type)),
      "The same person must have the same value in all tables of a population.");
}

// Rows elsewhere, or gone with the session, have no ledger to stand by.
const char* unprotectable_kind(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", relation);
  FormData_pg_class form = *(Form_pg_class)GETSTRUCT(tuple);
  ReleaseSysCache(tuple);
  if (relation < FirstNormalObjectId) return "is a system catalog";
  if (form.relnamespace == get_namespace_oid("dpmix", false)) return "belongs to dpmix itself";
  if (form.relkind == RELKIND_VIEW || form.relkind == RELKIND_MATVIEW) {
    return "is a view, and views cannot be protected: protect the tables that it reads";
  }
  if (form.relkind != RELKIND_RELATION && form.relkind != RELKIND_PARTITIONED_TABLE) {
    return "is not a table";
  }
  if (form.relpersistence == RELPERSISTENCE_TEMP) return "is temporary";
  if (const char* kind = undistributable_kind(relation)) return kind;
  if (!form.relhassubclass) return NULL;
  ListCell* cell;
  foreach (cell, find_all_inheritors(relation, AccessShareLock, NULL)) {
    if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
      return "has a foreign partition";
  }
  return NULL;
}

void require_rows_of_unit(int max_rows_per_unit) {
  if (max_rows_per_unit >= 1 && max_rows_per_unit <= dpmix::kMostRowsPerUnit) return;
  refuse_argument(
      "max_rows_per_unit out of range",
      psprintf("max_rows_per_unit is %d; the valid range is 1 to %d.", max_rows_per_unit,
               dpmix::kMostRowsPerUnit),
      "Each release uses at most so many rows of one unit, and its noise grows with them.");
}

bool require_privacy_unit(Oid relation, const char* privacy_unit, int max_rows_per_unit) {
  require_rows_of_unit(max_rows_per_unit);
  if (privacy_unit == NULL) {
    if (max_rows_per_unit == 1) return false;
    refuse_argument("max_rows_per_unit needs a privacy_unit",
                    psprintf("max_rows_per_unit is %d; without a privacy_unit every row is a unit.",
                             max_rows_per_unit),
                    "Name the column that says whose row it is, or leave both out.");
  }
  const AttrNumber column = get_attnum(relation, privacy_unit);
  if (const char* defect = unit_defect(relation, column)) {
    refuse_argument(psprintf("column \"%s\" of %s does not tell privacy units apart", privacy_unit,
                             qualified_name(relation)),
                    defect,
                    "A privacy_unit is a stored column of a built-in scalar type with an order, or "
                    "of an enum type; without one the unit is a row.");
  }
  return needs_sampling(relation, column, max_rows_per_unit);
}

bool needs_sampling(Oid relation, AttrNumber unit, int max_rows_per_unit) {
  if (unit == InvalidAttrNumber) return false;
  return max_rows_per_unit > 1 || !gives_each_unit_one_row(relation, unit);
}

void require_protectable(Oid relation) {
  const char* kind = unprotectable_kind(relation);
  if (kind == NULL) kind = copied_kind(relation);
  if (kind == NULL) return;
  refuse_argument(psprintf("%s cannot be protected", qualified_name(relation)),
                  psprintf("It %s.", kind),
                  "Protect an ordinary or partitioned table whose rows are all stored here.");
}

void require_in_snapshot(Oid relation) {
  if (!ActiveSnapshotSet()) return;
  // A system column's row is as old as the table.
  HeapTuple tuple =
      SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(TableOidAttributeNumber));
  const bool settled = is_settled(tuple);
  if (HeapTupleIsValid(tuple)) ReleaseSysCache(tuple);
  if (settled) return;
  refuse(ErrorCode::ledger_unavailable,
         psprintf("table %s is younger than this statement", qualified_name(relation)),
         "The statement's snapshot shows none of its rows.",
         "Ask again; in a new transaction, where this one keeps its snapshot.");
}

void require_owner_sees_all(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", relation);
  Form_pg_class form = (Form_pg_class)GETSTRUCT(tuple);
  bool forced = form->relrowsecurity && form->relforcerowsecurity;
  ReleaseSysCache(tuple);
  if (forced) {
    refuse(ErrorCode::query_not_allowed,
           psprintf("row-level security of %s also binds its owner", qualified_name(relation)),
           "FORCE ROW LEVEL SECURITY hides rows from the exact statistics.",
           psprintf("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY;", qualified_name(relation)));
  }
}

}  // namespace dpmix::pg
