#include "pg/owner/protection.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/locks.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/catalog/tree_locks.hpp"
#include "pg/ledger/stamp.hpp"
#include "pg/owner/columns_of.hpp"
#include "pg/owner/edition.hpp"
#include "pg/owner/names.hpp"
#include "pg/owner/owned.hpp"
#include "pg/owner/population.hpp"
#include "pg/owner/public_table.hpp"

extern "C" {
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

Statement relatives = {
    "WITH RECURSIVE up(relation) AS ("
    "  SELECT inhparent FROM pg_inherits WHERE inhrelid = $1 UNION "
    "  SELECT i.inhparent FROM pg_inherits i JOIN up ON i.inhrelid = up.relation), "
    "down(relation) AS ("
    "  SELECT inhrelid FROM pg_inherits WHERE inhparent = $1 UNION "
    "  SELECT i.inhrelid FROM pg_inherits i JOIN down ON i.inhparent = down.relation) "
    "SELECT b.relation, b.active FROM dpmix_internal.budgeted_table b "
    "WHERE b.relation IN (SELECT relation FROM up UNION ALL SELECT relation FROM down) "
    "AND (b.active OR b.account <> $2) ORDER BY b.active DESC"};

// A row of whether it was charged, where terms stay: then, and where other names share the account
// outside of populations.
Statement fixed_terms = {
    "SELECT dpmix_internal.is_charged(p.id) FROM dpmix.protected_table p WHERE p.id = $1 "
    "AND (dpmix_internal.is_charged(p.id) OR EXISTS ("
    "  SELECT FROM dpmix.protected_table q WHERE q.account = coalesce(p.account, p.id) "
    "  AND NOT EXISTS (SELECT FROM dpmix.population n WHERE n.id = p.account)))"};

Statement insert_table = {
    "INSERT INTO dpmix.protected_table (relation, schema_name, table_name, adjacency, accountant, "
    "  renyi_order, privacy_unit, max_rows_per_unit, label, owner, guard_unit, strict, "
    "  column_types) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, " DPMIX_TYPES_OF(
        "$1") ") RETURNING id"};

Statement resume_table = {
    "UPDATE dpmix.protected_table SET active = true, relation = $1, adjacency = $4, accountant = "
    "$5, "
    "  renyi_order = $6, privacy_unit = $7, max_rows_per_unit = $8, label = $9, owner = $10, "
    "  guard_unit = $11, strict = $12, waiting = false, column_types = " DPMIX_TYPES_OF("$1") ", "
    "  unit_through = NULL, through_relation = NULL, link = NULL, link_attnums = NULL, "
    "  target_key = NULL, target_attnums = NULL "
    "WHERE schema_name = $2 AND table_name = $3 RETURNING id"};

void refuse_relatives(const Protection* protection) {
  if (read_rows(relatives, {protection->relation, protection->account}) == 0) return;
  const ResultRow row;
  refuse_argument(
      psprintf("%s shares rows with %s, which is %s already", protection->name,
               qualified_name(row.oid(1)), row.truth(2) ? "protected" : "charged"),
      "One of them is an ancestor of the other; their budgets would not add up.",
      "Protect only one table of an inheritance or partition tree, and always the same one.");
}

void refuse_public(const Protection* protection) {
  const char* other;
  const char* declared = public_and_protected(&other);
  if (declared == NULL) return;
  refuse_argument(
      psprintf("%s shares rows with %s, which is declared public", protection->name, declared),
      "What is public has no privacy to protect.",
      psprintf("Take the declaration back first: SELECT dpmix.undeclare_public(%s).",
               quote_literal_cstr(declared)));
}

// Charges were computed for one neighbour relation and one filter: they cannot be read otherwise.
void refuse_other_terms(const Protection* protection, const CatalogRow* row) {
  const char* differs = NULL;
  if (!same_text(protection->adjacency, row->adjacency)) differs = "adjacency";
  if (!same_text(protection->accountant, row->accountant)) differs = "accountant";
  if (!same_text(protection->privacy_unit, row->privacy_unit)) differs = "privacy_unit";
  if (!same_text(protection->label, row->label)) differs = "label";
  if (!is_same_link(protection->link, row->link)) differs = "unit_through, link and target_key";
  if (differs == NULL) return;
  refuse_argument(
      psprintf("%s of %s cannot change any more", differs, protection->name),
      psprintf("Its record has adjacency => '%s', accountant => '%s', privacy_unit => "
               "%s, label => %s%s.",
               row->adjacency, row->accountant,
               row->privacy_unit ? quote_literal_cstr(row->privacy_unit) : "NULL",
               row->label ? quote_literal_cstr(row->label) : "NULL", printed_link(row->link)),
      "Charges under other terms do not add up. Protect it with the same ones.");
}

[[noreturn]] void refuse_other_population(const Protection* protection, const CatalogRow* row) {
  refuse_argument(
      psprintf("table %s is in population \"%s\"", protection->name, row->population),
      "A table stays in its population: what was released about the others was about it too.",
      psprintf("Protect it with population => %s, without epsilon and delta.",
               quote_literal_cstr(row->population)));
}

[[noreturn]] void refuse_other_owner(const Protection* protection) {
  const char* owner = GetUserNameFromId(relation_owner(protection->relation), false);
  refuse(ERRCODE_INSUFFICIENT_PRIVILEGE,
         psprintf("the record of the name %s belongs to another role", protection->name),
         "What was released under this name counts for whoever protects a table of it, and shows "
         "in its ledger.",
         psprintf("The record's owner or a superuser writes: SELECT dpmix.hand_over(%s, %s).",
                  quote_literal_cstr(protection->name), quote_literal_cstr(owner)));
}

[[noreturn]] void refuse_departed(const Protection* protection, const char* record) {
  refuse_argument(
      psprintf("rows of %s are on record under the name %s", protection->name, record),
      "A table that left its name, or its tree, has no budget of its own: the record stays.",
      psprintf("Rename it back, or, while no other table has the record: SELECT "
               "dpmix.move_record(%s, %s).",
               quote_literal_cstr(record), quote_literal_cstr(protection->name)));
}

// Whether everything that protect() says is so: a load may say it each night.
bool is_stated(const Protection* protection, const CatalogRow* row) {
  const bool same_budget = protection->population != NULL ||
                           (strcmp(printed_decimal(protection->epsilon), row->epsilon) == 0 &&
                            strcmp(printed_decimal(protection->delta), row->delta) == 0);
  return same_budget && same_text(protection->population, row->population) &&
         same_text(protection->adjacency, row->adjacency) &&
         same_text(protection->accountant, row->accountant) &&
         same_text(protection->privacy_unit, row->privacy_unit) &&
         protection->max_rows_per_unit == row->max_rows_per_unit &&
         same_text(protection->label, row->label) && is_same_link(protection->link, row->link) &&
         protection->guards_unit == row->guard_unit && protection->strict == row->strict &&
         are_recorded_blocks(row->id, protection->blocks);
}

// PV005, 42501, or which statement records the table and with which order; NULL: it stands.
Statement* recording_statement(Protection* protection) {
  const CatalogRow* row = find_catalog_row(protection->relation);
  const bool vacant = row != NULL && !OidIsValid(row->relation);
  if (vacant && row->owner != relation_owner(protection->relation)) refuse_other_owner(protection);
  protection->account = row == NULL ? 0 : row->account;
  const char* record = record_departed_from(protection->relation, protection->account);
  if (record != NULL) refuse_departed(protection, record);
  if (row == NULL) return &insert_table;
  if (row->active && is_stated(protection, row)) {
    protection->stands = true;
    return NULL;
  }
  if (row->active) {
    refuse_argument(psprintf("table %s is protected already", protection->name),
                    psprintf("Its budget is epsilon %s, delta %s.", row->epsilon, row->delta),
                    "Change the budget with dpmix.set_budget().");
  }
  if (!same_text(protection->population, row->population) && row->population != NULL) {
    refuse_other_population(protection, row);
  }
  lock_protection(row->id, AccessExclusiveLock, true);
  if (vacant) {
    forget_declarations(row->id);
    begin_edition(row->id);
  }
  const bool joined = row->population == NULL && row->account != row->id;
  if (joined && (protection->blocks.column != NULL || has_recorded_blocks(row->account))) {
    refuse_argument(
        psprintf("the record of %s shares its budget with another one", protection->name),
        "Tables that share a budget have no blocks.", "Protect a table of another name.");
  }
  if (read_rows(fixed_terms, {row->id}) > 0) {
    protection->charged = ResultRow{}.truth(1);
    refuse_other_terms(protection, row);
    protection->order = row->order;
  }
  return &resume_table;
}

}  // namespace

