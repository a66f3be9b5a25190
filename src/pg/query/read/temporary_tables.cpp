#include "pg/query/read/temporary_tables.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/row_type.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/owner/public_table.hpp"
#include "pg/process/shipped_tables.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/read/text.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/silent_scan.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

// Of a message between processes, whatever dpmix.scan_memory is.
constexpr double kMostBytes = MaxAllocSize / 2;

bool is_of_session(Oid relation) {
  return get_rel_persistence(relation) == RELPERSISTENCE_TEMP &&
         isTempNamespace(get_rel_namespace(relation));
}

// Whoever drops an index holds such a lock on its table till the end of the transaction. The
// process would still see it.
bool may_have_altered(Oid relation) {
  LOCKTAG tag;
  SET_LOCKTAG_RELATION(tag, MyDatabaseId, relation);
  for (LOCKMODE mode = RowExclusiveLock + 1; mode <= AccessExclusiveLock; mode++) {
    if (holds_lock(tag, mode)) return true;
  }
  return false;
}

struct Kind {
  bool is_changed;     // by this transaction
  const char* defect;  // why no query reads it; NULL: one may
};

Kind kind_of(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", relation);
  const FormData_pg_class form = *(Form_pg_class)GETSTRUCT(tuple);
  Kind kind = {TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)) ||
                   may_have_altered(relation),
               NULL};
  ReleaseSysCache(tuple);
  if (form.relkind != RELKIND_RELATION) {
    kind.defect = "It is not an ordinary table.";
  } else if (form.relhassubclass || has_superclass(relation)) {
    kind.defect = "It has parents or children.";
  } else if (form.relrowsecurity) {
    kind.defect = "It has row-level security.";
  } else if (form.relnatts == 0) {
    kind.defect = "It has no columns.";
  } else if (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) != ACLCHECK_OK) {
    kind.defect = "You may not read all of it.";
  }
  return kind;
}

// Those of the table, by its numbers.
TupleDesc columns_of_table(Relation table) {
  const TupleDesc own = RelationGetDescr(table);
  TupleDesc type = CreateTemplateTupleDesc(own->natts);
  for (int i = 0; i < own->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(own, i);
    const AttrNumber number = (AttrNumber)(i + 1);
    if (column->attisdropped) {
      TupleDescInitEntry(type, number, "", INT4OID, -1, 0);
      continue;
    }
    TupleDescInitEntry(type, number, NameStr(column->attname), column->atttypid, column->atttypmod,
                       0);
    TupleDescInitEntryCollation(type, number, column->attcollation);
  }
  return type;
}

// SELECT all of it.
const char* reading(Oid relation, Relation table) {
  StringInfoData sql;
  initStringInfo(&sql);
  const TupleDesc own = RelationGetDescr(table);
  for (int i = 0; i < own->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(own, i);
    appendStringInfoString(&sql, i == 0 ? "SELECT " : ", ");
    appendStringInfoString(
        &sql, column->attisdropped ? "NULL::int4" : quote_identifier(NameStr(column->attname)));
  }
  appendStringInfo(&sql, " FROM %s", qualified_name(relation));
  return sql.data;
}

[[noreturn]] void refuse_size(double limit) {
  refuse_argument("the temporary tables do not fit the memory of a release",
                  psprintf("Their rows take more than %.0f kB; dpmix.scan_memory is %.0f kB.",
                           limit / 1024, scan_memory_bytes() / 1024),
                  "Join smaller ones, or ask an administrator to raise dpmix.scan_memory.");
}

// before: what others take.
StringInfoData rows_of(Oid relation, double before) {
  const double limit = Min(scan_memory_bytes(), kMostBytes);
  LockRelationOid(relation, AccessShareLock);
  Relation table = RelationIdGetRelation(relation);
  if (!RelationIsValid(table)) elog(ERROR, "temporary table %u is gone", relation);
  const TupleDesc type = columns_of_table(table);
  const char* sql = reading(relation, table);
  RelationClose(table);
  StringInfoData rows;
  initStringInfo(&rows);
  put_row_type(&rows, type);
  Datum* values = (Datum*)palloc(sizeof(Datum) * type->natts);
  bool* nulls = (bool*)palloc(sizeof(bool) * type->natts);
  run_scan(plan_public_scan(sql, relation, GetUserId()), [&](const Datum* read, const bool* none) {
    double bytes = before + rows.len;
    for (int i = 0; i < type->natts; i++) {
      values[i] = read[i];
      nulls[i] = none[i];
      if (none[i] || TupleDescAttr(type, i)->attlen != -1) continue;
      values[i] = PointerGetDatum(PG_DETOAST_DATUM(read[i]));
      bytes += VARSIZE_ANY(DatumGetPointer(values[i]));
    }
    if (bytes > limit) refuse_size(limit);
    put_shipped_row(&rows, type, values, nulls);
  });
  return rows;
}

