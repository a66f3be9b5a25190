#include "pg/facade/denied_select.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "access/parallel.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

ExecutorStart_hook_type next_start = NULL;

bool is_installed() {
  const Oid schema = get_namespace_oid("dpmix_internal", true);
  return OidIsValid(schema) && OidIsValid(get_relname_relid("described_table", schema));
}

Statement described = {
    "SELECT facade::text FROM dpmix_internal.described_tables() WHERE relation::oid = $1"};

// Whether the current user has access: the function shows him the tables of which this is so, and
// others learn nothing. facade: NULL where there is none.
bool has_access(Oid relation, char** facade) {
  SPI_connect();
  const bool found = read_rows(described, {relation}) > 0;
  *facade = found ? ResultRow().text(1) : NULL;
  SPI_finish();
  return found;
}

// pg_dump says so: no view is to be read that somebody may have made for it.
bool views_are_restricted() {
  const char* restricted = GetConfigOption("restrict_nonsystem_relation_kind", true, false);
  return restricted != NULL && strstr(restricted, "view") != NULL;
}

[[noreturn]] void refuse_dump(Oid relation) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied for %s %s",
                         get_rel_relkind(relation) == RELKIND_SEQUENCE ? "sequence" : "table",
                         get_rel_name(relation)),
                  errdetail("A dump has the ledger, which is its database's superuser's."),
                  errhint("Dump as a superuser, or GRANT pg_read_all_data TO %s.",
                          quote_identifier(GetUserNameFromId(GetUserId(), false)))));
}

void hint_at_denied(const PlannedStmt* plan) {
  const Oid relation = denied_table(plan);
  if (!OidIsValid(relation) || !is_installed()) return;
  if (views_are_restricted()) {
    if (get_rel_namespace(relation) == get_namespace_oid("dpmix", true)) refuse_dump(relation);
    return;
  }
  char* facade;
  if (!has_access(relation, &facade)) return;
  const char* name = qualified_name(relation);
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied for table %s", get_rel_name(relation)),
                  errdetail("Its rows are protected by dpmix."),
                  facade != NULL
                      ? errhint("Ask through %s, or by dpmix.query; dpmix.describe(%s) says what.",
                                facade, quote_literal_cstr(name))
                      : errhint("Ask by dpmix.query; dpmix.describe(%s) says what.",
                                quote_literal_cstr(name))));
}

void on_start(QueryDesc* desc, int flags) {
  if (!IsParallelWorker()) hint_at_denied(desc->plannedstmt);
  if (next_start != NULL) {
    next_start(desc, flags);
  } else {
    standard_ExecutorStart(desc, flags);
  }
}

}  // namespace

void denied_select_init() {
  next_start = ExecutorStart_hook;
  ExecutorStart_hook = on_start;
}

}  // namespace dpmix::pg
