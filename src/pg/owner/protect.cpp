// protect, unprotect, set_budget: what a table's owner declares once, and its budget.
#include "core/accounting/filter.hpp"
#include "core/base/adjacency.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/exposures.hpp"
#include "pg/catalog/locks.hpp"
#include "pg/catalog/protectable.hpp"
#include "pg/catalog/readers.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/catalog/tree_locks.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/unit_placement.hpp"
#include "pg/ledger/stamp.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/owner/budget.hpp"
#include "pg/owner/facades.hpp"
#include "pg/owner/follow_links.hpp"
#include "pg/owner/links.hpp"
#include "pg/owner/names.hpp"
#include "pg/owner/owned.hpp"
#include "pg/owner/population.hpp"
#include "pg/owner/public_table.hpp"
#include "pg/owner/unit_notices.hpp"
#include "pg/owner/unit_updates.hpp"

extern "C" {
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_protect);
PG_FUNCTION_INFO_V1(dpmix_unprotect);
PG_FUNCTION_INFO_V1(dpmix_set_budget);
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
    "  renyi_order, privacy_unit, max_rows_per_unit, label, owner) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id"};

Statement resume_table = {
    "UPDATE dpmix.protected_table SET active = true, relation = $1, adjacency = $4, accountant = "
    "$5, "
    "  renyi_order = $6, privacy_unit = $7, max_rows_per_unit = $8, label = $9, owner = $10, "
    "  columns_left = NULL, "
    "  unit_through = NULL, through_relation = NULL, link = NULL, link_attnums = NULL, "
    "  target_key = NULL, target_attnums = NULL "
    "WHERE schema_name = $2 AND table_name = $3 RETURNING id"};

Statement deactivate_table = {"UPDATE dpmix.protected_table SET active = false WHERE id = $1"};

struct Protection {
  Oid relation;
  const char* name;
  double epsilon, delta;
  const char* adjacency;
  const char* accountant;
  double order;              // 0 unless `renyi`
  const char* privacy_unit;  // NULL: a row
  int max_rows_per_unit;
  const char* label;
  BlockDeclaration blocks;
  LinkDeclaration link;
  int64 account;  // of the record that resumes; 0: there is none
  bool guards_unit;
  bool charged;            // before
  const char* population;  // NULL: a budget of its own
};