bool collect_temporary(Node* node, void* found) {
  if (node == NULL) return false;
  if (IsA(node, RangeVar)) {
    const RangeVar* name = (const RangeVar*)node;
    if (name->catalogname != NULL ||
        (name->schemaname != NULL && strncmp(name->schemaname, "pg_temp", 7) != 0)) {
      return false;
    }
    const Oid relation = RangeVarGetRelid(name, NoLock, true);
    if (OidIsValid(relation) && is_of_session(relation)) {
      *(List**)found = list_append_unique_oid(*(List**)found, relation);
    }
    return false;
  }
  return walk_raw_expression(node, collect_temporary, found);
}

bool has_temporary_objects() {
  Oid tables, toast;
  GetTempNamespaceState(&tables, &toast);
  return OidIsValid(tables);
}

bool may_read_rows(Oid user, const ProtectedTable* table) {
  return has_privs_of_role(user, table->owner) ||
         pg_class_aclcheck(table->relation, user, ACL_SELECT) == ACLCHECK_OK ||
         pg_attribute_aclcheck_all(table->relation, user, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
}

void refuse_uncommitted(Oid relation) {
  refuse(ErrorCode::query_not_allowed,
         psprintf("this transaction has made or altered temporary table %s",
                  quote_identifier(get_rel_name(relation))),
         "A release sees only tables that are committed.", "Commit first.");
}

}  // namespace

bool is_own_temporary(Oid relation) {
  if (!is_of_session(relation)) return false;
  if (shipped_table(relation) != NULL) return true;
  const char* defect = kind_of(relation).defect;
  if (defect == NULL && !in_release_process()) return true;
  if (get_rel_relkind(relation) == RELKIND_VIEW) return false;
  refuse(ErrorCode::query_not_allowed,
         psprintf("temporary table %s is not read here", quote_identifier(get_rel_name(relation))),
         defect != NULL ? defect
                        : "dpmix.query, dpmix.query_json and plain SQL join those that the text "
                          "of the query names.",
         "Join an ordinary table that is declared public, or a temporary one in such a query.");
}

bool is_public_here(Oid relation) {
  return is_own_temporary(relation) || is_declared_public(relation);
}

void require_nothing_protected(Oid temporary, const ProtectedTable* table) {
  // Another role of the session may have filled it.
  if (!may_read_rows(GetUserId(), table) && !may_read_rows(relation_owner(temporary), table)) {
    return;
  }
  refuse(ErrorCode::query_not_allowed,
         psprintf("temporary table %s may hold rows of %s",
                  quote_identifier(get_rel_name(temporary)), table->name),
         "You, or the role that owns it, may read that table, so what it holds is not taken for "
         "public.",
         "Put what is public into an ordinary table, and declare it: dpmix.declare_public.");
}

StringInfoData temporary_tables_in(const char* text) {
  StringInfoData out;
  initStringInfo(&out);
  if (text == NULL || !has_temporary_objects()) return out;
  List* found = NIL;
  (void)collect_temporary(raw_query(text), &found);
  double bytes = 0;
  ListCell* cell;
  foreach (cell, found) {
    const Oid relation = lfirst_oid(cell);
    const Kind kind = kind_of(relation);
    if (kind.defect != NULL) continue;
    if (kind.is_changed) refuse_uncommitted(relation);
    const StringInfoData rows = rows_of(relation, bytes);
    bytes += rows.len;
    ShippedTable table = {};
    table.relation = relation;
    table.rows = rows_in(relation);
    table.most_rows = most_rows_in(relation);
    table.bytes = public_size(relation);
    put_shipped_table(&out, table, rows);
  }
  return out;
}

namespace {

// Which columns have no NULL, and which are unique together: noise goes by it.
void append_known(StringInfo out, Oid relation) {
  Relation table = RelationIdGetRelation(relation);
  if (!RelationIsValid(table)) elog(ERROR, "temporary table %u is gone", relation);
  const TupleDesc columns = RelationGetDescr(table);
  for (int i = 0; i < columns->natts; i++) {
    appendStringInfoChar(out, has_no_nulls(columns, (AttrNumber)(i + 1)) ? 'n' : '-');
  }
  RelationClose(table);
  const ListCell* cell;
  foreach (cell, unique_keys(relation)) {
    const UniqueKey* key = (const UniqueKey*)lfirst(cell);
    appendStringInfoString(out, " key");
    for (int i = 0; i < key->columns; i++) {
      appendStringInfo(out, " %d %u", (int)key->column[i], key->family[i]);
    }
  }
}

}  // namespace

const char* digest_of_rows(Oid temporary) {
  uint8 digest[kRowsDigestBytes];
  if (const ShippedTable* table = shipped_table(temporary)) {
    memcpy(digest, table->digest, sizeof digest);
  } else {
    digest_rows(rows_of(temporary, 0), digest);
  }
  char* digits = (char*)palloc0(2 * sizeof digest + 1);
  (void)hex_encode((const char*)digest, sizeof digest, digits);
  StringInfoData out;
  initStringInfo(&out);
  appendStringInfo(&out, "%s ", digits);
  append_known(&out, temporary);
  return out.data;
}

}  // namespace dpmix::pg
