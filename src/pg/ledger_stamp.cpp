// The stamp, and adopt_ledger(): the owner's word that this copy is the one that goes on.
#include <sys/stat.h>

#include "pg/ledger_stamp.hpp"

#include "pg/guard.hpp"
#include "pg/owned.hpp"
#include "pg/statement.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/xlog.h"
#include "catalog/pg_database.h"
#include "commands/dbcommands.h"
#include "storage/fd.h"
#include "utils/acl.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dpmix_adopt_ledger);
}

namespace dpmix::pg {
namespace {

Statement newest_stamp = {
    "SELECT system_identifier::text, timeline, database, control_inode::text, machine_id "
    "FROM dpmix.ledger_stamp ORDER BY id DESC LIMIT 1",
    0,
    {},
    NULL};

Statement insert_stamp = {
    "INSERT INTO dpmix.ledger_stamp (at, role, reason, system_identifier, timeline, database, "
    "  control_inode, machine_id) "
    "VALUES (clock_timestamp(), $1, $2, $3::numeric, $4, $5, $6::numeric, $7)",
    7,
    {NAMEOID, TEXTOID, TEXTOID, INT8OID, OIDOID, TEXTOID, TEXTOID},
    NULL};

// What a dump keeps is names; here they find their objects again. A table that is gone leaves its
// record, whose charges a later protect() resumes.
Statement adopt_tables = {
    "UPDATE dpmix.protected_table p SET "
    "  relation = coalesce(to_regclass(format('%I.%I', schema_name, table_name))::oid, 0), "
    "  active = active AND to_regclass(format('%I.%I', schema_name, table_name)) IS NOT NULL",
    0,
    {},
    NULL};

Statement adopt_columns = {
    "UPDATE dpmix.column_domain d SET attnum = a.attnum "
    "FROM dpmix.protected_table p JOIN pg_attribute a ON a.attrelid = p.relation "
    "WHERE p.id = d.table_id AND a.attname = d.column_name AND a.attnum > 0",
    0,
    {},
    NULL};

Statement adopt_grants = {
    "UPDATE dpmix.access a SET role_oid = coalesce((SELECT oid FROM pg_roles WHERE rolname = "
    "a.role), 0)",
    0,
    {},
    NULL};

void read_machine_id(char* id, Size size) {
  id[0] = '\0';
  FILE* file = AllocateFile("/etc/machine-id", "r");
  if (file == NULL) return;
  if (fgets(id, size, file) == NULL) id[0] = '\0';
  FreeFile(file);
  id[strcspn(id, "\n")] = '\0';
}

struct Adoption {
  const char* reason;
  const char* role;
};

void adopt(void* arg) {
  const Adoption* adoption = (const Adoption*)arg;
  write_rows(adopt_tables, NULL);
  write_rows(adopt_columns, NULL);
  write_rows(adopt_grants, NULL);
  write_stamp(current_stamp(), adoption->role, adoption->reason);
}

bool owns_database() {
  HeapTuple tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
  if (!HeapTupleIsValid(tuple)) return false;
  Oid owner = ((Form_pg_database)GETSTRUCT(tuple))->datdba;
  ReleaseSysCache(tuple);
  return has_privs_of_role(GetUserId(), owner);
}

}  // namespace

LedgerStamp current_stamp() {
  LedgerStamp stamp = {};
  stamp.system_identifier = GetSystemIdentifier();
  stamp.timeline = GetWALInsertionTimeLine();
  stamp.database = MyDatabaseId;
  struct stat control;
  if (stat("global/pg_control", &control) != 0) {
    ereport(ERROR, (errcode_for_file_access(), errmsg("could not stat \"global/pg_control\": %m")));
  }
  stamp.control_inode = control.st_ino;
  read_machine_id(stamp.machine_id, sizeof stamp.machine_id);
  return stamp;
}

bool operator==(const LedgerStamp& a, const LedgerStamp& b) {
  return a.system_identifier == b.system_identifier && a.timeline == b.timeline &&
         a.database == b.database && a.control_inode == b.control_inode &&
         strcmp(a.machine_id, b.machine_id) == 0;
}

bool read_stamp(LedgerStamp* stamp) {
  if (read_rows(newest_stamp, NULL) == 0) return false;
  bool null;
  stamp->system_identifier = strtoull(result_text(0, 1), NULL, 10);
  stamp->timeline = (uint32)DatumGetInt64(result_datum(0, 2, &null));
  stamp->database = DatumGetObjectId(result_datum(0, 3, &null));
  stamp->control_inode = strtoull(result_text(0, 4), NULL, 10);
  strlcpy(stamp->machine_id, result_text(0, 5), sizeof stamp->machine_id);
  return true;
}

void write_stamp(const LedgerStamp& stamp, const char* role, const char* reason) {
  NameData role_name;
  namestrcpy(&role_name, role);
  Datum values[] = {NameGetDatum(&role_name),
                    CStringGetTextDatum(reason),
                    CStringGetTextDatum(psprintf(UINT64_FORMAT, stamp.system_identifier)),
                    Int64GetDatum(stamp.timeline),
                    ObjectIdGetDatum(stamp.database),
                    CStringGetTextDatum(psprintf(UINT64_FORMAT, stamp.control_inode)),
                    CStringGetTextDatum(stamp.machine_id)};
  write_rows(insert_stamp, values);
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_adopt_ledger(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  Adoption adoption = {require_reason(fcinfo, 0), GetUserNameFromId(GetUserId(), false)};
  if (!owns_database()) {
    aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_DATABASE, get_database_name(MyDatabaseId));
  }
  as_catalog_owner(adopt, &adoption);
  PG_RETURN_VOID();
}