bool same_text(const char* a, const char* b) {
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

Readers record_protection(Protection* protection, const Budget& budget) {
  lock_tree_of(protection->relation);
  Statement* statement = recording_statement(protection);
  if (statement == NULL) return {};
  refuse_relatives(protection);
  const Oid relation = protection->relation;
  const int64 owner = role_number(relation_owner(relation));
  (void)write_rows(
      *statement,
      {relation, name_value(get_namespace_name(get_rel_namespace(relation))),
       name_value(get_rel_name(relation)), protection->adjacency, protection->accountant,
       value_if(protection->order != 0, protection->order), name_value(protection->privacy_unit),
       protection->max_rows_per_unit, name_value(protection->label), owner, protection->guards_unit,
       protection->strict});
  const int64 id = ResultRow{}.int8(1);
  protection->id = id;
  settle_table(id, relation);
  if (protection->population == NULL) {
    record_budget(protection->account == 0 ? id : protection->account, budget, "protect");
  } else {
    enter_population({id, relation, protection->name, protection->adjacency, protection->accountant,
                      protection->order, protection->privacy_unit,
                      OidIsValid(protection->link.target), protection->blocks.column != NULL},
                     protection->population);
    record_link(id, protection->link);
  }
  record_blocks(id, protection->blocks, protection->charged);
  refuse_public(protection);
  // From here on a copy of the database has a budget to spend twice.
  (void)check_stamp(budget.role, "first protect()");
  const Readers readers = readers_of(relation);
  if (protection->strict) require_no_readers(protection->name, readers);
  return readers;
}

}  // namespace dpmix::pg
