// adopt_ledger(): the database owner's word that this copy of the ledger is the one that goes on,
// in the name of all owners of protected tables, whose budgets a second copy would spend again.
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/catalog/tree_locks.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/stamp.hpp"
#include "pg/owner/arrivals.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/owner/facades.hpp"
#include "pg/owner/follow_links.hpp"
#include "pg/owner/names.hpp"
#include "pg/owner/nesting.hpp"
#include "pg/owner/owned.hpp"
#include "pg/owner/public_table.hpp"
#include "pg/process/release.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_database.h"
#include "commands/dbcommands.h"
#include "utils/acl.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dpmix_adopt_ledger);
}

namespace dpmix::pg {
namespace {

Statement lost_tables = {
    "SELECT string_agg(format('%I.%I', schema_name, table_name), ', ' ORDER BY id) "
    "FROM dpmix.protected_table "
    "WHERE active AND to_regclass(format('%I.%I', schema_name, table_name)) IS NULL"};

// What a dump keeps is names; here they find their objects again. A table that is gone leaves its
// record vacant. $1: identifiers are still the ledger's own, so that another one is another table,
// which takes a vacant name.
Statement adopt_tables = {
    "UPDATE dpmix.protected_table p SET relation = f.found, active = p.active AND f.found <> 0, "
    "  waiting = p.waiting OR p.active AND f.found = 0 "
    "FROM (SELECT q.id, coalesce(c.oid, 0) AS found FROM dpmix.protected_table q "
    "      LEFT JOIN pg_class c "
    "        ON c.oid = to_regclass(format('%I.%I', q.schema_name, q.table_name)) "
    "        AND (NOT $1 OR c.oid = q.relation) "
    "      WHERE q.relation <> 0) f WHERE f.id = p.id"};

Statement adopt_columns = {
    "UPDATE dpmix.column_domain d SET attnum = a.attnum "
    "FROM dpmix.protected_table p JOIN pg_attribute a ON a.attrelid = p.relation "
    "WHERE p.id = d.table_id AND a.attname = d.column_name AND a.attnum > 0"};

// A step that the other copy made, and that is not here, would be drawn anew: no more are made.
Statement end_counters = {
    "UPDATE dpmix.counter c SET steps = s.made "
    "FROM (SELECT counter_id, max(step) AS made FROM dpmix.counter_step GROUP BY 1) s "
    "WHERE s.counter_id = c.id"};

Statement adopted_tables = {
    "SELECT format('%I.%I', p.schema_name, p.table_name), coalesce(c.relowner, r.oid), r.oid "
    "FROM dpmix.protected_table p LEFT JOIN pg_class c ON c.oid = p.relation "
    "LEFT JOIN dpmix_internal.bound_role r ON r.number = p.owner "
    "WHERE (p.active OR p.waiting) AND coalesce(c.relowner, r.oid) IS NOT NULL ORDER BY p.id"};

// What is there, and whether the identities of charges had come further. A crash skips up to 32.
Statement inventory = {
    "SELECT count(*), coalesce(max(g.id), 0), "
    "       (SELECT last_value FROM dpmix.charge_id_seq) - 32 > coalesce(max(g.id), 0) "
    "FROM dpmix.charge g"};

struct Adoption {
  const char* lost;   // tables that are not here, or NULL
  const char* roles;  // that were bound by name, or NULL
  int64 charges, newest;
  bool incomplete;
};

void take_inventory(Adoption* adoption) {
  (void)read_rows(inventory);
  const ResultRow row;
  adoption->charges = row.int8(1);
  adoption->newest = row.int8(2);
  adoption->incomplete = row.truth(3);
}

// Requires the rights of the owners of the tables that were found here, whose rows the budgets are
// for; and of the owners of their records, if these are here, who may bring a table under a vacant
// name.
void require_owners(Oid role) {
  const uint64 count = read_rows(adopted_tables);
  for (uint64 i = 0; i < count; i++) {
    const ResultRow row{i};
    const Oid table_owner = row.oid(2), record_owner = row.oid(3);
    const bool owns_record = !OidIsValid(record_owner) || has_privs_of_role(role, record_owner);
    if (owns_record && has_privs_of_role(role, table_owner)) continue;
    const char* owner = GetUserNameFromId(owns_record ? table_owner : record_owner, true);
    refuse(ERRCODE_INSUFFICIENT_PRIVILEGE,
           psprintf("you may not adopt the ledger of %s", row.text(1)),
           psprintf("Its owner is role \"%s\"; each copy of a database that is adopted has the "
                    "table's budget to spend again.",
                    owner != NULL ? owner : "?"),
           "A superuser adopts it, or the database's owner once it is a member of the roles that "
           "own protected tables.");
  }
}

void adopt_rows(Oid user, const char* reason, Adoption* adoption) {
  LedgerStamp here = current_stamp(), recorded = {};
  const bool stamped = read_stamp(&recorded);
  const bool same_tables = stamped && recorded.system_identifier == here.system_identifier &&
                           recorded.database == here.database && recorded.record == here.record;
  adoption->roles = adopt_role_numbers();
  if (same_tables) {
    follow_unseen_names();
  } else {
    adopt_departed_tables();
    end_vacant_links();
  }
  if (read_rows(lost_tables) > 0) adoption->lost = ResultRow{}.text(1);
  (void)write_rows(adopt_tables, {same_tables});
  (void)write_rows(adopt_columns);
  adopt_blocks();
  adopt_links(same_tables);
  (void)write_rows(end_counters);
  require_owners(user);
  follow_owners();
  adopt_public_tables();
  adopt_facades();
  lock_all_trees();
  refuse_nesting();
  take_inventory(adoption);
  write_stamp(here, GetUserNameFromId(user, false), reason);
}

bool owns_database() {
  HeapTuple tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
  if (!HeapTupleIsValid(tuple)) return false;
  Oid owner = ((Form_pg_database)GETSTRUCT(tuple))->datdba;
  ReleaseSysCache(tuple);
  return has_privs_of_role(GetUserId(), owner);
}

void announce(const Adoption* adoption) {
  ereport(NOTICE,
          (errmsg("the ledger goes on here with " INT64_FORMAT " charges", adoption->charges)));
  if (adoption->roles != NULL) {
    ereport(NOTICE, (errmsg("roles of the record are those of the same names here"),
                     errdetail("%s.", adoption->roles),
                     errhint("A role that is not here, and one that had the name before the last, "
                             "is nobody: what was theirs is read by owners and auditors alone.")));
  }
  if (adoption->incomplete) {
    ereport(WARNING,
            (errmsg("charges seem to be missing"),
             errdetail("The newest has id " INT64_FORMAT ", but higher ids were given out.",
                       adoption->newest),
             errhint("Look whether all rows of dpmix.charge were restored; if not, lower the "
                     "budgets with dpmix.set_budget().")));
  }
  if (adoption->lost != NULL) {
    ereport(WARNING,
            (errmsg("protected tables are not here: %s", adoption->lost),
             errdetail("Their names are vacant."),
             errhint("A table of the same owner and name is protected as the one before it was.")));
  }
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_adopt_ledger(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  const char* reason = require_reason(fcinfo, 0);
  const Oid user = GetUserId();
  if (!owns_database()) {
    aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_DATABASE, get_database_name(MyDatabaseId));
  }
  require_primary();
  Adoption adoption = {};
  as_catalog_owner([&] { adopt_rows(user, reason, &adoption); });
  announce(&adoption);
  attach_all();
  PG_RETURN_VOID();
}
