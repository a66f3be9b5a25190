// dpmix.create_counter and drop_counter.
#include "core/counter/factorisation.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"
#include "pg/counter/plan.hpp"
#include "pg/counter/steps.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/process/release.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/schedule/store.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/guc.h"

PG_FUNCTION_INFO_V1(dpmix_create_counter);
PG_FUNCTION_INFO_V1(dpmix_drop_counter);
}

namespace dpmix::pg {
namespace {

constexpr int kNameCharacters = 100;
constexpr int kNameBytes = 200;
constexpr size_t kTextBytes = 1 << 20;
constexpr int64 kMostNumbers = 10000000;  // numbers of all steps together

const char* counter_name(FunctionCallInfo fcinfo) {
  const char* name = text_argument(fcinfo, 0);
  if (name[0] == '\0' || pg_mbstrlen(name) > kNameCharacters || strlen(name) > kNameBytes) {
    refuse_argument(
        "invalid name of a counter",
        psprintf("It has %d characters in %zu bytes; the valid range is 1 to %d, in up to %d.",
                 pg_mbstrlen(name), strlen(name), kNameCharacters, kNameBytes),
        "Choose a short name.");
  }
  return name;
}

// Others would have to be charged at each step for each age of their blocks.
void require_reserve(FunctionCallInfo fcinfo) {
  if (PG_GETARG_BOOL(6)) return;
  refuse_argument("reserve => false is not possible",
                  "A block pays for all steps of its life when it enters.", "Leave reserve out.");
}

// The period in blocks.
int64 read_period(FunctionCallInfo fcinfo, const ProtectedTable* table) {
  const int64 width = table->blocks.grid.width;
  const int64 period = span_of(table->blocks.type, text_argument(fcinfo, 2));
  if (period > 0 && period % width == 0) return period / width;
  refuse_argument("the period is not a number of whole blocks",
                  psprintf("It is \"%s\".", quoted_prefix(text_argument(fcinfo, 2))),
                  follows_clock(table->blocks.type)
                      ? "Give a multiple of the width of the table's blocks, such as "
                        "1 day or 7 days."
                      : "Give a multiple of the width of the table's blocks.");
}

int read_steps(FunctionCallInfo fcinfo, const ProtectedTable* table, int64 period) {
  const int64 horizon = span_of(table->blocks.type, text_argument(fcinfo, 3));
  const int64 steps = horizon / table->blocks.grid.width / period;
  if (steps >= 1 && steps <= kMostCounterSteps) return (int)steps;
  refuse_argument("the horizon is not 1 to 10000 periods",
                  psprintf("It is \"%s\", or " INT64_FORMAT " periods.",
                           quoted_prefix(text_argument(fcinfo, 3)), steps),
                  "Give how long the counter is to run, such as 365 days.");
}

// The time of grace in microseconds.
int64 read_grace(FunctionCallInfo fcinfo, const ProtectedTable* table) {
  if (PG_ARGISNULL(7)) return 0;
  const auto* grace = (const ::Interval*)DatumGetPointer(PG_GETARG_DATUM(7));
  if (follows_clock(table->blocks.type) && grace->month == 0 && grace->day >= 0 &&
      grace->time >= 0 && grace->day < 36500 && grace->time < 36500 * USECS_PER_DAY) {
    return grace->day * USECS_PER_DAY + grace->time;
  }
  refuse_argument("grace is no time that blocks can wait for",
                  follows_clock(table->blocks.type)
                      ? "It is 0 or more, without months, below a hundred years."
                      : "Blocks of whole numbers have no clock.",
                  "Give an interval such as 3 days, or leave it out.");
}

// Requires room for what every step will do.
void require_room(const CounterPlan& plan, int steps) {
  const int64 numbers = (int64)plan.groups->count * plan.statistics->count;
  if (numbers * steps > kMostNumbers) {
    refuse_argument("the counter has too many numbers",
                    psprintf("It would keep " INT64_FORMAT " for each of %d steps; all together "
                             "may be " INT64_FORMAT ".",
                             numbers, steps, kMostNumbers),
                    "Group by fewer columns, or choose a shorter horizon.");
  }
  const int ages = guard([&] { return most_ages(CounterFactorisation(steps)); });
  int64* from = (int64*)palloc(sizeof(int64) * ages);
  for (int i = 0; i < ages; i++) from[i] = i;
  const QueryGroups groups = groups_by_age(plan, from, ages);
  require_memory(&groups, plan.statistics);
}

void read_columns(const CounterPlan& plan, const CounterPrice& price, Counter* counter) {
  counter->columns = plan.columns;
  counter->column = plan.column;
  counter->statistic = plan.statistic;
  counter->unit = (double*)palloc(sizeof(double) * plan.columns);
  for (int i = 0; i < plan.columns; i++) {
    const QueryStatistic& statistic = plan.statistics->statistic[plan.statistic[i]];
    counter->unit[i] = statistic.lattice.step / kCounterUnits;
  }
  counter->statistics = plan.statistics->count;
  counter->deviation = (double*)palloc(sizeof(double) * counter->statistics);
  for (int i = 0; i < counter->statistics; i++) {
    // A bit more, so that another version, which may compute the last digits otherwise, goes on.
    counter->deviation[i] = price.noise[i].law.scale * (1 + 1e-8);
  }
  counter->groups = plan.groups->count;
  counter->group = plan.group;
  counter->form = plan.form;
}

void describe_session(Counter* counter) {
  counter->owner = GetUserId();
  counter->owner_name = GetUserNameFromId(counter->owner, false);
  counter->time_zone = pstrdup(GetConfigOption("TimeZone", false, false));
  counter->search_path = pstrdup(GetConfigOption("search_path", false, false));
  counter->date_style = pstrdup(GetConfigOption("DateStyle", false, false));
  if (strlen(counter->query) + strlen(counter->search_path) < kTextBytes) return;
  refuse_argument("the query is too long", "It and the search_path may have 1 MiB.",
                  "Make it shorter.");
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_create_counter(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 7);
  require_primary();
  Counter counter = {};
  counter.name = counter_name(fcinfo);
  counter.query = text_argument(fcinfo, 1);
  counter.params = PG_ARGISNULL(8) ? NULL : PG_GETARG_ARRAYTYPE_P(8);
  const Guarantee asked = gaussian_guarantee(fcinfo, 4);
  counter.epsilon = asked.epsilon;
  counter.delta = asked.delta;
  require_reserve(fcinfo);
  describe_session(&counter);
  const int level = enter_session(&counter);  // as its steps will do
  const CounterPlan plan = plan_counter(counter.query, counter.params, 0);
  counter.table_id = plan.table->id;
  counter.period = read_period(fcinfo, plan.table);
  counter.steps = read_steps(fcinfo, plan.table, counter.period);
  counter.grace = read_grace(fcinfo, plan.table);
  const CounterPrice price = price_counter(plan, counter.epsilon, counter.delta, counter.steps);
  require_room(plan, counter.steps);
  read_columns(plan, price, &counter);
  BlockRange first = {0, 0};
  const Outlook outlook = outlook_of(charge_request(terms_of_step(plan, price, &first)));
  leave_settings(level);
  insert_counter(&counter);

  const double reach = counter.unit[0] * guard([&] {
                         return CounterFactorisation(counter.steps)
                             .reach_95(0, counter.steps, counter.deviation[counter.statistic[0]]);
                       });
  add_row(begin_rows(fcinfo), {counter.name, (int32)counter.steps, counter.epsilon, counter.delta,
                               outlook.share, reach});
  return (Datum)0;
}

Datum dpmix_drop_counter(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  require_primary();
  const char* name = text_argument(fcinfo, 0);
  const int64 id = open_counter(name)->id;
  lock_counter(id);
  delete_counter(id);
  PG_RETURN_VOID();
}
