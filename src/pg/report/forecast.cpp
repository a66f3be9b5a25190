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
#include "pg/report/blocks.hpp"
#include "pg/report/seen_table.hpp"

extern "C" {
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_forecast);
}

namespace dpmix::pg {
namespace {

constexpr double kDayMicroseconds = 86400e6;
constexpr double kMostSpanDays = 36525, kMostDaysLeft = 365250;

// The newest by then; when the first was set, and whether others were set after a time.
Statement budget_then = {
    "SELECT n.epsilon::text, n.delta::text, f.at, "
    "       EXISTS (SELECT FROM dpmix.budget_change h WHERE h.table_id = $1 AND h.id > f.id "
    "               AND h.at > $2 AND h.at <= $3) "
    "FROM (SELECT id, epsilon, delta FROM dpmix.budget_change WHERE table_id = $1 AND at <= $3 "
    "      ORDER BY id DESC LIMIT 1) n, "
    "     (SELECT id, at FROM dpmix.budget_change WHERE table_id = $1 ORDER BY at, id LIMIT 1) f"};

// The newest by then of the viewer's roles, as in dpmix.ledger.
Statement own_charge = {"SELECT g.id, g.at FROM dpmix.charge g WHERE g.table_id = " DPMIX_TABLES_OF(
    "$1") " "
          "AND g.at <= $2 AND g.role_number IN ("
          "  SELECT r.number FROM dpmix_internal.bound_role r "
          "  WHERE pg_has_role($3, r.oid, 'USAGE')) "
          "ORDER BY g.id DESC LIMIT 1"};

// The sums of an account's charges that name block $4, with ids from $2 to below $3.
Statement block_sums = {
    "SELECT count(*), coalesce(sum(g.epsilon), 0), coalesce(sum(g.delta), 0), "
    "       coalesce(sum(g.cost), 0), coalesce(sum(g.cost_delta), 0) "
    "FROM dpmix.charge g WHERE g.table_id = " DPMIX_TABLES_OF("$1") " "
    "AND g.id >= $2 AND g.id < $3 AND (g.blocks IS NULL OR g.blocks @> $4)"};

struct Span {
  const CatalogRow* row;
  Oid viewer;  // InvalidOid: who sees every charge
  TimestampTz from, to;
  bool all;  // also what a clock set back would call future
  bool known, cut, widened, budget_changed;
  const char *epsilon, *delta;
  AccountSums before, half, after;
  DeclaredBlocks blocks;
  int64 begin, middle, end;  // ids of charges: the first of the span, of its later half, after it
};

// Between own charges the viewer learns of others' only in sum (dpmix.audit): a span that began
// anywhere would tell when each was made, and of how much.
int64 begin_at_own_charge(Span* span) {
  const bool charged =
      read_rows(own_charge, {span->row->account, time_value(span->from), span->viewer}) > 0;
  span->from = charged ? ResultRow{}.time(2) : DT_NOBEGIN;
  return charged ? ResultRow{}.int8(1) + 1 : 0;
}

void read_span(Span* span) {
  const int64 account = span->row->account;
  const TimestampTz asked = span->from;
  const int64 own = OidIsValid(span->viewer) ? begin_at_own_charge(span) : 0;
  if (read_rows(budget_then, {account, time_value(span->from),
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
    span->begin = span->middle = own;
  } else {
    span->begin = first_charge_after(account, span->from);
    span->middle = first_charge_after(account, span->from + (span->to - span->from) / 2);
  }
  span->end = span->all ? PG_INT64_MAX : first_charge_after(account, span->to);
  span->blocks = read_declared_blocks(span->row->id);
  if (span->blocks.any) return;
  span->before = sums_before(account, span->begin);
  span->half = sums_before(account, span->middle);
  span->after = sums_before(account, span->end);
}

AccountSums sums_between(int64 account, int64 begin, int64 end, int64 block) {
  (void)read_rows(block_sums, {account, begin, end, block});
  const ResultRow row;
  return {row.int8(1), sums_in(row, 2)};
}

Spending difference(const Spending& a, const Spending& b) {
  return {a.epsilon - b.epsilon, a.delta - b.delta, a.amount - b.amount,
          a.added_delta - b.added_delta};
}

struct Course {  // that of an account, or of its fullest block
  Spending spent, taken, taken_late;
  int64 charges;           // those of the span
  BlockRange blocks = {};  // where there are any
};

Course course_of_table(const Span& span) {
  const Spending spent = spending_of(span.after.sums);
  return {spent, difference(spent, spending_of(span.before.sums)),
          difference(spent, spending_of(span.half.sums)), span.after.charges - span.before.charges};
}

Course course_of_block(const Span& span, const Filter& filter) {
  const int64 account = span.row->account;
  const std::vector<BlockSegment> runs = charged_blocks(account, span.blocks.own, span.end - 1);
  const BlockSegment fullest = shares_of(runs, BlockFilter(filter)).fullest;
  AccountSums taken = {}, late = {};
  postgres([&] {
    as_catalog_owner([&] {
      taken = sums_between(account, span.begin, span.end, fullest.blocks.first);
      late = sums_between(account, span.middle, span.end, fullest.blocks.first);
    });
  });
  return {fullest.sums.decimals(), spending_of(taken.sums), spending_of(late.sums), taken.charges,
          fullest.blocks};
}

// Blocks end one by one: the course of the fullest says nothing of the others.
std::string caution_of_block(const Span& span, BlockRange fullest, std::string_view caution) {
  const char* named = NULL;
  postgres([&] { named = named_blocks(span.blocks, fullest); });
  return std::string("It is about ") + named +
         ", the fullest; what names other blocks may last longer." + (caution.empty() ? "" : " ") +
         std::string(caution);
}

TableForecast forecast_of(const Span& span) {
  const Filter filter(accountant_of(span.row->accountant).value(), Decimal::parse(span.epsilon),
                      Decimal::parse(span.delta), span.row->order);
  const bool blocks = span.blocks.any;
  const Course course = blocks ? course_of_block(span, filter) : course_of_table(span);
  const Pace pace{
      .taken = course.taken,
      .taken_late = OidIsValid(span.viewer) ? std::nullopt : std::optional(course.taken_late),
      .charges = course.charges,
      .seconds = static_cast<double>(span.to - span.from) / 1e6,
      .cut = span.cut,
      .widened = span.widened,
      .budget_changed = span.budget_changed};
  Forecast found = forecast(filter, course.spent, pace);
  if (blocks && course.spent.epsilon > Decimal()) {
    found.caution = caution_of_block(span, course.blocks, found.caution);
  }
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

[[noreturn]] void refuse_at(Oid relation) {
  refuse(ERRCODE_INSUFFICIENT_PRIVILEGE,
         psprintf("\"at\" is for the owner and auditors of table %s", qualified_name(relation)),
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
  const CatalogRow* row = require_seen_budget(relation);
  const Oid viewer = audits(relation) ? InvalidOid : GetUserId();
  if (OidIsValid(viewer) && !PG_ARGISNULL(2)) refuse_at(relation);
  const TableForecast found = table_forecast(row, past, PG_ARGISNULL(2) ? NULL : &at, viewer);

  return row_datum(fcinfo, {relation, time_value(found.since), found.charges, found.share_spent,
                            found.share_per_day, found.epsilon_per_day, found.limited_by,
                            value_if(found.limited_by != NULL, found.charges_left),
                            value_if(!std::isinf(found.days_left), found.days_left),
                            value_if(found.ends, time_value(found.runs_out_at)), found.caution});
}
