// dpmix.report: the ledger and the declarations of one table, or of all tables of a population,
// read for its owner and auditors and written as a page by core. Nothing here reads the table.

#include "core/report/page.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/owner/owned.hpp"
#include "pg/report/budget_picture.hpp"
#include "pg/report/facts.hpp"
#include "pg/report/forecast.hpp"
#include "pg/report/population_tables.hpp"
#include "pg/report/seen_table.hpp"

extern "C" {
#include "storage/lmgr.h"
#include "utils/array.h"  // VARDATA_ANY
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_report);
}

namespace dpmix::pg {
namespace {

constexpr int kMostCharges = 10000;

const CatalogRow* audited_row(Oid relation) {
  if (audits(relation)) LockRelationOid(relation, AccessShareLock);
  if (!audits(relation)) lock_owned(relation, AccessShareLock);  // refuses
  const CatalogRow* row = find_catalog_row(relation);
  if (row == NULL || row->relation != relation) {  // or one of its name was, and was dropped
    refuse(ErrorCode::not_protected,
           psprintf("table %s was never protected", qualified_name(relation)),
           "A report is of a table that has a budget, or had one.",
           "Protect it with dpmix.protect().");
  }
  return row;
}

const char* moment_text(TimestampTz at) {
  return text_to_cstring(DatumGetTextPP(DirectFunctionCall2(
      timestamptz_to_char, TimestampTzGetDatum(at), CStringGetTextDatum("YYYY-MM-DD HH24:MI"))));
}

std::string_view characters(const text* document) {
  return {VARDATA_ANY(document), (size_t)VARSIZE_ANY_EXHDR(document)};
}

ReportedForecast reported(const TableForecast& found, TimestampTz at) {
  ReportedForecast out = {};
  out.since = moment_text(found.since);
  if (found.ends) out.runs_out_at = moment_text(found.runs_out_at);
  if (found.caution != NULL) out.caution = found.caution;
  if (found.limited_by != NULL) out.limited_by = found.limited_by;
  out.charges = found.charges;
  out.charges_left = found.charges_left;
  out.days_left = found.days_left;
  out.epsilon_per_day = found.epsilon_per_day;
  out.days = (double)(at - found.since) / USECS_PER_DAY;
  return out;
}

// Its sums. Inside guard().
Spending add_fullest_block(FactsRead* read, const Filter& filter) {
  const BlockRange within = read->population != NULL ? kPaidBlocks : read->blocks.own;
  const std::vector<BlockSegment> runs = charged_blocks(read->row->account, within, read->end - 1);
  const BlockShares shares = shares_of(runs, BlockFilter(filter));
  read->facts.blocks.least_share = shares.least;
  if (!runs.empty()) {
    const char* named = NULL;
    postgres([&] { named = named_blocks(read->blocks, shares.fullest.blocks); });
    read->facts.blocks.fullest = named;
  }
  return shares.fullest.sums.decimals();
}

// What the views of budgets show of the sums.
void add_gauges(FactsRead* read) {
  guard([&] {
    const Filter filter(accountant_of(read->row->accountant).value(), Decimal::parse(read->epsilon),
                        Decimal::parse(read->delta), read->row->order);
    ReportFacts& facts = read->facts;
    const Spending spent =
        !read->blocks.any ? spending_of(read->sums) : add_fullest_block(read, filter);
    facts.epsilon = Decimal::parse(read->epsilon).approximate();
    facts.delta = Decimal::parse(read->delta).approximate();
    facts.epsilon_spent = filter.epsilon_spent(spent);
    facts.share_spent = filter.share_spent(spent);
    facts.epsilon_declared = spent.epsilon.approximate();
    facts.delta_declared = spent.delta.approximate();
  });
}

// What the page is about: one table, or a population.
void read_subject(FunctionCallInfo fcinfo, FactsRead* read) {
  const char* population = name_argument(fcinfo, 3);
  if (PG_ARGISNULL(0) == (population == NULL)) {
    refuse_argument("a report is of a table or of a population",
                    PG_ARGISNULL(0) ? "Neither is named." : "Both are named.",
                    "Write dpmix.report('visits'), or dpmix.report(population => 'patients').");
  }
  if (population == NULL) {
    read->row = audited_row(PG_GETARG_OID(0));
    read->ids = &read->row->id;
    read->relations = &read->row->relation;
    read->tables = read->present = 1;
    return;
  }
  const PopulationTables tables = require_seen_population(population);
  read->population = population;
  read->row = find_catalog_row(tables.relations[0]);
  if (read->row == NULL) elog(ERROR, "a table of population \"%s\" is gone", population);
  read->ids = tables.ids;
  read->relations = tables.relations;
  read->tables = tables.tables;
  read->present = tables.present;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_report(PG_FUNCTION_ARGS) {
  const int newest = int4_argument(fcinfo, 1).value_or(300);
  require_range(fcinfo, 1, newest, 0, kMostCharges,
                "Leave it out for 300: older charges are summed by month.");
  const bool past = !PG_ARGISNULL(2);
  TimestampTz at = past ? PG_GETARG_TIMESTAMPTZ(2) : GetCurrentTimestamp();
  if (past) require_past(at);
  FactsRead read = {};
  read_subject(fcinfo, &read);
  read.newest = newest;
  read.made = at;
  read.until = past ? at : DT_NOEND;
  Interval month = {};
  month.day = 30;
  const TableForecast forecast = table_forecast(read.row, &month, past ? &at : NULL, InvalidOid);
  list_facts(&read);
  read.facts.table =
      as_utf8(read.population != NULL ? read.population : qualified_name(read.row->relation));
  read.facts.forecast = reported(forecast, at);
  add_gauges(&read);
  read.facts.picture =
      characters(budget_picture(read.row->relation, GetUserId(), read.made, read.until));
  PG_RETURN_TEXT_P(guard([&] { return text_of(report_page(read.facts)); }));
}
