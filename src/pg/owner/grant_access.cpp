// grant_access, revoke_access: who else may spend a table's budget.
#include "pg/border/guard.hpp"
#include "pg/owner/owned.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "storage/lmgr.h"
#include "utils/acl.h"

PG_FUNCTION_INFO_V1(dpmix_grant_access);
PG_FUNCTION_INFO_V1(dpmix_revoke_access);
}

namespace dpmix::pg {
namespace {

Statement upsert_grant = {
    "INSERT INTO dpmix.access (table_id, role, role_oid, epsilon) VALUES ($1, $2, $3, $4::numeric) "
    "ON CONFLICT (table_id, role) "
    "DO UPDATE SET role_oid = excluded.role_oid, epsilon = excluded.epsilon",
    4,
    {INT8OID, NAMEOID, OIDOID, TEXTOID},
    NULL};

Statement delete_grant = {
    "DELETE FROM dpmix.access WHERE table_id = $1 AND role = $2", 2, {INT8OID, NAMEOID}, NULL};

struct Grant {
  int64 table_id;
  NameData role;
  Oid role_oid;
  const char* epsilon;  // the cap, printed; NULL: none but the budget
  bool found;
};

Grant open_grant(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, 2);
  Grant grant = {};
  grant.table_id = open_owned(PG_GETARG_OID(0), ShareUpdateExclusiveLock)->id;
  grant.role_oid = PG_GETARG_OID(1);
  char* role = GetUserNameFromId(grant.role_oid, true);
  if (role == NULL) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("role %u does not exist", grant.role_oid),
                    errdetail("Access is given to roles."), errhint("Name an existing role.")));
  }
  namestrcpy(&grant.role, role);
  return grant;
}

void record_grant(void* arg) {
  Grant* grant = (Grant*)arg;
  Datum values[] = {Int64GetDatum(grant->table_id), NameGetDatum(&grant->role),
                    ObjectIdGetDatum(grant->role_oid),
                    grant->epsilon ? CStringGetTextDatum(grant->epsilon) : (Datum)0};
  const char nulls[] = {' ', ' ', ' ', grant->epsilon ? ' ' : 'n'};
  write_rows(upsert_grant, values, nulls);
}

void remove_grant(void* arg) {
  Grant* grant = (Grant*)arg;
  Datum values[] = {Int64GetDatum(grant->table_id), NameGetDatum(&grant->role)};
  grant->found = write_rows(delete_grant, values) > 0;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_grant_access(PG_FUNCTION_ARGS) {
  Grant grant = open_grant(fcinfo);
  if (!PG_ARGISNULL(2)) {
    require_epsilon(PG_GETARG_FLOAT8(2));
    grant.epsilon = printed_decimal(PG_GETARG_FLOAT8(2));
  }
  as_catalog_owner(record_grant, &grant);
  PG_RETURN_VOID();
}

Datum dpmix_revoke_access(PG_FUNCTION_ARGS) {
  Grant grant = open_grant(fcinfo);
  as_catalog_owner(remove_grant, &grant);
  if (!grant.found) {
    ereport(NOTICE, (errmsg("role \"%s\" had no access of its own", NameStr(grant.role))));
  }
  PG_RETURN_VOID();
}
