// Event triggers: the catalog follows renames and drops, and no partition tree gets two budgets.
//
// Every step matches the object identifier and the old name together: in a restored database the
// identifiers are those of other tables until adopt_ledger(), and must move nothing.
#include "pg/catalog/protected_table.hpp"
#include "pg/border/guard.hpp"
#include "pg/owner/owned.hpp"
#include "pg/owner/public_table.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "commands/event_trigger.h"
#include "nodes/parsenodes.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_follow_ddl);
PG_FUNCTION_INFO_V1(dpmix_follow_drop);
}

namespace dpmix::pg {
namespace {

// The record of a dropped table stays: the schema that now has its name may be anybody's.
Statement rename_schema = {
    "UPDATE dpmix.protected_table SET schema_name = $2 WHERE schema_name = $1 AND relation <> 0",
    2,
    {NAMEOID, NAMEOID},
    NULL};

// Of the command's own object; its name is the new one by now.
Statement rename_table = {
    "UPDATE dpmix.protected_table p SET schema_name = n.nspname, table_name = c.relname "
    "FROM pg_event_trigger_ddl_commands() d JOIN pg_class c ON c.oid = d.objid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE d.classid = 'pg_class'::regclass AND p.relation = c.oid AND p.table_name = $1",
    1,
    {NAMEOID},
    NULL};

// A record of a dropped or unprotected table keeps its name: a protected one cannot take it.
Statement schema_names_taken = {
    "SELECT format('%I.%I', q.schema_name, q.table_name) FROM dpmix.protected_table p "
    "JOIN dpmix.protected_table q ON q.schema_name = $2 AND q.table_name = p.table_name "
    "WHERE p.schema_name = $1 AND p.relation <> 0",
    2,
    {NAMEOID, NAMEOID},
    NULL};

Statement table_name_taken = {
    "SELECT format('%I.%I', q.schema_name, q.table_name) "
    "FROM pg_event_trigger_ddl_commands() d JOIN pg_class c ON c.oid = d.objid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "JOIN dpmix.protected_table p ON p.relation = c.oid AND p.table_name = $1 "
    "JOIN dpmix.protected_table q ON q.schema_name = n.nspname AND q.table_name = c.relname "
    "WHERE d.classid = 'pg_class'::regclass AND q.id <> p.id",
    1,
    {NAMEOID},
    NULL};

// The command's table, those made of its row type, and all that inherit from them.
#define DPMIX_COMMAND_TREE                                                                    \
  "WITH RECURSIVE tree(relation) AS ("                                                        \
  "  SELECT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_class'::regclass " \
  "  UNION SELECT c.oid FROM pg_event_trigger_ddl_commands() d "                              \
  "  JOIN pg_type t ON t.typrelid = d.objid JOIN pg_class c ON c.reloftype = t.oid "          \
  "  UNION SELECT inhrelid FROM pg_inherits JOIN tree ON inhparent = relation) "

Statement rename_domain = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.column_domain d SET column_name = $2 "
    "FROM dpmix.protected_table p JOIN pg_attribute a ON a.attrelid = p.relation "
    "JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "WHERE p.id = d.table_id AND a.attnum = d.attnum AND a.attname = $2 AND d.column_name = $1 "
    "AND p.relation IN (SELECT relation FROM tree)",
    2,
    {NAMEOID, NAMEOID},
    NULL};

Statement rename_terms = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.protected_table p SET "
    "  privacy_unit = CASE privacy_unit WHEN $1 THEN $2 ELSE privacy_unit END, "
    "  label = CASE label WHEN $1 THEN $2 ELSE label END "
    "FROM pg_class c WHERE c.oid = p.relation AND c.relname = p.table_name "
    "AND (p.privacy_unit = $1 OR p.label = $1) "
    "AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = p.relation AND attname = $1) "
    "AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = p.relation AND attname = $2) "
    "AND p.relation IN (SELECT relation FROM tree)",
    2,
    {NAMEOID, NAMEOID},
    NULL};

// Bounds of a date column are days, of a timestamp column seconds: a new type unmakes them.
Statement retype_column = {
    DPMIX_COMMAND_TREE
    "DELETE FROM dpmix.column_domain d USING dpmix.protected_table p, pg_attribute a, pg_class c "
    "WHERE p.id = d.table_id AND a.attrelid = p.relation AND a.attnum = d.attnum "
    "AND a.attname = $1 AND d.column_name = $1 AND c.oid = p.relation AND c.relname = p.table_name "
    "AND p.relation IN (SELECT relation FROM tree)",
    1,
    {NAMEOID},
    NULL};

