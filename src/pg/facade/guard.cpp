#include "pg/facade/guard.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/facade/preload.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/plancache.h"

PG_FUNCTION_INFO_V1(dpmix_facade_guard);
}

namespace dpmix::pg {
namespace {

Statement find_facade = {
    "SELECT format('%I.%I', f.schema_name, f.view_name), v.oid, p.relation, p.active, c.oid, "
    "p.waiting, quote_ident(f.of_schema) || '.' || quote_ident(f.of_view), "
    "f.of_view IS NOT NULL, w.oid "
    "FROM dpmix.facade f LEFT JOIN dpmix.protected_table p ON p.id = f.table_id "
    "LEFT JOIN pg_namespace vn ON vn.nspname = f.schema_name "
    "LEFT JOIN pg_class v ON v.oid = f.view AND v.relname = f.view_name "
    "  AND v.relnamespace = vn.oid AND v.relkind = 'v' "
    "LEFT JOIN pg_namespace wn ON wn.nspname = f.of_schema "
    "LEFT JOIN pg_class w ON w.relnamespace = wn.oid AND w.relname = f.of_view AND w.relkind = 'v' "
    "LEFT JOIN pg_namespace cn ON cn.nspname = p.schema_name "
    "LEFT JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "  AND c.relnamespace = cn.oid WHERE f.id = $1"};

struct Found {
  const char* name;
  Oid view;   // InvalidOid: its oid and its name are not of one view
  Oid table;  // the same
  bool dropped, active, waiting;
  const char* of_view;  // that it stands for; NULL: for a table
  bool view_is_there;
};

TimestampTz loaded_at = 0;  // when the statement began that loaded the library

Found* find(int64 id) {
  Found* found = NULL;
  as_catalog_owner([&] {
    if (read_rows(find_facade, {id}) == 0) return;
    const ResultRow row;
    found = (Found*)SPI_palloc(sizeof(Found));
    *found = {row.text(1),
              row.oid(2),
              row.oid(5),
              !OidIsValid(row.oid(3)),
              row.truth(4),
              row.truth(6),
              row.truth(8) ? row.text(7) : NULL,
              !row.is_null(9)};
  });
  return found;
}

[[noreturn]] void refuse_stranger() {
  refuse(ErrorCode::query_not_allowed, "this view is no facade of a protected table",
         "It calls the function that facades are made of, but dpmix did not make it.",
         "Facades are made by dpmix.expose(), for the owner of a table.");
}

[[noreturn]] void refuse_restored(const char* name) {
  refuse(ErrorCode::ledger_unavailable,
         psprintf("the privacy catalog does not recognise facade %s", name),
         "Its name and its object identifier belong to different records, as after a restore or a "
         "copy of the database.",
         "The database owner continues the ledger with dpmix.adopt_ledger(reason).");
}

void require_table(const Found* found) {
  const char* hide = psprintf("SELECT dpmix.hide(%s)", quote_literal_cstr(found->name));
  if (found->of_view != NULL) {
    if (found->view_is_there) return;
    refuse(
        ErrorCode::not_protected,
        psprintf("view %s, which facade %s stands for, is not there", found->of_view, found->name),
        "It left its name, or was dropped. The next view of its owner's that has the name is "
        "asked in its place.",
        psprintf("Ask again once it is made; its owner may drop the facade: %s.", hide));
  }
  if (found->waiting) {
    refuse(
        ErrorCode::not_protected,
        psprintf("the name that facade %s stands for is vacant", found->name),
        "The table left it. The next one of the same owner that takes the name, with the columns "
        "that something is declared of, is answered about.",
        psprintf("Ask again once it is loaded; its owner sees the name in dpmix.records(), or "
                 "drops the facade: %s.",
                 hide));
  }
  if (found->dropped) {
    refuse(ErrorCode::not_protected, psprintf("the table of facade %s is gone", found->name), NULL,
           psprintf("Its owner protects the table that has the name now, or drops the facade: %s.",
                    hide));
  }
  if (!found->active) {
    refuse(ErrorCode::not_protected,
           psprintf("the table of facade %s is protected no more", found->name), NULL,
           psprintf("Its owner protects it with dpmix.protect(), or drops the facade: %s.", hide));
  }
  if (!OidIsValid(found->table)) refuse_restored(found->name);
}

bool is_facade(Oid view) {
  LockRelationOid(view, AccessShareLock);
  const bool is = facade_of_view(view) != NULL;
  UnlockRelationOid(view, AccessShareLock);
  return is;
}

bool may_see(Oid view) {
  return pg_class_aclcheck(view, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

[[noreturn]] void refuse_first_statement(const char* name) {
  refuse(ErrorCode::query_not_allowed,
         psprintf("dpmix was not loaded when this statement on facade %s was planned", name),
         "This statement has loaded it for the session.",
         psprintf("Ask again. So that every session has it: %s", how_to_preload()));
}

[[noreturn]] void refuse_rows(const char* name) {
  refuse(ErrorCode::query_not_allowed, psprintf("facade %s gives no rows", name),
         "It stands for a protected table, of which only noisy aggregates are released.",
         psprintf("Ask for aggregates, with or without GROUP BY: SELECT count(*) FROM %s. Where a "
                  "function in SQL asks for them, make it VOLATILE, or write it in PL/pgSQL.",
                  name));
}

}  // namespace

void facade_guard_init() {
  loaded_at = GetCurrentStatementStartTimestamp();
  ResetPlanCache();  // what was planned without the library stays as it is otherwise
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_facade_guard(PG_FUNCTION_ARGS) {
  const Found* found = PG_ARGISNULL(0) ? NULL : find(PG_GETARG_INT64(0));
  if (found == NULL) refuse_stranger();
  if (!OidIsValid(found->view)) refuse_restored(found->name);
  if (!may_see(found->view)) refuse_rows(found->name);
  require_table(found);
  if (!is_facade(found->view)) {
    refuse(ErrorCode::query_not_allowed,
           psprintf("facade %s is not as dpmix.expose() made it", found->name),
           "Its body was replaced, or its owner is not its table's.",
           "The table's owner calls dpmix.expose() for it again; a superuser, where the view is "
           "another "
           "role's.");
  }
  if (loaded_at != 0 && loaded_at == GetCurrentStatementStartTimestamp()) {
    refuse_first_statement(found->name);
  }
  refuse_rows(found->name);
}
