// grant_access, revoke_access: who else may spend a table's budget. grant_audit, revoke_audit: who
// else may read its record.
#include "core/base/refuse_parameter.hpp"
#include "core/noise/calibration.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/owner/facades.hpp"
#include "pg/owner/grant_view.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_grant_access);
PG_FUNCTION_INFO_V1(dpmix_revoke_access);
PG_FUNCTION_INFO_V1(dpmix_grant_audit);
PG_FUNCTION_INFO_V1(dpmix_revoke_audit);
}

namespace dpmix::pg {
namespace {

Statement update_grant = {
    "UPDATE dpmix.access SET epsilon = $3::numeric, min_epsilon = $4::numeric, "
    "  max_charges_per_minute = $5, share = $6::numeric, confined = false "
    "WHERE table_id = $1 AND role = " DPMIX_NUMBERS_OF("$2")};

Statement insert_grant = {
    "INSERT INTO dpmix.access "
    "  (table_id, role, epsilon, min_epsilon, max_charges_per_minute, share) "
    "VALUES ($1, $2, $3::numeric, $4::numeric, $5, $6::numeric)"};

Statement delete_grant = {
    "DELETE FROM dpmix.access WHERE table_id = $1 AND role = " DPMIX_NUMBERS_OF("$2")};

Statement forget_views = {
    "DELETE FROM dpmix.granted_view WHERE table_id = $1 AND role = " DPMIX_NUMBERS_OF("$2")};

Statement insert_auditor = {
    "INSERT INTO dpmix.auditor (table_id, role) VALUES ($1, $2) ON CONFLICT DO NOTHING"};

Statement delete_auditor = {
    "DELETE FROM dpmix.auditor WHERE table_id = $1 AND role = " DPMIX_NUMBERS_OF("$2")};

struct Grant {  // the table is locked against other grants
  int64 table_id;
  Oid role;
  const char* name;
};

Grant open_grant(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, 2);
  const int64 table_id = open_owned(PG_GETARG_OID(0), ShareUpdateExclusiveLock)->id;
  const Oid role = PG_GETARG_OID(1);
  return {table_id, role, require_role(role, "Access is given to roles.")};
}

constexpr int kMostPerMinute = 1000000;

const char* least_epsilon(FunctionCallInfo fcinfo, int argument) {  // NULL: any
  if (PG_ARGISNULL(argument)) return "0";
  const double least = PG_GETARG_FLOAT8(argument);
  if (!(least >= 0 && least <= 1e7)) {
    refuse_argument("min_epsilon out of range", psprintf("min_epsilon is %g.", least),
                    "It may be 0 to 1e7; 0 allows every epsilon.");
  }
  return printed_decimal(least);
}

const char* share_of_budget(FunctionCallInfo fcinfo, int argument) {  // NULL: any
  if (PG_ARGISNULL(argument)) return NULL;
  const double share = PG_GETARG_FLOAT8(argument);
  if (!(share > 0 && share <= 1)) {
    refuse_argument("share out of range", psprintf("share is %g.", share),
                    "It is a part of the budget, above 0, at most 1; NULL is no limit.");
  }
  return printed_decimal(share);
}

Value charges_per_minute(FunctionCallInfo fcinfo, int argument) {  // NULL: any number
  if (PG_ARGISNULL(argument)) return value_if(false, 0);
  const int most = PG_GETARG_INT32(argument);
  require_range(fcinfo, argument, most, 1, kMostPerMinute, "NULL allows any number.");
  return most;
}

GrantTerms terms_of(FunctionCallInfo fcinfo) {
  const char* epsilon = NULL;  // the cap; NULL: none but the budget
  if (!PG_ARGISNULL(2)) {
    guard([&] { check_epsilon_delta(PG_GETARG_FLOAT8(2), 0); });
    epsilon = printed_decimal(PG_GETARG_FLOAT8(2));
  }
  return {epsilon, least_epsilon(fcinfo, 3), charges_per_minute(fcinfo, 4),
          share_of_budget(fcinfo, 5)};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_grant_access(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const Oid relation = PG_GETARG_OID(0);
  const List* below = tables_below(relation);
  if (below != NIL) {
    const Oid role = PG_GETARG_OID(1);
    (void)require_role(role, "Access is given to roles.");
    grant_view(relation, below, role, terms_of(fcinfo));
    PG_RETURN_VOID();
  }
  const Grant grant = open_grant(fcinfo);
  const GrantTerms terms = terms_of(fcinfo);
  FacadeViews views = {};
  as_catalog_owner([&] {
    if (write_rows(update_grant, {grant.table_id, grant.role, terms.epsilon, terms.least,
                                  terms.most, terms.share}) == 0) {
      (void)write_rows(insert_grant, {grant.table_id, role_number(grant.role), terms.epsilon,
                                      terms.least, terms.most, terms.share});
    }
    (void)write_rows(forget_views, {grant.table_id, grant.role});
    views = facades_of_table(grant.table_id);
  });
  show_facades(views, grant.role);
  PG_RETURN_VOID();
}

Datum dpmix_revoke_access(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  if (tables_below(PG_GETARG_OID(0)) != NIL) {
    const char* name = require_role(PG_GETARG_OID(1), "Access is given to roles.");
    if (!revoke_view(PG_GETARG_OID(0), PG_GETARG_OID(1))) {
      ereport(NOTICE, (errmsg("role \"%s\" had no access of its own", name)));
    }
    PG_RETURN_VOID();
  }
  const Grant grant = open_grant(fcinfo);
  bool found = false;
  FacadeViews views = {};
  as_catalog_owner([&] {
    found = write_rows(delete_grant, {grant.table_id, grant.role}) > 0;
    (void)write_rows(forget_views, {grant.table_id, grant.role});
    views = facades_of_table(grant.table_id);
  });
  conceal_facades(views, grant.role);
  if (!found) ereport(NOTICE, (errmsg("role \"%s\" had no access of its own", grant.name)));
  PG_RETURN_VOID();
}

Datum dpmix_grant_audit(PG_FUNCTION_ARGS) {
  const Grant grant = open_grant(fcinfo);
  as_catalog_owner([&] {
    (void)write_rows(insert_auditor, {grant.table_id, role_number(grant.role)});
  });
  PG_RETURN_VOID();
}

Datum dpmix_revoke_audit(PG_FUNCTION_ARGS) {
  const Grant grant = open_grant(fcinfo);
  bool found = false;
  as_catalog_owner([&] { found = write_rows(delete_auditor, {grant.table_id, grant.role}) > 0; });
  if (!found) ereport(NOTICE, (errmsg("role \"%s\" did not audit this table", grant.name)));
  PG_RETURN_VOID();
}
