// dpmix.forecast: the sums of the ledger at three moments, extrapolated by core.
#include "core/accounting/forecast.hpp"

#include <cmath>
#include <optional>
#include <string>

#include "pg/report/forecast.hpp"
#include "pg/catalog/protected_table.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/sums_before.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/acl.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_forecast);
}

namespace dpmix::pg {
namespace {

constexpr double kDayMicroseconds = 86400e6;
constexpr double kMostSpanDays = 36525, kMostDaysLeft = 365250;

// Runs as the caller: the view decides who sees what.
Statement seen_budget = {"SELECT FROM dpmix.budget b WHERE b.relation OPERATOR(pg_catalog.=) $1",
                         1,
                         {REGCLASSOID},
                         NULL};

// The newest by then; when the first was set, and whether others were set after a time.
Statement budget_then = {
    "SELECT n.epsilon::text, n.delta::text, f.at, "
    "       EXISTS (SELECT FROM dpmix.budget_change h WHERE h.table_id = $1 AND h.id > f.id "
    "               AND h.at > $2 AND h.at <= $3) "
    "FROM (SELECT id, epsilon, delta FROM dpmix.budget_change WHERE table_id = $1 AND at <= $3 "
    "      ORDER BY id DESC LIMIT 1) n, "
    "     (SELECT id, at FROM dpmix.budget_change WHERE table_id = $1 ORDER BY at, id LIMIT 1) f",
    3,
    {INT8OID, TIMESTAMPTZOID, TIMESTAMPTZOID},
    NULL};

// The newest by then of the viewer's roles, as in dpmix.ledger.
Statement own_charge = {
    "SELECT g.id, g.at FROM dpmix.charge g WHERE g.table_id = $1 AND g.at <= $2 AND g.role IN ("
    "  SELECT r.rolname FROM pg_roles r WHERE pg_has_role($3, r.oid, 'USAGE')) "
    "ORDER BY g.id DESC LIMIT 1",
    3,
    {INT8OID, TIMESTAMPTZOID, OIDOID},
    NULL};

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
  Datum values[] = {Int64GetDatum(span->row->id), TimestampTzGetDatum(span->from),
                    ObjectIdGetDatum(span->viewer)};
  const bool charged = read_rows(own_charge, values) > 0;
  bool null;
  span->from = charged ? DatumGetTimestampTz(result_datum(0, 2, &null)) : DT_NOBEGIN;
  return charged ? DatumGetInt64(result_datum(0, 1, &null)) + 1 : 0;
}

void read_span(void* arg) {
  Span* span = (Span*)arg;
  const int64 table = span->row->id;
  const TimestampTz asked = span->from;
  const int64 own = OidIsValid(span->viewer) ? begin_at_own_charge(span) : 0;
  Datum values[] = {Int64GetDatum(table), TimestampTzGetDatum(span->from),
                    TimestampTzGetDatum(span->all ? DT_NOEND : span->to)};
  if (read_rows(budget_then, values) == 0) return;
  bool null;
  span->known = true;
  span->epsilon = result_text(0, 1);
  span->delta = result_text(0, 2);
  const TimestampTz first = DatumGetTimestampTz(result_datum(0, 3, &null));
  span->budget_changed = DatumGetBool(result_datum(0, 4, &null));
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

Spending spending_of(const TableSums& sums) {
  return {Decimal::parse(sums.sum[0]), Decimal::parse(sums.sum[1]), Decimal::parse(sums.sum[2]),
          Decimal::parse(sums.sum[3])};
}

Spending difference(const Spending& a, const Spending& b) {
  return {a.epsilon - b.epsilon, a.delta - b.delta, a.amount - b.amount,
          a.added_delta - b.added_delta};
}

TableForecast forecast_of(const Span& span) {
  const Filter filter(accountant_of(span.row->accountant).value(), Decimal::parse(span.epsilon),
                      Decimal::parse(span.delta), span.row->order);
  const Spending spent = spending_of(span.after);
  const Pace pace{.taken = difference(spent, spending_of(span.before)),
                  .taken_late = OidIsValid(span.viewer)
                                    ? std::nullopt
                                    : std::optional(difference(spent, spending_of(span.half))),
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
  const std::string limited_by(found.limited_by);
  const char *sum = limited_by.c_str(), *caution = found.caution.c_str();
  postgres([&] {
    out.limited_by = sum[0] == '\0' ? NULL : pstrdup(sum);
    out.caution = caution[0] == '\0' ? NULL : pstrdup(caution);
  });
  return out;
}

// The table's record, for those who see it in dpmix.budget.
const CatalogRow* seen_row(Oid relation) {
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "could not connect to SPI");
  Datum value = ObjectIdGetDatum(relation);
  const bool visible = read_rows(seen_budget, &value) == 1;
  SPI_finish();
  const CatalogRow* row = visible ? look_up_catalog_row(relation) : NULL;
  if (row == NULL) {
    ereport(ERROR,
            (errcode(DPMIX_SQLSTATE(not_protected)),
             errmsg("there is no budget of table %s, or it is not yours to see",
                    qualified_name(relation)),
             errdetail("A budget is shown to the owner of its table and to roles with access."),
             errhint("The tables whose budgets you may see are in dpmix.budget.")));
  }
  return row;
}

bool owns(Oid relation) {
  const Oid owner = relation_owner(relation);
  return OidIsValid(owner) && has_privs_of_role(GetUserId(), owner);
}

[[noreturn]] void refuse_at(Oid relation) {
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("\"at\" is for the owner of table %s", qualified_name(relation)),
                  errdetail("The totals of earlier moments tell when others were charged."),
                  errhint("Leave it out for now.")));
}

