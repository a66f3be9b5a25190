// Where this ledger lives, and whether it still is where it was stamped.
#include <fcntl.h>
#include <sys/stat.h>

#include "pg/ledger/stamp.hpp"

#include "pg/catalog/protected_table.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "storage/fd.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// Stamps of earlier versions have no control_birth, nor has their table until ALTER EXTENSION
// UPDATE.
Statement newest_stamp = {
    "SELECT system_identifier::text, timeline, database, control_inode::text, machine_id, "
    "       to_jsonb(s) ->> 'control_birth', to_jsonb(s) ->> 'record' "
    "FROM dpmix.ledger_stamp s ORDER BY id DESC LIMIT 1",
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

Statement insert_full_stamp = {
    "INSERT INTO dpmix.ledger_stamp (at, role, reason, system_identifier, timeline, database, "
    "  control_inode, machine_id, control_birth, record) "
    "VALUES (clock_timestamp(), $1, $2, $3::numeric, $4, $5, $6::numeric, $7, "
    "  nullif($8, '0')::numeric, $9)",
    9,
    {NAMEOID, TEXTOID, TEXTOID, INT8OID, OIDOID, TEXTOID, TEXTOID, TEXTOID, OIDOID},
    NULL};

void read_machine_id(char* id, Size size) {
  id[0] = '\0';
  FILE* file = AllocateFile("/etc/machine-id", "r");
  if (file == NULL) return;
  if (fgets(id, size, file) == NULL) id[0] = '\0';
  FreeFile(file);
  id[strcspn(id, "\n")] = '\0';
}

uint64 birth_of(const char* path) {
#ifdef STATX_BTIME
  struct statx file;
  if (statx(AT_FDCWD, path, 0, STATX_BTIME, &file) == 0 && (file.stx_mask & STATX_BTIME)) {
    return (uint64)file.stx_btime.tv_sec * 1000000000 + file.stx_btime.tv_nsec;
  }
#endif
  return 0;
}

bool stamps_are_full() {
  return get_attnum(catalog_table("ledger_stamp"), "record") != InvalidAttrNumber;
}

// Where one of them does not know, they do not differ.
bool agree(uint64 a, uint64 b) {
  return a == b || a == 0 || b == 0;
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
  stamp.control_birth = birth_of("global/pg_control");
  stamp.record = catalog_table("charge");
  read_machine_id(stamp.machine_id, sizeof stamp.machine_id);
  return stamp;
}

bool operator==(const LedgerStamp& a, const LedgerStamp& b) {
  return a.system_identifier == b.system_identifier && a.timeline == b.timeline &&
         a.database == b.database && a.control_inode == b.control_inode &&
         agree(a.control_birth, b.control_birth) && agree(a.record, b.record) &&
         strcmp(a.machine_id, b.machine_id) == 0;
}

bool read_stamp(LedgerStamp* stamp) {
  if (read_rows(newest_stamp, NULL) == 0) return false;
  bool null;
  stamp->system_identifier = strtoull(result_text(0, 1), NULL, 10);
  stamp->timeline = (uint32)DatumGetInt64(result_datum(0, 2, &null));
  stamp->database = DatumGetObjectId(result_datum(0, 3, &null));
  stamp->control_inode = strtoull(result_text(0, 4), NULL, 10);
  const char* birth = result_text(0, 6);
  stamp->control_birth = birth == NULL ? 0 : strtoull(birth, NULL, 10);
  const char* record = result_text(0, 7);
  stamp->record = record == NULL ? InvalidOid : (Oid)strtoul(record, NULL, 10);
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
                    CStringGetTextDatum(stamp.machine_id),
                    CStringGetTextDatum(psprintf(UINT64_FORMAT, stamp.control_birth)),
                    ObjectIdGetDatum(stamp.record)};
  write_rows(stamps_are_full() ? insert_full_stamp : insert_stamp, values);
}

StampCheck check_stamp(const char* role, const char* reason) {
  LedgerStamp here = current_stamp(), recorded = {};
  bool stamped = read_stamp(&recorded);
  if (stamped && !(recorded == here)) return StampCheck::elsewhere;
  bool learned = (recorded.control_birth == 0 && here.control_birth != 0) || recorded.record == 0;
  if (stamped && !(learned && stamps_are_full())) return StampCheck::ours;
  write_stamp(here, role, stamped ? "the same place, known more closely" : reason);
  return StampCheck::written;
}

}  // namespace dpmix::pg
