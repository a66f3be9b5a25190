// Event triggers: the catalog follows renames and drops, and no partition tree gets two budgets.
//
// Every step matches the object identifier and the old name together: in a restored database the
// identifiers are those of other tables until adopt_ledger(), and must move nothing.
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/exposures.hpp"
#include "pg/catalog/tree_locks.hpp"
#include "pg/owner/arrivals.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/owner/columns_of.hpp"
#include "pg/owner/command_tree.hpp"
#include "pg/owner/facade_columns.hpp"
#include "pg/owner/facades.hpp"
#include "pg/owner/follow_grant.hpp"
#include "pg/owner/follow_links.hpp"
#include "pg/owner/names.hpp"
#include "pg/owner/nesting.hpp"
#include "pg/owner/public_table.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "commands/event_trigger.h"
#include "nodes/parsenodes.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_follow_ddl);
PG_FUNCTION_INFO_V1(dpmix_follow_drop);
PG_FUNCTION_INFO_V1(dpmix_follow_owners);
}

namespace dpmix::pg {
namespace {

Statement rename_domain = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.column_domain d SET column_name = $2 "
    "FROM dpmix.protected_table p JOIN pg_attribute a ON a.attrelid = p.relation "
    "JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "WHERE p.id = d.table_id AND a.attnum = d.attnum AND a.attname = $2 AND d.column_name = $1 "
    "AND p.relation IN (SELECT relation FROM tree)"};

// Bounds by category go by the column under its new name.
Statement rename_deciding = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.column_domain d SET by_column = $2 "
    "FROM dpmix.protected_table p JOIN pg_class c ON c.oid = p.relation AND c.relname = "
    "p.table_name WHERE p.id = d.table_id AND d.by_column = $1 "
    "AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = p.relation AND attname = $1) "
    "AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = p.relation AND attname = $2) "
    "AND p.relation IN (SELECT relation FROM tree)"};

// Rules name the column as it is called now.
Statement rename_ruling = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.column_domain d SET "
    "  at_least = CASE at_least WHEN $1 THEN $2 ELSE at_least END, "
    "  present_with = CASE present_with WHEN $1 THEN $2 ELSE present_with END, "
    "  sum_of = array_replace(sum_of, $1, $2) "
    "FROM dpmix.protected_table p JOIN pg_class c ON c.oid = p.relation AND c.relname = "
    "p.table_name WHERE p.id = d.table_id AND ($1 IN (d.at_least, d.present_with) "
    "  OR $1 = ANY (d.sum_of)) "
    "AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = p.relation AND attname = $1) "
    "AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = p.relation AND attname = $2) "
    "AND p.relation IN (SELECT relation FROM tree)"};

Statement rename_terms = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.protected_table p SET "
    "  privacy_unit = CASE privacy_unit WHEN $1 THEN $2 ELSE privacy_unit END, "
    "  label = CASE label WHEN $1 THEN $2 ELSE label END "
    "FROM pg_class c WHERE c.oid = p.relation AND c.relname = p.table_name "
    "AND (p.privacy_unit = $1 OR p.label = $1) "
    "AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = p.relation AND attname = $1) "
    "AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = p.relation AND attname = $2) "
    "AND p.relation IN (SELECT relation FROM tree)"};

Statement rename_view_column = {
    "UPDATE dpmix.view_column v SET column_name = $2 FROM " DPMIX_COMMAND_TABLE
    "WHERE d.classid = 'pg_class'::regclass AND v.column_name = $1 "
    "AND v.schema_name = n.nspname AND v.view_name = c.relname"};

// Bounds of a date column are days, of a timestamp column seconds: a new type unmakes them.
Statement retype_column = {
    DPMIX_COMMAND_TREE
    "DELETE FROM dpmix.column_domain d USING dpmix.protected_table p, pg_attribute a, pg_class c "
    "WHERE p.id = d.table_id AND a.attrelid = p.relation AND a.attnum = d.attnum "
    "AND a.attname = $1 AND d.column_name = $1 AND c.oid = p.relation AND c.relname = p.table_name "
    "AND p.relation IN (SELECT relation FROM tree)"};

