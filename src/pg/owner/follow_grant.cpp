#include "pg/owner/follow_grant.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/readers.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "executor/spi.h"
}

namespace dpmix::pg {
namespace {

// $1 tables, $2 schemas; of a partition the protected root.
Statement protected_tables_of = {
    "WITH RECURSIVE up(relation) AS ("
    "  SELECT c.oid FROM pg_class c WHERE c.oid = ANY ($1) OR c.relnamespace = ANY ($2) "
    "  UNION SELECT inhparent FROM pg_inherits JOIN up ON inhrelid = relation) "
    "SELECT p.relation, format('%I.%I', p.schema_name, p.table_name) FROM up "
    "JOIN dpmix.protected_table p ON p.relation = up.relation AND p.active "
    "JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name ORDER BY 2"};

}  // namespace

bool grants_reading(Node* command) {
  if (!IsA(command, GrantStmt)) return false;
  const GrantStmt* grant = (GrantStmt*)command;
  if (!grant->is_grant || grant->objtype != OBJECT_TABLE) return false;
  if (grant->privileges == NIL) return true;  // ALL
  ListCell* cell;
  foreach (cell, grant->privileges) {
    const char* name = lfirst_node(AccessPriv, cell)->priv_name;
    if (name == NULL) return true;  // ALL (columns)
    for (const char* shown : {"select", "trigger", "references"}) {
      if (strcmp(name, shown) == 0) return true;
    }
  }
  return false;
}

void warn_of_grant(const GrantStmt* command) {
  const bool schemas = command->targtype == ACL_TARGET_ALL_IN_SCHEMA;
  const int count = list_length(command->objects);
  Oid* named = (Oid*)palloc(sizeof(Oid) * Max(count, 1));
  for (int i = 0; i < count; i++) {
    void* object = list_nth(command->objects, i);
    named[i] = schemas ? get_namespace_oid(strVal(object), true)
                       : RangeVarGetRelid((RangeVar*)object, NoLock, true);
  }
  as_catalog_owner([&] {
    const uint64 found = read_rows(protected_tables_of, {oid_array(named, schemas ? 0 : count),
                                                         oid_array(named, schemas ? count : 0)});
    Oid* table = (Oid*)palloc(sizeof(Oid) * Max(found, 1));
    const char** name = (const char**)palloc(sizeof(char*) * Max(found, 1));
    for (uint64 i = 0; i < found; i++) {
      table[i] = ResultRow{i}.oid(1);
      name[i] = pstrdup(ResultRow{i}.text(2));
    }
    for (uint64 i = 0; i < found; i++) warn_of_readers(name[i], readers_of(table[i]));
  });
}

}  // namespace dpmix::pg
