// dpmix.report: the ledger and the declarations of one table, read for its owner and written as a
// page by core. Nothing here reads the table.
#include <string>

#include "pg/report/budget_picture.hpp"
#include "pg/report/forecast.hpp"
#include "pg/border/guard.hpp"
#include "pg/owner/owned.hpp"
#include "pg/border/drawn_text.hpp"
#include "pg/report/facts.hpp"
#include "core/report/page.hpp"

extern "C" {
#include "utils/array.h"  // VARDATA_ANY
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_report);
}

namespace dpmix::pg {
namespace {

constexpr int kMostCharges = 10000;

const CatalogRow* owned_row(Oid relation) {
  lock_owned(relation, AccessShareLock);
  const CatalogRow* row = look_up_catalog_row(relation);
  if (row == NULL || row->relation != relation) {  // or one of its name was, and was dropped
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(not_protected)),
                    errmsg("table %s was never protected", qualified_name(relation)),
                    errdetail("A report is of a table that has a budget, or had one."),
                    errhint("Protect it with dpmix.protect().")));
  }
  return row;
}

void require_newest(int newest) {
  if (newest >= 0 && newest <= kMostCharges) return;
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("newest is out of range"),
                  errdetail("newest is %d; valid values are 0 to %d.", newest, kMostCharges),
                  errhint("Leave it out for 300: older charges are summed by month.")));
}

const char* moment_text(TimestampTz at) {
  return text_to_cstring(DatumGetTextPP(DirectFunctionCall2(
      timestamptz_to_char, TimestampTzGetDatum(at), CStringGetTextDatum("YYYY-MM-DD HH24:MI"))));
}

ReportedForecast reported(const TableForecast& found) {
  ReportedForecast out = {};
  out.since = moment_text(found.since);
  if (found.ends) out.runs_out_at = moment_text(found.runs_out_at);
  if (found.caution != NULL) out.caution = found.caution;
  if (found.limited_by != NULL) out.limited_by = found.limited_by;
  out.charges = found.charges;
  out.charges_left = found.charges_left;
  out.days_left = found.days_left;
  out.epsilon_per_day = found.epsilon_per_day;
  return out;
}

// What the views of budgets show of the sums.
void add_gauges(FactsRead* read) {
  guard([&] {
    const Filter filter(accountant_of(read->row->accountant).value(), Decimal::parse(read->epsilon),
                        Decimal::parse(read->delta), read->row->order);
    const Spending spent = {Decimal::parse(read->sum[0]), Decimal::parse(read->sum[1]),
                            Decimal::parse(read->sum[2]), Decimal::parse(read->sum[3])};
    ReportFacts& facts = read->facts;
    facts.epsilon = Decimal::parse(read->epsilon).approximate();
    facts.delta = Decimal::parse(read->delta).approximate();
    facts.epsilon_spent = filter.epsilon_spent(spent);
    facts.share_spent = filter.share_spent(spent);
    facts.epsilon_declared = spent.epsilon.approximate();
    facts.delta_declared = spent.delta.approximate();
  });
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_report(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  require_newest(PG_GETARG_INT32(1));
  const bool past = !PG_ARGISNULL(2);
  TimestampTz at = past ? PG_GETARG_TIMESTAMPTZ(2) : GetCurrentTimestamp();
  if (past) require_past(at);
  FactsRead read = {};
  read.row = owned_row(PG_GETARG_OID(0));
  read.newest = PG_GETARG_INT32(1);
  read.made = at;
  read.until = past ? at : DT_NOEND;
  Interval month = {};
  month.day = 30;
  const TableForecast forecast = table_forecast(read.row, &month, past ? &at : NULL, InvalidOid);
  as_catalog_owner(read_facts, &read);
  read_facts_of_caller(&read);
  read.facts.table = as_utf8(qualified_name(PG_GETARG_OID(0)));
  read.facts.forecast = reported(forecast);
  add_gauges(&read);
  text* picture = budget_picture(read.row->relation, GetUserId(), read.made, read.until);
  read.facts.picture = {VARDATA_ANY(picture), (size_t)VARSIZE_ANY_EXHDR(picture)};
  text* page = NULL;
  guard([&] { page = text_of(report_page(read.facts)); });
  PG_RETURN_TEXT_P(page);
}