// Texts of its categories are none of the new type. The widest bounds stay.
Statement retype_deciding = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.column_domain d SET by_column = NULL, by_category = NULL, by_lower = NULL, "
    "  by_upper = NULL FROM dpmix.protected_table p, pg_class c WHERE p.id = d.table_id "
    "AND d.by_column = $1 AND c.oid = p.relation AND c.relname = p.table_name "
    "AND p.relation IN (SELECT relation FROM tree)"};

// What a table that takes the name has to have.
Statement note_columns = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.protected_table p SET column_types = " DPMIX_TYPES_OF("p.relation")
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.oid = p.relation AND (n.nspname, c.relname) = (p.schema_name, p.table_name) "
    "AND p.relation IN (SELECT relation FROM tree) "
    "AND p.column_types IS DISTINCT FROM " DPMIX_TYPES_OF("p.relation")};

// Most commands drop nothing that the catalog knows.
Statement known_dropped = {
    "SELECT FROM pg_event_trigger_dropped_objects() o WHERE o.classid = 'pg_class'::regclass "
    "AND (EXISTS (SELECT FROM dpmix.protected_table p WHERE p.relation = o.objid) "
    "  OR EXISTS (SELECT FROM dpmix.departed_table d WHERE d.relation = o.objid) "
    "  OR EXISTS (SELECT FROM dpmix.public_table u WHERE u.relation = o.objid) "
    "  OR EXISTS (SELECT FROM dpmix.facade f WHERE f.view = o.objid)) LIMIT 1"};

Statement forget_tables = {
    "UPDATE dpmix.protected_table p SET relation = 0, active = false, waiting = p.active "
    "FROM pg_event_trigger_dropped_objects() o "
    "WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0 AND p.relation = o.objid "
    "AND p.schema_name = o.schema_name AND p.table_name = o.object_name RETURNING p.id"};

Statement forget_columns = {
    "DELETE FROM dpmix.column_domain d USING dpmix.protected_table p, "
    "  pg_event_trigger_dropped_objects() o "
    "WHERE o.classid = 'pg_class'::regclass AND o.objsubid > 0 AND p.id = d.table_id "
    "AND p.relation = o.objid AND d.attnum = o.objsubid AND d.column_name = o.address_names[3]"};

Statement forget_deciding = {
    "UPDATE dpmix.column_domain d SET by_column = NULL, by_category = NULL, by_lower = NULL, "
    "  by_upper = NULL FROM dpmix.protected_table p, pg_event_trigger_dropped_objects() o "
    "WHERE o.classid = 'pg_class'::regclass AND o.objsubid > 0 AND p.id = d.table_id "
    "AND p.relation = o.objid AND d.by_column = o.address_names[3]"};

Statement forget_ruling = {
    "WITH gone AS (SELECT p.id, array_agg(o.address_names[3]::name) AS names "
    "  FROM dpmix.protected_table p JOIN pg_event_trigger_dropped_objects() o "
    "  ON o.classid = 'pg_class'::regclass AND o.objsubid > 0 AND p.relation = o.objid "
    "  GROUP BY p.id) "
    "UPDATE dpmix.column_domain d SET "
    "  at_least = CASE WHEN d.at_least = ANY (g.names) THEN NULL ELSE d.at_least END, "
    "  present_with = CASE WHEN d.present_with = ANY (g.names) THEN NULL ELSE d.present_with END, "
    "  sum_of = CASE WHEN d.sum_of && g.names THEN NULL ELSE d.sum_of END "
    "FROM gone g WHERE g.id = d.table_id AND (d.at_least = ANY (g.names) "
    "  OR d.present_with = ANY (g.names) OR d.sum_of && g.names)"};

struct Parting {
  Oid parent, part;  // InvalidOid: nothing left
};

// Names are looked up as the command did, under the caller's search_path.
Parting parting_of(const AlterTableStmt* command) {
  const Oid relation = RangeVarGetRelid(command->relation, NoLock, true);
  ListCell* cell;
  foreach (cell, command->cmds) {
    const AlterTableCmd* step = lfirst_node(AlterTableCmd, cell);
    if (step->subtype == AT_DetachPartition || step->subtype == AT_DetachPartitionFinalize) {
      return {relation, RangeVarGetRelid(castNode(PartitionCmd, step->def)->name, NoLock, true)};
    }
    if (step->subtype == AT_DropInherit) {
      return {RangeVarGetRelid((RangeVar*)step->def, NoLock, true), relation};
    }
  }
  return {};
}