bool same_text(const char* a, const char* b) {
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

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

// PV005, 42501, or which statement records the table and with which order.
Statement* recording_statement(Protection* protection) {
  const CatalogRow* row = find_catalog_row(protection->relation);
  const bool vacant = row != NULL && !OidIsValid(row->relation);
  if (vacant && row->owner != relation_owner(protection->relation)) refuse_other_owner(protection);
  protection->account = row == NULL ? 0 : row->account;
  const char* record = record_departed_from(protection->relation, protection->account);
  if (record != NULL) refuse_departed(protection, record);
  if (row == NULL) return &insert_table;
  if (row->active) {
    refuse_argument(psprintf("table %s is protected already", protection->name),
                    psprintf("Its budget is epsilon %s, delta %s.", row->epsilon, row->delta),
                    "Change the budget with dpmix.set_budget().");
  }
  if (!same_text(protection->population, row->population) && row->population != NULL) {
    refuse_other_population(protection, row);
  }
  lock_protection(row->id, AccessExclusiveLock, true);
  if (vacant) forget_declarations(row->id);
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

// Returns who can read the table without dpmix: NULL when only the owner can.
const char* record_protection(Protection* protection, const Budget& budget) {
  lock_tree_of(protection->relation);
  Statement* statement = recording_statement(protection);
  refuse_relatives(protection);
  const Oid relation = protection->relation;
  const int64 owner = role_number(relation_owner(relation));
  (void)write_rows(
      *statement,
      {relation, name_value(get_namespace_name(get_rel_namespace(relation))),
       name_value(get_rel_name(relation)), protection->adjacency, protection->accountant,
       value_if(protection->order != 0, protection->order), name_value(protection->privacy_unit),
       protection->max_rows_per_unit, name_value(protection->label), owner});
  const int64 id = ResultRow{}.int8(1);
  if (protection->population == NULL) {
    record_budget(protection->account == 0 ? id : protection->account, budget, "protect");
  } else {
    enter_population(
        {id, relation, protection->name, protection->adjacency, protection->accountant,
         protection->order, protection->privacy_unit, OidIsValid(protection->link.target)},
        protection->population);
    record_link(id, protection->link);
  }
  record_blocks(id, protection->blocks, protection->charged);
  refuse_public(protection);
  // From here on a copy of the database has a budget to spend twice.
  (void)check_stamp(budget.role, "first protect()");
  return readers_of(relation);
}

void require_total(FunctionCallInfo fcinfo) {
  require_stated(fcinfo, 1, "epsilon => 4, the total that everything released may reveal");
  require_stated(
      fcinfo, 2,
      "delta => 1e-6, well below one over the number of rows; 0 is for accountant basic");
}

// What the population says instead of the caller.
void read_population(FunctionCallInfo fcinfo, Protection* protection) {
  const Population* population = open_population_for(protection->population, protection->relation);
  const char* differs =
      !PG_ARGISNULL(1) || !PG_ARGISNULL(2) ? "epsilon and delta"
      : !PG_ARGISNULL(7) && strcmp(text_argument(fcinfo, 7), population->accountant) != 0
          ? "accountant"
          : NULL;
  if (differs != NULL) {
    refuse_argument(psprintf("population \"%s\" has %s", population->name, differs),
                    psprintf("Its budget is epsilon %s, delta %s, with accountant '%s'.",
                             population->epsilon, population->delta, population->accountant),
                    "Leave them out; dpmix.set_budget(population => ...) changes the budget.");
  }
  protection->accountant = population->accountant;
  protection->order = population->order;
}

void read_budget(FunctionCallInfo fcinfo, Protection* protection) {
  if (protection->population != NULL) {
    if (protection->blocks.column != NULL) refuse_blocks_in_population(protection->name);
    return read_population(fcinfo, protection);
  }
  require_total(fcinfo);
  protection->epsilon = PG_GETARG_FLOAT8(1);
  protection->delta = PG_GETARG_FLOAT8(2);
  const Accountant accountant = word_argument(fcinfo, 7, "renyi", accountant_of, kAccountants);
  protection->accountant = name(accountant).data();
  require_budget(protection->epsilon, protection->delta, protection->accountant);
  if (accountant != Accountant::renyi) return;
  protection->order = guard([&] { return choose_order(protection->epsilon, protection->delta); });
}

void require_label(const Protection* protection) {
  const bool wanted = adjacency_of(protection->adjacency) == Adjacency::label;
  if (wanted != (protection->label != NULL)) {
    refuse_argument("a label belongs to adjacency 'label', and only to it",
                    psprintf("adjacency is '%s', label is %s.", protection->adjacency,
                             protection->label ? quote_literal_cstr(protection->label) : "NULL"),
                    "Under adjacency 'label' every column but the label is public.");
  }
  if (wanted && get_attnum(protection->relation, protection->label) <= 0) {
    refuse_argument(psprintf("%s has no column \"%s\"", protection->name, protection->label),
                    "The label is the one private column of the table.",
                    "Name an existing column.");
  }
}

// What such a table answers is proved for the label of one row.
[[noreturn]] void refuse_label_of_units(const Protection* protection) {
  refuse_argument(
      psprintf("adjacency label protects the label of one row, and a unit of %s may have several",
               protection->name),
      psprintf("privacy_unit is \"%s\", max_rows_per_unit is %d.", protection->privacy_unit,
               protection->max_rows_per_unit),
      "Leave privacy_unit out, name a NOT NULL column with a unique index, or choose another "
      "adjacency.");
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_protect(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  Protection protection = {};
  protection.relation = PG_GETARG_OID(0);
  protection.population = name_argument(fcinfo, 8);
  protection.privacy_unit = name_argument(fcinfo, 3);
  protection.max_rows_per_unit = int4_argument(fcinfo, 4).value_or(1);
  protection.label = name_argument(fcinfo, 6);
  protection.blocks = {
      name_argument(fcinfo, 9), text_argument(fcinfo, 10), text_argument(fcinfo, 11), {}};
  protection.link = link_arguments(fcinfo, 13);

  lock_owned(protection.relation, AccessExclusiveLock);
  protection.name = qualified_name(protection.relation);
  protection.adjacency =
      name(word_argument(fcinfo, 5, "add_remove", adjacency_of, "add_remove, replace or label"))
          .data();
  read_budget(fcinfo, &protection);
  require_protectable(protection.relation);
  require_label(&protection);
  protection.guards_unit = !PG_ARGISNULL(12) && PG_GETARG_BOOL(12);
  if (protection.guards_unit && protection.privacy_unit == NULL &&
      !OidIsValid(protection.link.target)) {
    refuse_argument("guard_unit needs a privacy unit", "Each row is a unit of its own.",
                    "Pass privacy_unit => 'column', or leave guard_unit out.");
  }
  require_blocks(protection.relation, &protection.blocks);
  if (protection.label != NULL && same_text(protection.label, protection.blocks.column)) {
    refuse_argument("the label cannot say which block a row is in",
                    "Neighbours of this table differ in the label of a row.",
                    "Name another column.");
  }
  require_link_declaration(protection.relation, protection.privacy_unit, protection.population,
                           &protection.link);
  const bool linked = OidIsValid(protection.link.target);
  if (linked) require_rows_of_unit(protection.max_rows_per_unit);
  const bool samples_units =
      linked || require_privacy_unit(protection.relation, protection.privacy_unit,
                                     protection.max_rows_per_unit);
  if (samples_units && protection.label != NULL) refuse_label_of_units(&protection);
  if (protection.privacy_unit != NULL) {
    require_unit_on_one_shard(protection.relation,
                              get_attnum(protection.relation, protection.privacy_unit));
  }
  const Budget budget = printed_budget(protection.epsilon, protection.delta);
  const char* readers = NULL;
  as_catalog_owner([&] { readers = record_protection(&protection, budget); });
  install_guard(protection.relation, protection.blocks);
  const char* unit[] = {protection.privacy_unit};
  if (!is_distributed(protection.relation)) {  // else Citus lets nobody change the column
    watch_unit(protection.relation, linked ? protection.link.name : unit,
               linked ? protection.link.columns : protection.privacy_unit != NULL,
               protection.guards_unit);
  }
  notice_units({protection.relation, protection.name, protection.privacy_unit, protection.label,
                protection.blocks.column, protection.link});
  warn_of_readers(protection.name, readers);
  warn_of_exposures(exposures_of(protection.relation));
  PG_RETURN_VOID();
}

Datum dpmix_unprotect(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  const int64 id = open_owned(PG_GETARG_OID(0), AccessExclusiveLock)->id;
  Roles roles = {};
  FacadeViews views = {};
  as_catalog_owner([&] {
    lock_protection(id, AccessExclusiveLock, true);
    warn_of_links(id);
    (void)write_rows(deactivate_table, {id});
    roles = roles_with_access(id);
    forget_roles(id);
    views = facades_of_table(id);
  });
  // Its facades stay, for the next protect(): others may have views on them.
  for (uint64 i = 0; i < roles.count; i++) conceal_facades(views, roles.list[i]);
  PG_RETURN_VOID();
}

Datum dpmix_set_budget(PG_FUNCTION_ARGS) {
  constexpr int population = 4;
  if (PG_ARGISNULL(0) == PG_ARGISNULL(population)) {
    refuse_argument("the budget is of a table or of a population",
                    PG_ARGISNULL(0) ? "Neither is named." : "Both are named.",
                    "Pass relation => 'visits', or population => 'patients'.");
  }
  require_total(fcinfo);
  require_stated(fcinfo, 3, "reason => 'why the budget changes'; it stays on record");
  if (PG_ARGISNULL(0)) {
    set_population_budget(name_argument(fcinfo, population), PG_GETARG_FLOAT8(1),
                          PG_GETARG_FLOAT8(2), require_reason(fcinfo, 3));
    PG_RETURN_VOID();
  }
  const CatalogRow* row = open_owned(PG_GETARG_OID(0), ShareUpdateExclusiveLock);
  require_budget(PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), row->accountant);
  if (row->population != NULL) {
    refuse_argument(psprintf("the budget of %s is that of population \"%s\"",
                             qualified_name(PG_GETARG_OID(0)), row->population),
                    "All tables of a population share one.",
                    psprintf("Call dpmix.set_budget(population => %s, ...).",
                             quote_literal_cstr(row->population)));
  }
  const Budget budget = printed_budget(PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
  const char* reason = require_reason(fcinfo, 3);
  as_catalog_owner([&] { record_budget(row->account, budget, reason); });
  PG_RETURN_VOID();
}
