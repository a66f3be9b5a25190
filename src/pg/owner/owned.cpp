#include "pg/owner/owned.hpp"

#include "core/accounting/decimal.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/calibration.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/process/release.hpp"

extern "C" {
#include "catalog/objectaddress.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

const char* require_reason(FunctionCallInfo fcinfo, int argument) {
  const char* reason = text_to_cstring(PG_GETARG_TEXT_PP(argument));
  if (reason[strspn(reason, " \t\n")] == '\0') {
    refuse_argument("a reason is missing", "The reason stays on record with who acted and when.",
                    "Say in a few words why.");
  }
  return reason;
}

void lock_owned(Oid relation, LOCKMODE mode) {
  require_primary();
  for (int round = 0; round < 2; round++) {  // again under the lock: the owner may have changed
    const Oid owner = relation_owner(relation);
    if (!OidIsValid(owner)) {
      refuse(ErrorCode::not_protected, psprintf("table %u does not exist", relation),
             "Only an existing table has a budget.", "Name an existing table.");
    }
    if (!has_privs_of_role(GetUserId(), owner)) {
      aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)),
                     get_rel_name(relation));
    }
    if (round == 0) LockRelationOid(relation, mode);
  }
}

CatalogRow* open_owned(Oid relation, LOCKMODE mode) {
  lock_owned(relation, mode);
  CatalogRow* row = find_catalog_row(relation);
  if (row != NULL && row->waiting && OidIsValid(row->owner) &&
      has_privs_of_role(GetUserId(), row->owner)) {
    refuse_vacant(qualified_name(relation), true);
  }
  if (row == NULL || !row->active) {
    refuse(ErrorCode::not_protected,
           psprintf("table %s is not protected", qualified_name(relation)),
           "Only protected tables have a budget, domains and grants.",
           "Protect it with dpmix.protect().");
  }
  return row;
}

const char* require_role(Oid role, const char* detail) {
  const char* name = GetUserNameFromId(role, true);
  if (name != NULL) return name;
  refuse_argument(psprintf("role %u does not exist", role), detail, "Name an existing role.");
}

void require_budget(double epsilon, double delta, const char* accountant) {
  guard([&] { check_epsilon_delta(epsilon, delta); });
  if (delta == .5) {
    refuse_argument("delta out of range", "delta is 0.5; a budget has less.",
                    "Choose delta well below one over the number of units.");
  }
  if (delta == 0 && strcmp(accountant, "basic") != 0) {
    refuse_argument(psprintf("accountant '%s' needs delta above 0", accountant),
                    "delta is 0; what it adds up bounds epsilon only at some delta.",
                    "State a delta such as 1e-6, or accountant => 'basic'.");
  }
}

char* printed_decimal(double value) {
  // value + 0.0: the minus sign of -0.0 is no part of a budget.
  return guard([&] { return c_string_of(Decimal::printed(value + 0.0).str()); });
}

}  // namespace dpmix::pg
