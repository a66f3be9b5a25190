#include "pg/schedule/share.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/texts.hpp"
#include "pg/schedule/recipe.hpp"
#include "pg/schedule/result_table.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

void grant(const char* right, const char* object, const char* role) {
  run_text(psprintf("GRANT %s ON %s TO %s", right, object, quote_identifier(role)), SPI_OK_UTILITY);
}

struct Readers {
  int count;
  Oid* role;
  const char** name;
};

Readers readers_in(ArrayType* roles) {
  Readers readers = {};
  if (roles == NULL) return readers;
  Datum* role;
  bool* missing;
  deconstruct_array(roles, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &role, &missing,
                    &readers.count);
  readers.role = (Oid*)palloc(sizeof(Oid) * (readers.count + 1));
  readers.name = (const char**)palloc(sizeof(char*) * (readers.count + 1));
  for (int i = 0; i < readers.count; i++) {
    readers.name[i] = missing[i] ? "" : NameStr(*DatumGetName(role[i]));
    readers.role[i] = get_role_oid(readers.name[i], true);
    if (!OidIsValid(readers.role[i])) {
      refuse_argument("a role of grant_to does not exist", "Results are shared with roles.",
                      "Name existing roles: grant_to => '{ana,bob}'.");
    }
  }
  return readers;
}

void grant_schema(Oid schema, const Readers& readers) {
  for (int i = 0; i < readers.count; i++) {
    if (may_use_schema(schema, readers.role[i])) continue;
    grant("USAGE", psprintf("SCHEMA %s", quote_identifier(get_namespace_name(schema))),
          readers.name[i]);
    if (may_use_schema(schema, readers.role[i])) continue;
    refuse(ERRCODE_INSUFFICIENT_PRIVILEGE,
           psprintf("role \"%s\" may not use schema \"%s\"", readers.name[i],
                    get_namespace_name(schema)),
           "You may not let others into that schema.",
           "Ask its owner, or store the rows in a schema of your own.");
  }
}

// Quoted, in the schema that it gets.
const char* place_view(const char* latest, Oid* schema) {
  RangeVar* name = table_name("latest", latest);
  *schema = RangeVarGetCreationNamespace(name);
  if (isAnyTempNamespace(*schema)) {
    refuse_argument("the view of the latest period is temporary",
                    psprintf("latest is \"%s\".", quoted_prefix(latest)),
                    "Name a view of another schema.");
  }
  return quote_qualified_identifier(get_namespace_name(*schema), name->relname);
}

}  // namespace

void share_results(const Schedule* schedule, ArrayType* roles, const char* latest) {
  if (roles == NULL && latest == NULL) return;
  if (schedule->result_table == NULL) {
    refuse_argument("grant_to and latest are for schedules that store rows",
                    "A model is in dpmix.releases, for all who have access to the table.",
                    "Leave them out.");
  }
  const Readers readers = readers_in(roles);
  const char* table = result_name(schedule);
  SPI_connect();
  grant_schema(get_namespace_oid(schedule->result_schema, false), readers);
  for (int i = 0; i < readers.count; i++) grant("SELECT", table, readers.name[i]);
  if (latest != NULL) {
    Oid schema;
    const char* view = place_view(latest, &schema);
    run_text(psprintf("CREATE OR REPLACE VIEW %s AS SELECT * FROM %s WHERE due = "
                      "(SELECT max(r.due) FROM %s r)",
                      view, table, table),
             SPI_OK_UTILITY);
    grant_schema(schema, readers);
    for (int i = 0; i < readers.count; i++) grant("SELECT", view, readers.name[i]);
  }
  SPI_finish();
}

}  // namespace dpmix::pg