// Charges about a table that is protected no more are about the same rows still.
Statement nested_tables = {
    "WITH RECURSIVE kept AS ("
    "  SELECT p.relation, p.active FROM dpmix.protected_table p "
    "  JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "  JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name "
    "  WHERE EXISTS (SELECT FROM pg_inherits WHERE p.relation IN (inhrelid, inhparent)) "
    "  AND (p.active OR EXISTS (SELECT FROM dpmix.charge g WHERE g.table_id = p.id))), "
    "up(relation, active, ancestor) AS ("
    "  SELECT k.relation, k.active, i.inhparent FROM kept k "
    "  JOIN pg_inherits i ON i.inhrelid = k.relation UNION "
    "  SELECT up.relation, up.active, i.inhparent "
    "  FROM up JOIN pg_inherits i ON i.inhrelid = up.ancestor) "
    "SELECT up.relation::regclass::text, up.ancestor::regclass::text FROM up "
    "JOIN kept k ON k.relation = up.ancestor WHERE up.active OR k.active",
    0,
    {},
    NULL};

Statement budget_above = {
    "WITH RECURSIVE up(relation) AS ("
    "  SELECT $1 UNION SELECT inhparent FROM pg_inherits JOIN up ON inhrelid = relation) "
    "SELECT format('%I.%I', p.schema_name, p.table_name) FROM up "
    "JOIN dpmix.protected_table p ON p.relation = up.relation AND p.active "
    "JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name",
    1,
    {OIDOID},
    NULL};

Statement forget_tables = {
    "UPDATE dpmix.protected_table p SET relation = 0, active = false "
    "FROM pg_event_trigger_dropped_objects() o "
    "WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0 AND p.relation = o.objid "
    "AND p.schema_name = o.schema_name AND p.table_name = o.object_name RETURNING p.id",
    0,
    {},
    NULL};

// What was stated about columns and roles was about the table that is gone.
Statement forget_domains = {
    "DELETE FROM dpmix.column_domain d USING dpmix.protected_table p "
    "WHERE p.id = d.table_id AND p.relation = 0",
    0,
    {},
    NULL};

Statement forget_grants = {
    "DELETE FROM dpmix.access a USING dpmix.protected_table p "
    "WHERE p.id = a.table_id AND p.relation = 0",
    0,
    {},
    NULL};

Statement forget_columns = {
    "DELETE FROM dpmix.column_domain d USING dpmix.protected_table p, "
    "  pg_event_trigger_dropped_objects() o "
    "WHERE o.classid = 'pg_class'::regclass AND o.objsubid > 0 AND p.id = d.table_id "
    "AND p.relation = o.objid AND d.attnum = o.objsubid AND d.column_name = o.address_names[3]",
    0,
    {},
    NULL};

struct Alteration {
  Node* command;
  Oid left;  // the parent that a partition or child left; InvalidOid: none
};

// Names are looked up as the command did, under the caller's search_path.
Oid parent_left(const AlterTableStmt* command) {
  ListCell* cell;
  foreach (cell, command->cmds) {
    const AlterTableCmd* step = lfirst_node(AlterTableCmd, cell);
    if (step->subtype == AT_DetachPartition || step->subtype == AT_DetachPartitionFinalize) {
      return RangeVarGetRelid(command->relation, NoLock, true);
    }
    if (step->subtype == AT_DropInherit) {
      return RangeVarGetRelid((RangeVar*)step->def, NoLock, true);
    }
  }
  return InvalidOid;
}

bool catalog_is_there() {  // not while the extension itself comes or goes
  return OidIsValid(catalog_table("protected_table")) && OidIsValid(catalog_table("access")) &&
         OidIsValid(catalog_table("column_domain"));
}

void run_renaming(Statement& statement, const char* from, const char* to,
                  Statement* names_taken = NULL) {
  NameData old_name, new_name;
  namestrcpy(&old_name, from);
  namestrcpy(&new_name, to);
  Datum values[] = {NameGetDatum(&old_name), NameGetDatum(&new_name)};
  if (names_taken != NULL && read_rows(*names_taken, values) > 0) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                    errmsg("the ledger has another record under the name %s", result_text(0, 1)),
                    errdetail("The charges of a table once protected stay under its name."),
                    errhint("Choose another name.")));
  }
  write_rows(statement, values);
}

