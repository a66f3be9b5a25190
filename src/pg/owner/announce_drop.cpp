// DROP EXTENSION forgets every charge: it is allowed, and said aloud, to the caller and the server
// log. It leaves nothing behind.
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/owner/facades.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "commands/event_trigger.h"
#include "commands/extension.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"

PG_FUNCTION_INFO_V1(dpmix_announce_drop);
}

namespace dpmix::pg {
namespace {

Statement record = {
    "SELECT (SELECT extowner FROM pg_extension WHERE extname = 'dpmix'), "
    "       (SELECT count(*) FROM dpmix.charge), "
    "       (SELECT count(DISTINCT table_id) FROM dpmix.charge), "
    "       (SELECT count(*) FROM dpmix.protected_table WHERE active)"};

struct Record {
  Oid owner;
  int64 charges, charged_tables, protected_tables;
};

Record read_record() {
  Record found = {};
  as_catalog_owner([&] {
    (void)read_rows(record);
    const ResultRow row;
    found = {row.oid(1), row.int8(2), row.int8(3), row.int8(4)};
  });
  return found;
}

bool names_dpmix(const DropStmt* command) {
  if (command->removeType != OBJECT_EXTENSION) return false;
  ListCell* cell;
  foreach (cell, command->objects) {
    if (strcmp(strVal(lfirst(cell)), "dpmix") == 0) return true;
  }
  return false;
}

bool names_role(const DropOwnedStmt* command, Oid role) {
  ListCell* cell;
  foreach (cell, command->roles) {
    if (get_rolespec_oid(lfirst_node(RoleSpec, cell), true) == role) return true;
  }
  return false;
}

// CREATE EXTENSION made the schema before there was an extension for it to belong to. It goes along
// as what depends on it, and so do facades; for as long as this command, since pg_dump would find a
// circle.
void let_objects_go() {
  ObjectAddress schema, extension;
  ObjectAddressSet(schema, NamespaceRelationId, get_namespace_oid("dpmix", false));
  ObjectAddressSet(extension, ExtensionRelationId, get_extension_oid("dpmix", false));
  recordDependencyOn(&schema, &extension, DEPENDENCY_AUTO);
  as_catalog_owner([&] { let_facades_go(extension.objectId); });
  CommandCounterIncrement();
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_announce_drop(PG_FUNCTION_ARGS) {
  if (!CALLED_AS_EVENT_TRIGGER(fcinfo)) {
    ereport(ERROR, (errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
                    errmsg("dpmix_internal.announce_drop is an event trigger's function")));
  }
  Node* command = ((EventTriggerData*)fcinfo->context)->parsetree;
  if (IsA(command, DropStmt) && !names_dpmix((DropStmt*)command)) PG_RETURN_NULL();
  const Record found = read_record();
  if (IsA(command, DropOwnedStmt) && !names_role((DropOwnedStmt*)command, found.owner)) {
    PG_RETURN_NULL();
  }
  let_objects_go();
  if (found.charges == 0 && found.protected_tables == 0) PG_RETURN_NULL();
  ereport(
      WARNING,
      (errmsg("the privacy ledger of this database is dropped with extension dpmix"),
       errdetail(INT64_FORMAT " charges about " INT64_FORMAT " tables are forgotten, " INT64_FORMAT
                              " tables are protected no more.",
                 found.charges, found.charged_tables, found.protected_tables),
       errhint("The ledger of a new extension is empty. To keep the record, ROLLBACK and dump "
               "the database first.")));
  PG_RETURN_NULL();
}
