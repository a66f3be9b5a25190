// dpmix.budget_svg: charges and budgets of one table, added up in SQL to at most so many steps of
// few bands, drawn by core. It shows what dpmix.audit, dpmix.budget and dpmix.budget_history show
// its caller: whose charges are the caller's to see is decided here as there, by the caller's
// roles.
#include "pg/report/budget_picture.hpp"

#include <algorithm>

#include "core/drawing/blocks.hpp"
#include "core/drawing/budget.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/settings.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/block_column.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/ledger/sums.hpp"
#include "pg/report/blocks.hpp"
#include "pg/report/seen_table.hpp"

extern "C" {
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_budget_svg);
}

namespace dpmix::pg {
namespace {

#define DPMIX_STEPS "300"
// Seconds since 2000-01-01 00:00 UTC, whatever the session's time zone.
#define DPMIX_SECONDS(at) "(extract(epoch FROM " at ") - 946684800)::float8"

// The last of each of at most so many spans of time.
Statement budgets_of_table = {
    "WITH frame AS MATERIALIZED (SELECT min(b.at) AS first, max(b.at) AS last "
    "  FROM dpmix.budget_change b WHERE b.table_id = $1 AND b.at <= $2) "
    "SELECT " DPMIX_SECONDS("b.at") ", b.epsilon::float8, b.delta::float8, b.epsilon, b.delta "
    "FROM (SELECT DISTINCT ON (span) h.* "
    "      FROM (SELECT b.*, width_bucket(" DPMIX_SECONDS("b.at") ", " DPMIX_SECONDS("f.first") ", "
    "                                     " DPMIX_SECONDS("f.last") " + 1, " DPMIX_STEPS ") AS span "
    "            FROM dpmix.budget_change b, frame f WHERE b.table_id = $1 AND b.at <= $2) h "
    "      ORDER BY span, h.id DESC) b ORDER BY b.id"};

// $1 account, $2 viewer, $3 whether the viewer sees all roles; $5, $6 bound charges and budgets. A
// step ends with the last visible charge of a span of time and holds all charges since the step
// before, in the order of id: the totals are those that dpmix.audit has for that charge. What comes
// after the last visible one is a step without a time. place: the role's by its sum of epsilon,
// from 1; one more for all further ones; 0: not visible.
Statement steps_of_table = {
    "WITH charged AS MATERIALIZED ("
    "  SELECT g.id, g.at, CASE WHEN $3 OR g.role_number IN ("
    "      SELECT r.number FROM dpmix_internal.bound_role r "
    "      WHERE pg_has_role($2, r.oid, 'USAGE')) THEN g.role END AS role, "
    "    g.epsilon, g.delta, g.cost, g.cost_delta "
    "  FROM dpmix.charge g WHERE g.table_id = " DPMIX_TABLES_OF("$1") " "
    "        AND g.id < $5), "
    "seen AS MATERIALIZED ("
    "  SELECT c.role, row_number() OVER (ORDER BY sum(c.epsilon) DESC, c.role) AS place "
    "  FROM charged c WHERE c.role IS NOT NULL GROUP BY c.role), "
    "visible AS (SELECT c.id, c.at FROM charged c WHERE c.role IS NOT NULL), "
    // Materialized, what has one row is not computed again for each row beside it.
    "frame AS MATERIALIZED (SELECT min(v.at) AS first, max(v.at) AS last FROM visible v), "
    "spans AS ("
    "  SELECT max(v.at) AS at, max(v.id) AS through, "
    "         width_bucket(" DPMIX_SECONDS("v.at") ", " DPMIX_SECONDS("f.first") ", "
    "                      " DPMIX_SECONDS("f.last") " + 1e-3, " DPMIX_STEPS ") AS span "
    "  FROM visible v, frame f GROUP BY span), "
    // Clocks may be set back, ids never go back.
    "ends AS ("
    "  SELECT min(e.at) AS at, e.through, row_number() OVER (ORDER BY e.through) AS step "
    "  FROM (SELECT s.at, max(s.through) OVER (ORDER BY s.span) AS through FROM spans s) e "
    "  GROUP BY e.through), "
    "bounds AS MATERIALIZED ("
    "  SELECT coalesce(array_agg(e.through ORDER BY e.step), '{}') AS through FROM ends e), "
    "cells AS MATERIALIZED ("
    "  SELECT width_bucket(c.id - 1, b.through) + 1 AS step, "
    "         CASE WHEN s.role IS NULL THEN 0 ELSE least(s.place, $4 + 1) END AS place, "
    "         count(*) AS charges, sum(c.epsilon) AS epsilon, sum(c.delta) AS delta, "
    "         sum(c.cost) AS cost, sum(c.cost_delta) AS cost_delta "
    "  FROM charged c CROSS JOIN bounds b LEFT JOIN seen s ON s.role = c.role GROUP BY 1, 2), "
    "totals AS ("
    "  SELECT c.step, dpmix_internal.epsilon_spent(p.accountant, b.epsilon, b.delta, p.renyi_order, "
    "                   sum(sum(c.epsilon)) OVER so_far, sum(sum(c.delta)) OVER so_far, "
    "                   sum(sum(c.cost)) OVER so_far, sum(sum(c.cost_delta)) OVER so_far) AS total "
    "  FROM cells c, "
    "       (SELECT accountant, renyi_order FROM dpmix.protected_table "
    "        WHERE coalesce(account, id) = $1 LIMIT 1) p, "
    "       (SELECT h.epsilon, h.delta FROM dpmix.budget_change h WHERE h.table_id = $1 "
    "        AND h.at <= $6 ORDER BY h.id DESC LIMIT 1) b "
    "  GROUP BY c.step, p.accountant, b.epsilon, b.delta, p.renyi_order "
    "  WINDOW so_far AS (ORDER BY c.step)) "
    "SELECT c.step::int4, " DPMIX_SECONDS("e.at") ", t.total::float8, c.place::int4, "
    "       CASE WHEN c.place <= $4 THEN s.role END, c.charges, c.epsilon::float8, c.cost::float8, "
    "       (SELECT count(*) FROM seen)::int4 "
    "FROM cells c JOIN totals t ON t.step = c.step LEFT JOIN ends e ON e.step = c.step "
    "LEFT JOIN seen s ON s.place = c.place ORDER BY c.step, 4"};

struct Cell {
  int step, place;
  bool now;  // after the last charge that the viewer sees
  double at, total, epsilon, cost;
  int64 charges;
  const char* role;
};

struct Budget {
  double at, epsilon, delta;
};

struct Account {  // in the caller's memory
  bool found, audited, active;
  const char* accountant;
  DeclaredBlocks blocks;
  int64 today;                  // the block of now, of a population with blocks
  int64 id, end;                // end: charges from this id on are left out
  const char *epsilon, *delta;  // the last budget
  double order;
  int budgets, cells, roles;
  Budget* budget;
  Cell* cell;
};

void read_budgets(int64 id, TimestampTz until, Account* account) {
  account->budgets = (int)read_rows(budgets_of_table, {id, time_value(until)});
  account->budget = (Budget*)SPI_palloc(sizeof(Budget) * (account->budgets + 1));
  for (int i = 0; i < account->budgets; i++) {
    const ResultRow row = {(uint64)i};
    account->budget[i] = {row.float8(1), row.float8(2), row.float8(3)};
    account->epsilon = row.text(4);
    account->delta = row.text(5);
  }
}

void read_cells(Oid viewer, TimestampTz until, Account* account) {
  account->cells = (int)read_rows(steps_of_table, {account->id, viewer, account->audited,
                                                   budget_colors, account->end, time_value(until)});
  account->cell = (Cell*)SPI_palloc(sizeof(Cell) * (account->cells + 1));
  for (int i = 0; i < account->cells; i++) {
    const ResultRow row = {(uint64)i};
    account->cell[i] = {.step = row.int4(1),
                        .place = row.int4(4),
                        .now = row.is_null(2),
                        .at = row.float8(2),
                        .total = row.float8(3),
                        .epsilon = row.float8(7),
                        .cost = row.float8(8),
                        .charges = row.int8(6),
                        .role = row.text(5)};
    account->roles = row.int4(9);
  }
}

Account read_account(Oid relation, Oid viewer, TimestampTz until) {
  Account account = {};
  as_catalog_owner([&] {
    // A plan for the ledger as large as it is by now, not for the one of an earlier call.
    set_for_now({"plan_cache_mode", "force_custom_plan"});
    SeenTable table = {};
    account.found = find_seen_table(relation, viewer, &table);
    if (!account.found) return;
    account.id = table.account;
    account.active = table.active;
    account.accountant = table.accountant;
    account.order = table.order;
    account.audited = table.audited;
    account.end = until == DT_NOEND ? PG_INT64_MAX : first_charge_after(account.id, until);
    account.blocks = read_declared_blocks(table.id);
    read_budgets(account.id, until, &account);
    if (!account.blocks.any) read_cells(viewer, until, &account);
  });
  return account;
}

// Bands are places in order, then what is not visible.
BudgetPicture picture_of(const Account& account, const char* relation, double now) {
  BudgetPicture picture;
  picture.relation = relation;
  picture.accountant = account.accountant;
  picture.sees_all = account.audited;
  picture.active = account.active;
  for (int i = 0; i < account.budgets; i++) {
    picture.budgets.push_back({account.budget[i].at, account.budget[i].epsilon});
  }
  picture.delta = account.budget[account.budgets - 1].delta;
  picture.bands.resize(std::min(account.roles, budget_colors + 1) + (account.audited ? 0 : 1));
  if (account.roles > budget_colors) {
    const int more = account.roles - budget_colors;
    picture.bands[budget_colors].role =
        std::to_string(more) + (more > 1 ? " more roles" : " more role");
  }
  if (!account.audited) picture.bands.back().role = "others";
  picture.from = picture.budgets.front().at;
  picture.to = std::max(now, picture.budgets.back().at);
  for (int i = 0; i < account.cells; i++) {
    const Cell& cell = account.cell[i];
    const std::size_t band = cell.place == 0 ? picture.bands.size() - 1 : cell.place - 1;
    if (cell.role != NULL) picture.bands[band].role = cell.role;
    picture.bands[band].charges += cell.charges;
    picture.bands[band].epsilon += cell.epsilon;
    if (i == 0 || cell.step != account.cell[i - 1].step) {
      const double at = cell.now ? picture.to : cell.at;  // however clocks were set
      picture.steps.push_back({at, cell.total, {}});
      picture.from = std::min(picture.from, at);
      picture.to = std::max(picture.to, at);
    }
    picture.steps.back().parts.push_back({band, cell.epsilon, cell.cost});
  }
  return picture;
}

// The place of a block's first value on the picture's axis.
double on_axis(const Account& account, int64 block) {
  const auto place = static_cast<double>(account.blocks.grid.first_of(block));
  return account.blocks.type == TIMESTAMPOID || account.blocks.type == TIMESTAMPTZOID ? place / 1e6
                                                                                      : place;
}

AxisUnit unit_of(Oid type) {
  if (type == DATEOID) return AxisUnit::date;
  return type == TIMESTAMPOID || type == TIMESTAMPTZOID ? AxisUnit::time : AxisUnit::number;
}

// Inside guard().
BlocksPicture blocks_picture_of(const Account& account, const char* relation) {
  const Filter filter(accountant_of(account.accountant).value(), Decimal::parse(account.epsilon),
                      Decimal::parse(account.delta), account.order);
  const BlockFilter block_filter(filter);
  BlocksPicture picture;
  picture.relation = relation;
  picture.column = account.blocks.column != NULL   ? account.blocks.column
                   : account.blocks.own == kAlways ? "always"
                                                   : "blocks of the population";
  picture.accountant = account.accountant;
  picture.unit = unit_of(account.blocks.type);
  picture.epsilon = Decimal::parse(account.epsilon).approximate();
  picture.delta = Decimal::parse(account.delta).approximate();
  picture.active = account.active;
  const bool always = account.blocks.own == kAlways;
  const BlockRange within = always ? kAlways : BlockRange{0, kAllBlocks.last};
  for (const BlockSegment& run : charged_blocks(account.id, within, account.end - 1)) {
    // What is in no block has no place in time: one bar, up to now.
    const auto [first, last] = always ? BlockRange{0, account.today} : run.blocks;
    // Up to the end of all numbers there is nothing to see: one block stands for these.
    const bool endless = last == kAllBlocks.last ||
                         account.blocks.grid.last_of(last) >= largest_place(account.blocks.type);
    picture.runs.push_back({on_axis(account, first),
                            on_axis(account, endless ? first + 1 : last + 1),
                            block_filter.share_spent(run.sums), run.sums.charges});
  }
  return picture;
}

[[noreturn]] void refuse_table(Oid relation) {
  refuse(
      ErrorCode::not_protected,
      psprintf("table %s is not protected, or you have no access to it", qualified_name(relation)),
      "A budget is shown to the table's owner and to roles with access to the table.",
      "The budgets that you may see are in dpmix.budget.");
}

}  // namespace

text* budget_picture(Oid relation, Oid viewer, TimestampTz made, TimestampTz until) {
  Account account = read_account(relation, viewer, until);
  if (!account.found) refuse_table(relation);
  for (int i = 0; i < account.cells; i++) {
    if (account.cell[i].role != NULL) account.cell[i].role = as_utf8(account.cell[i].role);
  }
  const char* name = as_utf8(qualified_name(relation));
  const double now = (double)made / USECS_PER_SEC;
  if (account.blocks.column != NULL) account.blocks.column = as_utf8(account.blocks.column);
  account.today = block_of_now(account.blocks);
  return guard([&] {
    return text_of(account.blocks.any ? draw_blocks(blocks_picture_of(account, name))
                                      : draw_budget(picture_of(account, name, now)));
  });
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_budget_svg(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  PG_RETURN_TEXT_P(budget_picture(PG_GETARG_OID(0), GetUserId(), GetCurrentTimestamp(), DT_NOEND));
}
