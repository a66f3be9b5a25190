#include "pg/report/forecast.hpp"

#include <cmath>
#include <optional>
#include <string>

#include "core/accounting/forecast.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/ledger/sums.hpp"

extern "C" {
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_forecast);
}

namespace dpmix::pg {
namespace {

constexpr double kDayMicroseconds = 86400e6;
constexpr double kMostSpanDays = 36525, kMostDaysLeft = 365250;

// Runs as the caller: the view decides who sees what.
Statement seen_budget = {"SELECT FROM dpmix.budget b WHERE b.relation OPERATOR(pg_catalog.=) $1"};

// The newest by then; when the first was set, and whether others were set after a time.
Statement budget_then = {
    "SELECT n.epsilon::text, n.delta::text, f.at, "
    "       EXISTS (SELECT FROM dpmix.budget_change h WHERE h.table_id = $1 AND h.id > f.id "
    "               AND h.at > $2 AND h.at <= $3) "
    "FROM (SELECT id, epsilon, delta FROM dpmix.budget_change WHERE table_id = $1 AND at <= $3 "
    "      ORDER BY id DESC LIMIT 1) n, "
    "     (SELECT id, at FROM dpmix.budget_change WHERE table_id = $1 ORDER BY at, id LIMIT 1) f"};

// The newest by then of the viewer's roles, as in dpmix.ledger.
Statement own_charge = {
    "SELECT g.id, g.at FROM dpmix.charge g WHERE g.table_id = $1 AND g.at <= $2 AND g.role IN ("
    "  SELECT r.rolname FROM pg_roles r WHERE pg_has_role($3, r.oid, 'USAGE')) "
    "ORDER BY g.id DESC LIMIT 1"};

struct Span {
  const CatalogRow* row;
  Oid viewer;  // InvalidOid: who sees every charge
  TimestampTz from, to;
  bool all;  // also what a clock set back would call future
  bool known, cut, widened, budget_changed;
  const char *epsilon, *delta;
  TableSums before, half, after;
};

// Between own charges the viewer learns of others' only in sum (dpmix.audit): a span that began
// anywhere would tell when each was made, and of how much.
int64 begin_at_own_charge(Span* span) {
  const bool charged =
      read_rows(own_charge, {span->row->id, time_value(span->from), span->viewer}) > 0;
  span->from = charged ? ResultRow{}.time(2) : DT_NOBEGIN;
  return charged ? ResultRow{}.int8(1) + 1 : 0;
}

void read_span(Span* span) {
  const int64 table = span->row->id;
  const TimestampTz asked = span->from;
  const int64 own = OidIsValid(span->viewer) ? begin_at_own_charge(span) : 0;
  if (read_rows(budget_then, {table, time_value(span->from),
                              time_value(span->all ? DT_NOEND : span->to)}) == 0) {
    return;
  }
  const ResultRow row;
  span->known = true;
  span->epsilon = row.text(1);
  span->delta = row.text(2);
  const TimestampTz first = row.time(3);
  span->budget_changed = row.truth(4);
  span->cut = first > asked;
  if (first > span->from) span->from = Min(first, span->to);
  span->widened = span->from < asked;
  if (OidIsValid(span->viewer)) {
    span->before = sums_before(table, own);
  } else {
    span->before = sums_before(table, first_charge_after(table, span->from));
    span->half =
        sums_before(table, first_charge_after(table, span->from + (span->to - span->from) / 2));
  }
  span->after = sums_before(table, span->all ? PG_INT64_MAX : first_charge_after(table, span->to));
}

Spending difference(const Spending& a, const Spending& b) {
  return {a.epsilon - b.epsilon, a.delta - b.delta, a.amount - b.amount,
          a.added_delta - b.added_delta};
}

TableForecast forecast_of(const Span& span) {
  const Filter filter(accountant_of(span.row->accountant).value(), Decimal::parse(span.epsilon),
                      Decimal::parse(span.delta), span.row->order);
  const Spending spent = spending_of(span.after.sums);
  const Pace pace{.taken = difference(spent, spending_of(span.before.sums)),
                  .taken_late = OidIsValid(span.viewer)
                                    ? std::nullopt
                                    : std::optional(difference(spent, spending_of(span.half.sums))),
                  .charges = span.after.charges - span.before.charges,
                  .seconds = static_cast<double>(span.to - span.from) / 1e6,
                  .cut = span.cut,
                  .widened = span.widened,
                  .budget_changed = span.budget_changed};
  const Forecast found = forecast(filter, spent, pace);
  constexpr double day = 86400;
  TableForecast out = {};
  out.since = span.from;
  out.charges = pace.charges;
  out.share_spent = found.share_spent;
  out.share_per_day = found.share_per_second * day;
  out.epsilon_per_day =
      pace.seconds > 0 ? pace.taken.epsilon.approximate() / pace.seconds * day : 0;
  out.charges_left = found.charges_left;
  out.days_left = found.seconds_left / day;
  out.ends = out.days_left < kMostDaysLeft;
  if (out.ends) out.runs_out_at = span.to + (TimestampTz)(found.seconds_left * 1e6);
  if (!found.limited_by.empty()) out.limited_by = c_string_of(std::string(found.limited_by));
  if (!found.caution.empty()) out.caution = c_string_of(std::string(found.caution));
  return out;
}

// The table's record, for those who see it in dpmix.budget.
const CatalogRow* seen_row(Oid relation) {
  SPI_connect();
  const bool visible =
      read_rows(seen_budget, {Value(REGCLASSOID, ObjectIdGetDatum(relation))}) == 1;
  SPI_finish();
  const CatalogRow* row = visible ? find_catalog_row(relation) : NULL;
  if (row == NULL) {
    refuse(ErrorCode::not_protected,
           psprintf("there is no budget of table %s, or it is not yours to see",
                    qualified_name(relation)),
           "A budget is shown to the owner of its table and to roles with access.",
           "The tables whose budgets you may see are in dpmix.budget.");
  }
  return row;
}

[[noreturn]] void refuse_at(Oid relation) {
  refuse(ERRCODE_INSUFFICIENT_PRIVILEGE,
         psprintf("\"at\" is for the owner of table %s", qualified_name(relation)),
         "The totals of earlier moments tell when others were charged.", "Leave it out for now.");
}

[[noreturn]] void refuse_span(const Interval* past) {
  refuse_argument(
      "past out of range",
      psprintf("past is %s; it must be above 0 and at most 100 years.",
               DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(past)))),
      "Take a span whose pace is typical, such as '30 days'.");
}