bool catalog_is_there() {  // not while the extension itself comes or goes
  return OidIsValid(catalog_table("protected_table")) && OidIsValid(catalog_table("access")) &&
         OidIsValid(catalog_table("column_domain")) && OidIsValid(catalog_table("public_table")) &&
         OidIsValid(catalog_table("facade")) && OidIsValid(catalog_table("auditor")) &&
         OidIsValid(catalog_table("departed_table")) && OidIsValid(catalog_table("role_number"));
}

void rename_rows(Statement& statement, const char* from, const char* to) {
  (void)write_rows(statement, {name_value(from), name_value(to)});
}

void follow_rename(const RenameStmt* command) {
  if (command->renameType == OBJECT_SCHEMA) {
    follow_schema_name(command->subname, command->newname);
    rename_public_schema(command->subname, command->newname);
    rename_facade_schema(command->subname, command->newname);
  } else if (command->renameType == OBJECT_COLUMN || command->renameType == OBJECT_ATTRIBUTE) {
    rename_rows(rename_domain, command->subname, command->newname);
    rename_rows(rename_deciding, command->subname, command->newname);
    rename_rows(rename_view_column, command->subname, command->newname);
    rename_rows(rename_ruling, command->subname, command->newname);
    rename_rows(rename_terms, command->subname, command->newname);
    rename_link_columns(command->subname, command->newname);
    rename_block_column(command->subname, command->newname);
    (void)write_rows(note_columns);
  } else if (command->relation != NULL) {  // ALTER INDEX, VIEW … can rename a table too
    follow_table_name(command->relation->relname);
    rename_public_table(command->relation->relname);
    rename_facade(command->relation->relname);
  }
}

void follow_alter(const AlterTableStmt* command, const Parting& parting) {
  bool attached = false, given = false;
  ListCell* cell;
  foreach (cell, command->cmds) {
    const AlterTableCmd* step = lfirst_node(AlterTableCmd, cell);
    attached = attached || step->subtype == AT_AttachPartition || step->subtype == AT_AddInherit;
    given = given || step->subtype == AT_ChangeOwner;
    if (step->subtype != AT_AlterColumnType) continue;
    rename_rows(retype_column, step->name, step->name);
    rename_rows(retype_deciding, step->name, step->name);
  }
  (void)write_rows(note_columns);
  if (attached) {
    lock_joined_trees();
    refuse_nesting();
  }
  if (given) follow_owners();
  if (OidIsValid(parting.parent)) follow_parting(parting.parent, parting.part);
}

void follow_command(Node* command, const Parting& parting) {
  if (IsA(command, RenameStmt)) {
    follow_rename((RenameStmt*)command);
  } else if (IsA(command, AlterTableStmt)) {
    follow_alter((AlterTableStmt*)command, parting);
  } else if (IsA(command, AlterObjectSchemaStmt)) {
    const char* name = ((AlterObjectSchemaStmt*)command)->relation->relname;
    follow_table_name(name);
    rename_public_table(name);
    rename_facade(name);
  }
}

// Outside as_catalog_owner(): facades change as the user's own commands do.
void follow_facades(Node* command) {
  if (IsA(command, ViewStmt) || IsA(command, AlterObjectSchemaStmt)) {
    follow_view_columns(NULL, NULL);
  } else if (IsA(command, AlterTableStmt)) {
    follow_columns(NULL, NULL);
  } else if (IsA(command, RenameStmt)) {
    const RenameStmt* rename = (RenameStmt*)command;
    const bool column =
        rename->renameType == OBJECT_COLUMN || rename->renameType == OBJECT_ATTRIBUTE;
    if (column) follow_columns(rename->subname, rename->newname);
    follow_view_columns(column ? rename->subname : NULL, column ? rename->newname : NULL);
  }
}

struct Arriving {
  bool any;
  const char* name;  // NULL: of several tables
};

Arriving of_table(const RangeVar* table) {
  return {true, table == NULL ? NULL : table->relname};
}

