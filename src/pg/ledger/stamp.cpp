// Where this ledger lives, and whether it still is where it was stamped.
#include <fcntl.h>
#include <sys/stat.h>

#include "pg/ledger/stamp.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"

extern "C" {
#include "access/xlog.h"
#include "storage/fd.h"
}

namespace dpmix::pg {
namespace {

Statement newest_stamp = {
    "SELECT system_identifier::text, timeline, database, control_inode::text, machine_id, "
    "       control_birth::text, record "
    "FROM dpmix.ledger_stamp ORDER BY id DESC LIMIT 1"};

Statement insert_stamp = {
    "INSERT INTO dpmix.ledger_stamp (at, role, reason, system_identifier, timeline, database, "
    "  control_inode, machine_id, control_birth, record) "
    "VALUES (clock_timestamp(), $1, $2, $3::numeric, $4, $5, $6::numeric, $7, "
    "  nullif($8, '0')::numeric, $9)"};

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

// Where one of them does not know, they do not differ.
bool agree_if_known(uint64 a, uint64 b) {
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
         agree_if_known(a.control_birth, b.control_birth) && a.record == b.record &&
         strcmp(a.machine_id, b.machine_id) == 0;
}

bool read_stamp(LedgerStamp* stamp) {
  if (read_rows(newest_stamp) == 0) return false;
  const ResultRow row;
  const auto number = [&row](int column) -> uint64 {
    return row.is_null(column) ? 0 : strtoull(row.text(column), NULL, 10);
  };
  stamp->system_identifier = number(1);
  stamp->timeline = (uint32)row.int8(2);
  stamp->database = row.oid(3);
  stamp->control_inode = number(4);
  stamp->control_birth = number(6);
  stamp->record = row.oid(7);
  strlcpy(stamp->machine_id, row.text(5), sizeof stamp->machine_id);
  return true;
}

void write_stamp(const LedgerStamp& stamp, const char* role, const char* reason) {
  const auto printed = [](uint64 number) { return psprintf(UINT64_FORMAT, number); };
  (void)write_rows(insert_stamp,
                   {name_value(role), reason, printed(stamp.system_identifier),
                    (int64)stamp.timeline, stamp.database, printed(stamp.control_inode),
                    stamp.machine_id, printed(stamp.control_birth), stamp.record});
}

StampCheck check_stamp(const char* role, const char* reason) {
  LedgerStamp here = current_stamp(), recorded = {};
  const bool stamped = read_stamp(&recorded);
  if (stamped && !(recorded == here)) return StampCheck::elsewhere;
  const bool learned = recorded.control_birth == 0 && here.control_birth != 0;
  if (stamped && !learned) return StampCheck::ours;
  write_stamp(here, role, stamped ? "the same place, known more closely" : reason);
  return StampCheck::written;
}

}  // namespace dpmix::pg
