#include "core/accounting/decimal.hpp"
#include "pg/owner/owned.hpp"
#include "pg/catalog/protected_table.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/charge.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {
namespace {

constexpr double kLeastEpsilon = 1e-6, kMostEpsilon = 1e7, kDeltaBelow = .5;

}  // namespace

void require_arguments(FunctionCallInfo fcinfo, int count) {
  for (int i = 0; i < count; i++) {
    if (!PG_ARGISNULL(i)) continue;
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("argument %d of dpmix.%s must not be NULL", i + 1,
                           get_func_name(fcinfo->flinfo->fn_oid)),
                    errdetail("NULL has no meaning there."), errhint("State a value.")));
  }
}

char* require_reason(FunctionCallInfo fcinfo, int argument) {
  char* reason = text_to_cstring(PG_GETARG_TEXT_PP(argument));
  if (reason[strspn(reason, " \t\n")] == '\0') {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("a reason is missing"),
                    errdetail("The reason stays on record with who acted and when."),
                    errhint("Say in a few words why.")));
  }
  return reason;
}

void lock_owned(Oid relation, LOCKMODE mode) {
  require_primary();
  for (int round = 0; round < 2; round++) {  // again under the lock: the owner may have changed
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
    if (!HeapTupleIsValid(tuple)) {
      ereport(
          ERROR,
          (errcode(DPMIX_SQLSTATE(not_protected)), errmsg("table %u does not exist", relation),
           errdetail("Only an existing table has a budget."), errhint("Name an existing table.")));
    }
    Oid owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
    char kind = ((Form_pg_class)GETSTRUCT(tuple))->relkind;
    ReleaseSysCache(tuple);
    if (!has_privs_of_role(GetUserId(), owner)) {
      aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(kind), get_rel_name(relation));
    }
    if (round == 0) LockRelationOid(relation, mode);
  }
}

CatalogRow* open_owned(Oid relation, LOCKMODE mode) {
  lock_owned(relation, mode);
  CatalogRow* row = look_up_catalog_row(relation);
  if (row == NULL || !row->active) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(not_protected)),
                    errmsg("table %s is not protected", qualified_name(relation)),
                    errdetail("Only protected tables have a budget, domains and grants."),
                    errhint("Protect it with dpmix.protect().")));
  }
  return row;
}

void require_epsilon(double epsilon) {
  if (epsilon >= kLeastEpsilon && epsilon <= kMostEpsilon) return;
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("epsilon is out of range"),
                  errdetail("epsilon is %g; valid values are %g to %g.", epsilon, kLeastEpsilon,
                            kMostEpsilon),
                  errhint("A usual budget lies between 0.1 and 10.")));
}

void require_budget(double epsilon, double delta, const char* accountant) {
  require_epsilon(epsilon);
  if (!(delta >= 0 && delta < kDeltaBelow)) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("delta is out of range"),
                    errdetail("delta is %g; valid values are 0 to below %g.", delta, kDeltaBelow),
                    errhint("Choose delta well below one over the number of units.")));
  }
  if (delta == 0 && strcmp(accountant, "basic") != 0) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("accountant '%s' needs delta above 0", accountant),
                    errdetail("delta is 0; what it adds up bounds epsilon only at some delta."),
                    errhint("State a delta such as 1e-6, or accountant => 'basic'.")));
  }
}

char* printed_decimal(double value) {
  char* printed = NULL;
  guard([&] {
    // value + 0.0: the minus sign of -0.0 is no part of a budget.
    const std::string digits = Decimal::printed(value + 0.0).str();
    const char* text = digits.c_str();
    postgres([&] { printed = pstrdup(text); });
  });
  return printed;
}

bool lock_protection(int64 id, LOCKMODE mode, bool wait) {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, MyDatabaseId, catalog_table("protected_table"), (Oid)id, 0);
  return LockAcquire(&tag, mode, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

void lock_trees(LOCKMODE mode) {
  constexpr int64 kNoTable = 0;  // identities begin at 1
  lock_protection(kNoTable, mode, true);
}

}  // namespace dpmix::pg