// The table that may have a vacant name after the command, or suit one.
Arriving arriving(Node* command) {
  switch (nodeTag(command)) {
    case T_CreateStmt:
    case T_CreateForeignTableStmt:
      return of_table(((CreateStmt*)command)->relation);
    case T_CreateTableAsStmt:
      return of_table(((CreateTableAsStmt*)command)->into->rel);
    case T_ViewStmt:
      return of_table(((ViewStmt*)command)->view);
    case T_IndexStmt:
      return of_table(((IndexStmt*)command)->relation);
    case T_AlterTableStmt:
      return of_table(((AlterTableStmt*)command)->relation);
    case T_AlterObjectSchemaStmt:
      return of_table(((AlterObjectSchemaStmt*)command)->relation);
    case T_RenameStmt: {
      const RenameStmt* rename = (RenameStmt*)command;
      const bool of_one = rename->renameType != OBJECT_SCHEMA && rename->relation != NULL;
      const bool column =
          rename->renameType == OBJECT_COLUMN || rename->renameType == OBJECT_ATTRIBUTE;
      if (!of_one) return {true, NULL};
      return {true, column ? rename->relation->relname : rename->newname};
    }
    case T_CreateSchemaStmt:
      return {true, NULL};
    default:
      return {};
  }
}

// Outside as_catalog_owner().
void follow_arrivals(Node* command) {
  const Arriving table = arriving(command);
  if (!table.any || !catalog_is_there() || !is_name_vacant(table.name)) return;
  const bool schema =
      IsA(command, RenameStmt) && ((RenameStmt*)command)->renameType == OBJECT_SCHEMA;
  attach_arrivals(schema ? ((RenameStmt*)command)->newname : NULL);
}

bool concerns_tables(Node* command) {
  if (IsA(command, RenameStmt) || IsA(command, AlterTableStmt) || IsA(command, ViewStmt)) {
    return true;
  }
  return IsA(command, AlterObjectSchemaStmt) && ((AlterObjectSchemaStmt*)command)->relation != NULL;
}

void follow_drop() {
  if (read_rows(known_dropped) == 0) return;
  const uint64 count = write_rows(forget_tables);
  int64* record = (int64*)palloc(Max(count, 1) * sizeof(int64));
  for (uint64 i = 0; i < count; i++) record[i] = ResultRow{i}.int8(1);
  for (uint64 i = 0; i < count; i++) end_links(record[i]);
  forget_departed_tables();
  (void)write_rows(forget_columns);
  (void)write_rows(forget_deciding);
  (void)write_rows(forget_ruling);
  forget_public_tables();
  forget_facades();
}

void require_event(FunctionCallInfo fcinfo) {
  if (CALLED_AS_EVENT_TRIGGER(fcinfo)) return;
  ereport(ERROR, (errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
                  errmsg("dpmix_internal.%s is an event trigger's function",
                         get_func_name(fcinfo->flinfo->fn_oid))));
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_follow_ddl(PG_FUNCTION_ARGS) {
  require_event(fcinfo);
  Node* command = ((EventTriggerData*)fcinfo->context)->parsetree;
  if (concerns_tables(command) && catalog_is_there()) {
    const Parting parting =
        IsA(command, AlterTableStmt) ? parting_of((AlterTableStmt*)command) : Parting{};
    as_catalog_owner([&] { follow_command(command, parting); });
    follow_facades(command);
  }
  follow_arrivals(command);
  if (grants_reading(command) && catalog_is_there()) warn_of_grant((GrantStmt*)command);
  if ((IsA(command, IndexStmt) || IsA(command, AlterTableStmt)) && catalog_is_there()) {
    warn_of_exposures(exposures_of(InvalidOid, InvalidOid, true));
  }
  PG_RETURN_NULL();
}

Datum dpmix_follow_drop(PG_FUNCTION_ARGS) {
  require_event(fcinfo);
  if (catalog_is_there()) as_catalog_owner([] { follow_drop(); });
  PG_RETURN_NULL();
}

Datum dpmix_follow_owners(PG_FUNCTION_ARGS) {
  require_event(fcinfo);
  if (catalog_is_there()) as_catalog_owner([] { follow_owners(); });
  PG_RETURN_NULL();
}
