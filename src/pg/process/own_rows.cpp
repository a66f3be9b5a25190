#include "pg/process/own_rows.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/process/worker.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "nodes/parsenodes.h"
#include "storage/lock.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr const char* kDeclarations[] = {"protected_table", "budget_change", "column_domain",
                                         "access",          "public_table",  "counter"};

// Whoever writes to a relation holds such a lock on it till the end of the transaction.
bool may_have_written(Oid relation) {
  LOCKTAG tag;
  SET_LOCKTAG_RELATION(tag, MyDatabaseId, relation);
  for (LOCKMODE mode = RowExclusiveLock; mode <= AccessExclusiveLock; mode++) {
    if (holds_lock(tag, mode)) return true;
  }
  return false;
}

void answer_own_locks(StringInfo question, StringInfo answer) {
  while (question->cursor < question->len) {
    const Oid relation = pq_getmsgint(question, sizeof(Oid));
    if (!may_have_written(relation)) continue;
    pq_sendint32(answer, relation);
    return;
  }
  pq_sendint32(answer, InvalidOid);
}

}  // namespace

void own_rows_init() {
  answer_in_caller(Question::own_locks, answer_own_locks);
}

void refuse_own_declarations() {
  for (const char* name : kDeclarations) {
    const Oid table = catalog_table(name);
    if (!OidIsValid(table) || !may_have_written(table)) continue;
    refuse(ErrorCode::query_not_allowed, "this transaction has changed declarations of dpmix",
           "A release sees what is committed, and is charged for that.", "Commit first.");
  }
}

void require_committed(const List* tables) {
  if (!in_release_process()) return;
  StringInfoData question;
  initStringInfo(&question);
  ListCell* cell;
  foreach (cell, tables) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_RELATION) pq_sendint32(&question, entry->relid);
  }
  StringInfoData answer = ask(Question::own_locks, &question);
  const Oid relation = pq_getmsgint(&answer, sizeof(Oid));
  if (!OidIsValid(relation)) return;
  refuse(ErrorCode::query_not_allowed,
         psprintf("this transaction may have changed %s", get_rel_name(relation)),
         "It holds a lock for writing on it; a release sees only rows that are committed.",
         "Commit first.");
}

}  // namespace dpmix::pg