[[noreturn]] void refuse_span(const Interval* past) {
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("past is out of range"),
           errdetail("It is %s; valid are spans above 0 and up to 100 years.",
                     DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(past)))),
           errhint("Take a span whose pace is typical, such as '30 days'.")));
}

}  // namespace

void require_span(const Interval* past) {
  const double days = (double)past->time / kDayMicroseconds + past->day + 365.25 / 12 * past->month;
  if (!(days > 0 && days <= kMostSpanDays)) refuse_span(past);
}

void require_past(TimestampTz at) {
  if (!TIMESTAMP_NOT_FINITE(at) && at <= GetCurrentTimestamp()) return;
  ereport(
      ERROR,
      (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("\"at\" is no moment that has passed"),
       errdetail("It is %s.", timestamptz_to_str(at)),
       errhint("Name a moment since the table was protected, or leave it out for now.")));
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
    as_catalog_owner(read_span, &span);
  }
  if (!span.known) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("table %s was not protected then", qualified_name(row->relation)),
                    errdetail("Asked was for %s.", timestamptz_to_str(span.to)),
                    errhint("Its budgets are in dpmix.budget_history.")));
  }
  return guard([&] { return forecast_of(span); });
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_forecast(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("relation or past is NULL"),
                    errdetail("A forecast is of one table, from a past span."),
                    errhint("Leave past out for 30 days.")));
  }
  const Oid relation = PG_GETARG_OID(0);
  const Interval* past = PG_GETARG_INTERVAL_P(1);
  const TimestampTz at = PG_ARGISNULL(2) ? 0 : PG_GETARG_TIMESTAMPTZ(2);
  require_span(past);
  if (!PG_ARGISNULL(2)) require_past(at);
  const CatalogRow* row = seen_row(relation);
  const Oid viewer = owns(relation) ? InvalidOid : GetUserId();
  if (OidIsValid(viewer) && !PG_ARGISNULL(2)) refuse_at(relation);
  const TableForecast found = table_forecast(row, past, PG_ARGISNULL(2) ? NULL : &at, viewer);

  TupleDesc shape;
  if (get_call_result_type(fcinfo, NULL, &shape) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "dpmix.forecast returns a row");
  }
  const bool paced = found.limited_by != NULL;
  Datum values[] = {ObjectIdGetDatum(relation),
                    TimestampTzGetDatum(found.since),
                    Int64GetDatum(found.charges),
                    Float8GetDatum(found.share_spent),
                    Float8GetDatum(found.share_per_day),
                    Float8GetDatum(found.epsilon_per_day),
                    paced ? CStringGetTextDatum(found.limited_by) : (Datum)0,
                    Int64GetDatum(found.charges_left),
                    Float8GetDatum(found.days_left),
                    TimestampTzGetDatum(found.runs_out_at),
                    found.caution != NULL ? CStringGetTextDatum(found.caution) : (Datum)0};
  bool nulls[lengthof(values)] = {};
  nulls[6] = nulls[7] = !paced;
  nulls[8] = std::isinf(found.days_left);
  nulls[9] = !found.ends;
  nulls[10] = found.caution == NULL;
  PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(shape), values, nulls)));
}