void require_span(const Interval* past) {
  const double days = (double)past->time / kDayMicroseconds + past->day + 365.25 / 12 * past->month;
  if (!(days > 0 && days <= kMostSpanDays)) refuse_span(past);
}

}  // namespace

void require_past(TimestampTz at) {
  if (!TIMESTAMP_NOT_FINITE(at) && at <= GetCurrentTimestamp()) return;
  refuse_argument("\"at\" is no moment that has passed",
                  psprintf("It is %s.", timestamptz_to_str(at)),
                  "Name a moment since the table was protected, or leave it out for now.");
}

TableForecast table_forecast(const CatalogRow* row, const Interval* past, const TimestampTz* at,
                             Oid viewer) {
  Span span = {};
  span.row = row;
  span.viewer = viewer;
  span.all = at == NULL;
  span.to = at != NULL ? *at : GetCurrentTimestamp();
  if (span.to > 0) {  // not before 2000, where a span may leave the calendar
    span.from = DatumGetTimestampTz(DirectFunctionCall2(
        timestamptz_mi_interval, TimestampTzGetDatum(span.to), IntervalPGetDatum(past)));
    if (span.from >= span.to) refuse_span(past);  // '1 month -29 days', in February
    as_catalog_owner([&] { read_span(&span); });
  }
  if (!span.known) {
    refuse_argument(psprintf("table %s was not protected then", qualified_name(row->relation)),
                    psprintf("Asked was for %s.", timestamptz_to_str(span.to)),
                    "Its budgets are in dpmix.budget_history.");
  }
  return guard([&] { return forecast_of(span); });
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_forecast(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const Oid relation = PG_GETARG_OID(0);
  const Interval* past = PG_GETARG_INTERVAL_P(1);
  const TimestampTz at = PG_ARGISNULL(2) ? 0 : PG_GETARG_TIMESTAMPTZ(2);
  require_span(past);
  if (!PG_ARGISNULL(2)) require_past(at);
  const CatalogRow* row = seen_row(relation);
  const Oid viewer = owns_relation(relation) ? InvalidOid : GetUserId();
  if (OidIsValid(viewer) && !PG_ARGISNULL(2)) refuse_at(relation);
  const TableForecast found = table_forecast(row, past, PG_ARGISNULL(2) ? NULL : &at, viewer);

  return row_datum(fcinfo, {relation, time_value(found.since), found.charges, found.share_spent,
                            found.share_per_day, found.epsilon_per_day, found.limited_by,
                            value_if(found.limited_by != NULL, found.charges_left),
                            value_if(!std::isinf(found.days_left), found.days_left),
                            value_if(found.ends, time_value(found.runs_out_at)), found.caution});
}