void follow_rename(const RenameStmt* command) {
  if (command->renameType == OBJECT_SCHEMA) {
    run_renaming(rename_schema, command->subname, command->newname, &schema_names_taken);
    rename_public_schema(command->subname, command->newname);
  } else if (command->renameType == OBJECT_COLUMN || command->renameType == OBJECT_ATTRIBUTE) {
    run_renaming(rename_domain, command->subname, command->newname);
    run_renaming(rename_terms, command->subname, command->newname);
  } else if (command->relation != NULL) {  // ALTER INDEX, VIEW … can rename a table too
    run_renaming(rename_table, command->relation->relname, command->newname, &table_name_taken);
    rename_public_table(command->relation->relname);
  }
}

// A part that leaves takes its rows out of a budget that was charged for them.
void warn_of_leaving(Oid parent) {
  Datum value = ObjectIdGetDatum(parent);
  if (read_rows(budget_above, &value) == 0) return;
  ereport(WARNING, (errmsg("rows leave the budget of %s", result_text(0, 1)),
                    errdetail("What was charged about them stays with that table."),
                    errhint("Keep the part unprotected: a budget of its own would add up.")));
}

void follow_alter(const Alteration* alteration) {
  bool attached = false;
  ListCell* cell;
  foreach (cell, ((AlterTableStmt*)alteration->command)->cmds) {
    const AlterTableCmd* step = lfirst_node(AlterTableCmd, cell);
    attached = attached || step->subtype == AT_AttachPartition || step->subtype == AT_AddInherit;
    if (step->subtype == AT_AlterColumnType) run_renaming(retype_column, step->name, step->name);
  }
  if (attached) refuse_nesting();
  if (OidIsValid(alteration->left)) warn_of_leaving(alteration->left);
}

void follow_ddl(void* arg) {
  const Alteration* alteration = (const Alteration*)arg;
  Node* command = alteration->command;
  if (IsA(command, RenameStmt)) {
    follow_rename((RenameStmt*)command);
  } else if (IsA(command, AlterTableStmt)) {
    follow_alter(alteration);
  } else if (IsA(command, AlterObjectSchemaStmt)) {
    const char* name = ((AlterObjectSchemaStmt*)command)->relation->relname;
    run_renaming(rename_table, name, name, &table_name_taken);
    rename_public_table(name);
  }
}

bool concerns_tables(Node* command) {
  if (IsA(command, RenameStmt) || IsA(command, AlterTableStmt)) return true;
  return IsA(command, AlterObjectSchemaStmt) && ((AlterObjectSchemaStmt*)command)->relation != NULL;
}

void follow_drop(void*) {
  if (write_rows(forget_tables, NULL) > 0) {
    write_rows(forget_domains, NULL);
    write_rows(forget_grants, NULL);
  }
  write_rows(forget_columns, NULL);
  forget_public_tables();
}

void require_event(FunctionCallInfo fcinfo) {
  if (CALLED_AS_EVENT_TRIGGER(fcinfo)) return;
  ereport(ERROR, (errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
                  errmsg("dpmix_internal.%s is an event trigger's function",
                         get_func_name(fcinfo->flinfo->fn_oid))));
}

}  // namespace

void refuse_nesting() {
  lock_trees(ShareLock);
  const char* other;
  if (const char* declared = public_and_protected(&other)) {
    ereport(ERROR,
            (errcode(DPMIX_SQLSTATE(query_not_allowed)),
             errmsg("a protected table cannot share rows with a public one"),
             errdetail("%s is declared public and would share its rows with %s.", declared, other),
             errhint("Take the declaration back first: SELECT dpmix.undeclare_public(%s).",
                     quote_literal_cstr(declared))));
  }
  if (read_rows(nested_tables, NULL) == 0) return;
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)),
                  errmsg("a protected table cannot become part of another protected table"),
                  errdetail("%s would share its rows with %s; their budgets would not add up, nor "
                            "do charges of a table that is protected no more.",
                            result_text(0, 1), result_text(0, 2)),
                  errhint("Only one table of a tree can ever have a budget.")));
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_follow_ddl(PG_FUNCTION_ARGS) {
  require_event(fcinfo);
  Node* command = ((EventTriggerData*)fcinfo->context)->parsetree;
  if (concerns_tables(command) && catalog_is_there()) {
    Alteration alteration = {command, InvalidOid};
    if (IsA(command, AlterTableStmt)) alteration.left = parent_left((AlterTableStmt*)command);
    as_catalog_owner(follow_ddl, &alteration);
  }
  PG_RETURN_NULL();
}

Datum dpmix_follow_drop(PG_FUNCTION_ARGS) {
  require_event(fcinfo);
  if (catalog_is_there()) as_catalog_owner(follow_drop, NULL);
  PG_RETURN_NULL();
}
