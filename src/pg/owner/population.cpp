#include "pg/owner/population.hpp"

#include "core/accounting/filter.hpp"
#include "core/base/adjacency.hpp"
#include "core/base/error.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/locks.hpp"
#include "pg/catalog/protectable.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/sums.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/owner/budget.hpp"
#include "pg/owner/names.hpp"
#include "pg/owner/owned.hpp"
#include "pg/process/release.hpp"

extern "C" {
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_create_population);
PG_FUNCTION_INFO_V1(dpmix_join_population);
}

namespace dpmix::pg {
namespace {

Statement find = {
    "SELECT q.id, q.name, q.accountant, coalesce(q.renyi_order, 0), q.adjacency, "
    "       q.unit_type::oid, r.oid, b.epsilon, b.delta, b.weak, q.width IS NOT NULL, "
    "       coalesce(q.first_value, 0), coalesce(q.width, 1) "
    "FROM dpmix.population q "
    "JOIN LATERAL (SELECT c.epsilon, c.delta, c.weak FROM dpmix.budget_change c "
    "              WHERE c.table_id = q.id "
    "              ORDER BY c.id DESC LIMIT 1) b ON true "
    "LEFT JOIN dpmix_internal.bound_role r ON r.number = q.owner "
    "WHERE q.name = $1"};

Statement insert = {
    "INSERT INTO dpmix.population (name, accountant, renyi_order, unit_type, owner, first_value, "
    "  width) VALUES ($1, $2, $3, $4::oid::regtype, $5, $6, $7) "
    "ON CONFLICT (name) DO NOTHING RETURNING id"};

Statement fix_terms = {
    "UPDATE dpmix.population SET adjacency = $2, unit_type = $3::oid::regtype "
    "WHERE id = $1 AND (adjacency IS NULL OR unit_type IS NULL)"};

Population* find_population(const char* name) {
  Population* found = NULL;
  as_catalog_owner([&] {
    if (read_rows(find, {name_value(name)}) == 0) return;
    const ResultRow row;
    found = (Population*)SPI_palloc(sizeof(Population));
    *found = {.id = row.int8(1),
              .name = row.text(2),
              .accountant = row.text(3),
              .order = row.float8(4),
              .adjacency = row.text(5),
              .unit_type = row.oid(6),
              .owner = row.oid(7),
              .epsilon = row.text(8),
              .delta = row.text(9),
              .weak = row.truth(10),
              .blocks = row.truth(11),
              .grid = {row.int8(12), row.int8(13), USECS_PER_DAY}};
  });
  return found;
}

[[noreturn]] void refuse_owner(const char* who, const Population* population) {
  refuse(
      ERRCODE_INSUFFICIENT_PRIVILEGE,
      psprintf("%s may not use population \"%s\"", who, population->name),
      psprintf("Its owner is role \"%s\"; each table adds to what its budget pays for.",
               OidIsValid(population->owner) ? GetUserNameFromId(population->owner, false) : "?"),
      "Become a member of that role, or create another population.");
}

[[noreturn]] void refuse_terms(const Member& member, const Population* population,
                               const char* detail) {
  refuse_argument(
      psprintf("table %s does not suit population \"%s\"", member.name, population->name), detail,
      "All tables of a population have its accountant, and one adjacency and type of unit.");
}

void require_terms(const Member& member, const Population* population) {
  if (member.privacy_unit == NULL && !member.linked) {
    refuse_terms(member, population,
                 "It has no privacy_unit: somebody may have any number of rows in it, and a row is "
                 "no unit of other tables.");
  }
  if (adjacency_of(member.adjacency) == Adjacency::label) {
    refuse_terms(member, population, "Its adjacency is label, which protects single rows.");
  }
  if (population->adjacency != NULL && strcmp(member.adjacency, population->adjacency) != 0) {
    refuse_terms(member, population,
                 psprintf("Its adjacency is %s; that of the population's tables is %s.",
                          member.adjacency, population->adjacency));
  }
  if (strcmp(member.accountant, population->accountant) != 0) {
    refuse_terms(member, population,
                 psprintf("Its accountant is %s, the population's is %s.", member.accountant,
                          population->accountant));
  }
  if (member.linked) return;
  require_unit_type(member.relation, member.privacy_unit, population->unit_type, population->name);
}

[[noreturn]] void refuse_blocks(const char* table, const char* population) {
  refuse_argument(
      psprintf("table %s has blocks, and population \"%s\" has none", table, population),
      "Its budget is one for all that its tables hold of somebody; blocks have one each.",
      "Leave out blocks, or protect the table in a population that has blocks: "
      "dpmix.create_population(..., width => '1 year').");
}

// What was charged so far to both, as if one account had paid for it.
void require_fit(const Member& member, const Population* population) {
  const AccountSums own = sums_before(member.id, PG_INT64_MAX);
  if (own.charges == 0) return;
  if (population->blocks) {
    refuse_argument(psprintf("table %s was charged before", member.name),
                    psprintf("Population \"%s\" has a budget for each block, and these charges "
                             "were made to no block of its.",
                             population->name),
                    "Protect the rows in a table of another name.");
  }
  if (member.order != population->order) {
    refuse_terms(
        member, population,
        psprintf("Its charges were counted at order %g, the population counts at %g; equal "
                 "budgets have equal orders.",
                 member.order, population->order));
  }
  const AccountSums others = sums_before(population->id, PG_INT64_MAX);
  guard([&] {
    const Filter filter(accountant_of(population->accountant).value(),
                        Decimal::parse(population->epsilon), Decimal::parse(population->delta),
                        population->order);
    const Spending table = spending_of(own.sums), rest = spending_of(others.sums);
    if (filter.admits(rest, table)) return;
    const Spending both = rest + table;
    throw Error(
        ErrorCode::budget_exhausted,
        std::string("the charges of ") + member.name + " do not fit population \"" +
            population->name + "\"",
        "Together epsilon " + both.epsilon.str() + " and delta " + both.delta.str() +
            " were declared; the population's budget is epsilon " + population->epsilon +
            " and delta " + population->delta + ".",
        "Nothing was changed. The table keeps its own budget, unless the population's owner "
        "raises that of the population.");
  });
}

}  // namespace

Population* open_population(const char* name) {
  Population* population = find_population(name);
  if (population == NULL) {
    refuse(ErrorCode::not_protected, psprintf("there is no population \"%s\"", name),
           "A population is one budget for several tables about the same people.",
           "Make it with dpmix.create_population().");
  }
  if (!superuser() &&
      !(OidIsValid(population->owner) && has_privs_of_role(GetUserId(), population->owner))) {
    refuse_owner("you", population);
  }
  return population;
}

Population* open_population_for(const char* name, Oid relation) {
  Population* population = open_population(name);
  if (superuser()) return population;
  const Oid owner = relation_owner(relation);
  if (!has_privs_of_role(owner, population->owner)) {
    refuse_owner(psprintf("role \"%s\", the owner of %s,", GetUserNameFromId(owner, false),
                          qualified_name(relation)),
                 population);
  }
  return population;
}

void take_blocks(const Population* population, Oid relation, BlockDeclaration* declaration) {
  const char* table = qualified_name(relation);
  if (declaration->column != NULL && !population->blocks) refuse_blocks(table, population->name);
  if (population->blocks && (declaration->width != NULL || declaration->first != NULL)) {
    refuse_argument(
        psprintf("the blocks of %s are those of population \"%s\"", table, population->name),
        "It says how wide they are and where they begin.", "Leave width and blocks_from out.");
  }
  require_blocks(relation, declaration);
  if (declaration->column == NULL) return;
  BlockColumn* read = &declaration->read;
  if (!follows_clock(read->type)) {
    refuse_argument(
        psprintf("column \"%s\" has no place in the blocks of population \"%s\"",
                 declaration->column, population->name),
        psprintf("Its type is %s; these are blocks of time.", format_type_be(read->type)),
        "Name a column of a date or timestamp, or leave blocks out: then the rows are in no "
        "block, and what is asked about them is charged to a budget that never ends.");
  }
  if (!grid_for(read->type, population->grid, &read->grid)) {
    refuse_argument(
        psprintf("column \"%s\" is of days, and the blocks of population \"%s\" do not consist "
                 "of whole ones",
                 declaration->column, population->name),
        "Rows of one day would lie in several blocks.", "Name a column of a timestamp.");
  }
}

void enter_population(const Member& member, const char* name) {
  const int64 id = find_population(name)->id;
  lock_protection(member.id, AccessExclusiveLock, true);
  lock_protection(id, AccessExclusiveLock, true);
  const Population* population = find_population(name);  // read again, now that it is locked
  if (member.blocks && !population->blocks) refuse_blocks(member.name, population->name);
  require_terms(member, population);
  require_fit(member, population);
  move_account(member.id, id);
  if (member.linked) return;  // its target came before
  const Oid type = get_atttype(member.relation, get_attnum(member.relation, member.privacy_unit));
  (void)write_rows(fix_terms, {id, member.adjacency, type});
}

void set_population_budget(const char* name, double epsilon, double delta, const char* reason,
                           bool weak) {
  require_primary();
  const Population* population = open_population(name);
  require_budget(epsilon, delta, population->accountant);
  const Budget budget = printed_budget(epsilon, delta, weak);
  as_catalog_owner([&] { record_budget(population->id, budget, reason); });
  warn_of_weakness(psprintf("population \"%s\"", name), epsilon, delta, weak, InvalidOid);
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_create_population(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 3);
  require_primary();
  const char* name = name_argument(fcinfo, 0);
  const double epsilon = PG_GETARG_FLOAT8(1), delta = PG_GETARG_FLOAT8(2);
  const Accountant accountant = word_argument(fcinfo, 3, "renyi", accountant_of, kAccountants);
  const char* const accountant_name = dpmix::name(accountant).data();
  require_budget(epsilon, delta, accountant_name);
  const Oid type = PG_ARGISNULL(4) ? InvalidOid : PG_GETARG_OID(4);
  if (name[0] == '\0') {
    refuse_argument("a population needs a name", "The name is empty.", "Give it one.");
  }
  if (OidIsValid(type) && !is_unit_type(type)) {
    refuse_argument("unit_type is no type of privacy units",
                    psprintf("It is %s.", format_type_be(type)),
                    "Take a built-in scalar type with an order, or an enum.");
  }
  const bool renyi = accountant == Accountant::renyi;
  const double order = renyi ? guard([&] { return choose_order(epsilon, delta); }) : 0;
  const bool weak = !PG_ARGISNULL(5) && PG_GETARG_BOOL(5);
  const char* width = text_argument(fcinfo, 6);
  const BlockGrid grid = blocks_of_time(width, text_argument(fcinfo, 7));
  const Budget budget = printed_budget(epsilon, delta, weak);
  const Oid user = GetUserId();
  bool made = false;
  as_catalog_owner([&] {
    made = write_rows(insert, {name_value(name), accountant_name, value_if(renyi, order),
                               value_if(OidIsValid(type), type), role_number(user),
                               value_if(width != NULL, (int64)grid.first),
                               value_if(width != NULL, (int64)grid.width)}) > 0;
    if (made) record_budget(ResultRow{}.int8(1), budget, "create_population");
  });
  if (!made) {
    refuse_argument(psprintf("there is a population \"%s\" already", name),
                    "A population is never dropped: its charges stay on record.",
                    "Choose another name.");
  }
  warn_of_weakness(psprintf("population \"%s\"", name), epsilon, delta, weak, InvalidOid);
  PG_RETURN_VOID();
}

Datum dpmix_join_population(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const Oid relation = PG_GETARG_OID(0);
  const CatalogRow* row = open_owned(relation, AccessExclusiveLock);
  const Population* population = open_population_for(name_argument(fcinfo, 1), relation);
  const char* table = qualified_name(relation);
  if (row->population != NULL) {
    refuse_argument(psprintf("table %s is in population \"%s\"", table, row->population),
                    "A table stays in its population: what was released about the others was about "
                    "it too.",
                    "Its releases are charged there.");
  }
  if (population->blocks) {
    refuse_argument(
        psprintf("population \"%s\" has blocks, and %s is protected already", population->name,
                 table),
        "Which of its columns says in which block a row is, protect() is told.",
        psprintf("Before anything is charged: SELECT dpmix.unprotect(%s), then protect it with "
                 "population => %s.",
                 quote_literal_cstr(table), quote_literal_cstr(population->name)));
  }
  as_catalog_owner([&] {
    const Member member = {row->id,           relation,        table,
                           row->adjacency,    row->accountant, row->order,
                           row->privacy_unit, false,           has_recorded_blocks(row->id)};
    enter_population(member, population->name);
  });
  PG_RETURN_VOID();
}
