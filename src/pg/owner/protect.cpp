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
#include "pg/catalog/relation.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/unit_placement.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/owner/budget.hpp"
#include "pg/owner/facade_columns.hpp"
#include "pg/owner/facades.hpp"
#include "pg/owner/follow_links.hpp"
#include "pg/owner/links.hpp"
#include "pg/owner/names.hpp"
#include "pg/owner/owned.hpp"
#include "pg/owner/population.hpp"
#include "pg/owner/protection.hpp"
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

Statement deactivate_table = {"UPDATE dpmix.protected_table SET active = false WHERE id = $1"};

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
  protection->delta = strtod(population->delta, NULL);
  protection->weak = protection->weak || population->weak;
  take_blocks(population, protection->relation, &protection->blocks);
  protection->population_blocks = population->blocks;
}

void read_budget(FunctionCallInfo fcinfo, Protection* protection) {
  if (protection->population != NULL) {
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
  protection.weak = !PG_ARGISNULL(17) && PG_GETARG_BOOL(17);
  read_budget(fcinfo, &protection);
  require_protectable(protection.relation);
  require_label(&protection);
  protection.guards_unit = !PG_ARGISNULL(12) && PG_GETARG_BOOL(12);
  protection.strict = !PG_ARGISNULL(16) && PG_GETARG_BOOL(16);
  if (protection.guards_unit && protection.privacy_unit == NULL &&
      !OidIsValid(protection.link.target)) {
    refuse_argument("guard_unit needs a privacy unit", "Each row is a unit of its own.",
                    "Pass privacy_unit => 'column', or leave guard_unit out.");
  }
  if (protection.population == NULL) require_blocks(protection.relation, &protection.blocks);
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
  const Budget budget = printed_budget(protection.epsilon, protection.delta, protection.weak);
  Readers readers = {};
  as_catalog_owner([&] { readers = record_protection(&protection, budget); });
  if (protection.stands) {
    ereport(NOTICE, (errmsg("table %s is protected already, on these terms", protection.name)));
    PG_RETURN_VOID();
  }
  install_guard(protection.relation, protection.blocks);
  const char* unit[] = {protection.privacy_unit};
  if (!is_distributed(protection.relation)) {  // else Citus lets nobody change the column
    watch_unit(protection.relation, linked ? protection.link.name : unit,
               linked ? protection.link.columns : protection.privacy_unit != NULL,
               protection.guards_unit);
  }
  if (protection.account != 0) follow_facades_of(protection.id);
  notice_units({protection.relation, protection.name, protection.privacy_unit, protection.label,
                protection.blocks.column, protection.population_blocks, protection.link});
  warn_of_weakness(protection.name, protection.epsilon, protection.delta, protection.weak,
                   protection.relation);
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
  const bool weak = !PG_ARGISNULL(5) && PG_GETARG_BOOL(5);
  if (PG_ARGISNULL(0)) {
    set_population_budget(name_argument(fcinfo, population), PG_GETARG_FLOAT8(1),
                          PG_GETARG_FLOAT8(2), require_reason(fcinfo, 3), weak);
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
  const Budget budget = printed_budget(PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), weak);
  const char* reason = require_reason(fcinfo, 3);
  as_catalog_owner([&] { record_budget(row->account, budget, reason); });
  warn_of_weakness(qualified_name(PG_GETARG_OID(0)), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2), weak,
                   PG_GETARG_OID(0));
  PG_RETURN_VOID();
}
