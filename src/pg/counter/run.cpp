// dpmix.run_counter: the next step of a counter, at most one. In the caller's session it takes the
// counter's lock and the rights and settings of who made it; in the release process it charges the
// blocks that enter, sums, adds noise, and stores the noisy numbers in a transaction of their own,
// before anybody hears that there are any. So a step that was seen is stored, whatever becomes of
// the caller's transaction. Proof: docs/proofs/counters.md.
#include "pg/border/arguments.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/run_as.hpp"
#include "pg/border/settings.hpp"
#include "pg/border/texts.hpp"
#include "pg/counter/steps.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/answer/group_noise.hpp"
#include "pg/query/check/joined_rows.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/statistics/worker_worth.hpp"
#include "pg/release/run.hpp"
#include "pg/schedule/store.hpp"

extern "C" {
#include "access/xact.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(dpmix_run_counter);
}

namespace dpmix::pg {
namespace {

// A step that is to be made.
struct Step {
  int number;
  BlockRange entering;
};

[[noreturn]] void refuse_step(const char* message, const char* detail, const char* hint) {
  refuse(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message, detail, hint);
}

// The first value that is not closed yet.
int64 open_from(const Counter* counter, Oid type) {
  return place_of_time(type, GetCurrentTransactionStartTimestamp() - counter->grace);
}

// The end of the step, as the caller says it or the clock.
int64 end_of(const Counter* counter, Oid type, const char* until) {
  const int64 now = place_of_time(type, GetCurrentTransactionStartTimestamp());
  const bool clock = follows_clock(type);
  if (until == NULL) {
    if (clock) return open_from(counter, type);
    refuse_argument("until is missing", "Blocks of whole numbers have no clock.",
                    "Say where the step ends: until => the first number that it does not have.");
  }
  int64 place;
  if (place_of_text(type, until, &place) && (!clock || place <= now)) return place;
  refuse_argument(psprintf("a step cannot end at \"%s\"", quoted_prefix(until)),
                  clock ? "That is not finite, or is still to come." : "That is not finite.",
                  "Leave it out to go by the clock.");
}

// Whole periods alone.
int64 last_block(const Counter* counter, const BlockGrid& grid, int64 end) {
  const int64 length = counter->period * grid.width;
  const auto periods = static_cast<int64>((static_cast<Int128>(end) - grid.first) / length);
  return end < grid.first ? -1 : periods * counter->period - 1;
}

void require_same_form(const Counter* counter, const CounterPlan& plan, const CounterPrice& price) {
  bool same = strcmp(counter->form, plan.form) == 0 && plan.table->id == counter->table_id &&
              plan.statistics->count == counter->statistics;
  // Both were computed from one form.
  for (int i = 0; same && i < counter->statistics; i++) {
    const double scale = price.noise[i].law.scale;
    same = scale <= counter->deviation[i];
    price.noise[i].law.scale = counter->deviation[i];
  }
  if (same) return;
  refuse_step(psprintf("the query of counter \"%s\" means something else by now", counter->name),
              "Bounds, categories or columns of its table were declared anew, or the table was "
              "protected anew.",
              "What was counted stays; create another counter to go on.");
}

// Clipped, so that it fits beside the name.
const char* parameters_of(const Counter* counter, const Step& step) {
  constexpr int kQueryBytes = 100, kEscaped = 6;  // bytes of an escaped one
  StringInfoData out;
  initStringInfo(&out);
  appendStringInfo(&out, "{\"counter_step\": %d, \"counter_id\": " INT64_FORMAT ", \"query\": ",
                   step.number, counter->id);
  const int length = pg_mbcliplen(counter->query, strlen(counter->query), kQueryBytes);
  static_assert(kQueryBytes * kEscaped + 100 < (int)kParameterBytes);
  escape_json(&out, pnstrdup(counter->query, length));
  appendStringInfoChar(&out, '}');
  return out.data;
}

void append_number(StringInfo out, Int128 number) {
  const char* digits = guard([&] { return c_string_of(to_string(number)); });
  appendStringInfo(out, "%s%s", out->len > 1 ? "," : "", digits);
}

// What is stored, in the memory of the order.
struct Storing {
  int64 counter;
  int step;
  int64 through;
  const char* until;
  int64 charge;
  StringInfoData numbers;
};

void store(void* what) {
  const Storing* storing = (const Storing*)what;
  // Where nothing may wait for a counter, rows may still be cleaned up.
  set_for_now({"track_counts", "on"}, PGC_SUSET);
  store_step(storing->counter, storing->step, storing->through, storing->until, storing->charge,
             storing->numbers.data);
  DPMIX_FAULT("counter.stored");
}

Storing* begin_storing(const Counter* counter, const Step& step, const BlockColumn& blocks) {
  MemoryContext old = MemoryContextSwitchTo(order_memory());
  Storing* made = (Storing*)palloc0(sizeof(Storing));
  made->counter = counter->id;
  made->step = step.number;
  made->through = step.entering.last;
  made->until = place_text(blocks.type, blocks.grid.last_of(step.entering.last) + 1);
  initStringInfo(&made->numbers);
  appendStringInfoChar(&made->numbers, '{');
  MemoryContextSwitchTo(old);
  return made;
}

// The groups of all ages, in order: first those of the first group of the query.
void put_noisy_sums(const CounterPlan& plan, const CounterPrice& price, const BlockAges& ages,
                    ExactGroups* groups, StringInfo numbers) {
  const int count = plan.statistics->count;
  end_groups(groups);
  GroupNoise* noise = group_noise(plan.statistics, price.noise);
  Int128* sums = make_cells((Size)count);
  for (int g = 0; g < plan.groups->count; g++) {
    memset((void*)sums, 0, sizeof(Int128) * count);
    for (int age = 0; age < ages.count; age++) {
      if (!next_group(groups)) elog(ERROR, "a group of a counter is missing");
      const Int128* exact = group_cells(groups);
      for (int i = 0; i < count; i++) sums[i] += ages.weight[age] * exact[i];
    }
    add_noise(noise, sums);
    for (int i = 0; i < count; i++) append_number(numbers, sums[i]);
  }
  appendStringInfoChar(numbers, '}');
}

void make_step(const InProcess& process, const Counter* counter, const StoredSteps& before,
               const Step& step) {
  const CounterPlan plan = plan_counter(counter->query, counter->params, step.entering.last);
  const CounterPrice price = price_counter(plan, counter->epsilon, counter->delta, counter->steps);
  require_same_form(counter, plan, price);
  const BlockAges ages = ages_after(counter, before);
  const QueryGroups aged = groups_by_age(plan, ages.from, ages.count);
  require_memory(&aged, plan.statistics);
  RowMemory* memory;
  KeyShares shares;
  Query* tree =
      scan_tree(&plan.scope, plan.shape, &aged, plan.statistics, plan.unit, NULL, &memory, &shares);
  const SilentScan* scan = plan_scan(tree, plan.table->owner, public_tables(plan.scope.sources),
                                     are_workers_worth(plan.scope.sources, &aged, plan.statistics),
                                     scan_parameter_type(memory, shares));
  require_planned_parts(&plan.scope, &plan.shape->joined);
  ExactGroups* groups = exact_groups(&aged, plan.statistics, {}, NULL);
  Storing* storing = begin_storing(counter, step, plan.table->blocks);
  BlockRange entering = step.entering;
  const Charged charged = charge_release(process, terms_of_step(plan, price, &entering),
                                         parameters_of(counter, step), NULL);
  storing->charge = charged.id();
  run_scan(
      scan, [&](const Datum* values, const bool* nulls) { receive_group(groups, values, nulls); },
      scan_parameter(memory, shares, 0), [&] { count_only_share(memory); });
  DPMIX_FAULT("counter.scanned");
  run_silently([&] { put_noisy_sums(plan, price, ages, groups, &storing->numbers); });
  DPMIX_FAULT("counter.noised");
  write_after_release(store, storing, true);
}

// The number of the step; 0: there is nothing to do.
int32 step_in_process(const InProcess& process, FunctionCallInfo fcinfo) {
  const char* name = text_argument(fcinfo, 0);
  const Counter* counter = find_counter(name);
  if (counter == NULL) {
    refuse_step(psprintf("counter \"%s\" is not committed", quoted_prefix(name)),
                "A release sees what is committed.", "Commit first.");
  }
  const StoredSteps before = stored_steps(counter->id);
  const CounterPlan plan = plan_counter(counter->query, counter->params, 0);
  const BlockColumn& blocks = plan.table->blocks;
  const int64 last =
      last_block(counter, blocks.grid, end_of(counter, blocks.type, text_argument(fcinfo, 1)));
  const int64 first = before.count > 0 ? before.through[before.count - 1] + 1 : 0;
  if (last < first) return 0;
  if (before.count >= counter->steps) {
    refuse_step(psprintf("counter \"%s\" has made all its %d steps", counter->name, counter->steps),
                "Blocks paid for so many.", "What it counted stays; create another counter.");
  }
  const Step step = {before.count + 1, {first, last}};
  make_step(process, counter, before, step);
  return step.number;
}

void require_owner(const Counter* counter) {
  if (OidIsValid(counter->owner)) return;
  refuse_step(psprintf("the owner of counter \"%s\" is gone", counter->name),
              psprintf("Its steps were made with the rights of role \"%s\".", counter->owner_name),
              "A superuser drops it with dpmix.drop_counter().");
}

// Called in the caller: takes the counter's lock, and the rights and settings of who made it.
Datum ask_for_step(FunctionCallInfo fcinfo) {
  require_primary();
  const Counter* counter = open_counter(text_argument(fcinfo, 0));
  require_owner(counter);
  lock_counter(counter->id);
  int32 step = 0;
  run_as(counter->owner, true, [&] {
    const int level = enter_session(counter);
    step = Runner::receive_number(fcinfo);
    leave_settings(level);
  });
  if (step > 0) PG_RETURN_INT32(step);
  ereport(NOTICE, (errmsg("counter \"%s\" has nothing to do", counter->name),
                   errdetail("No further period has closed.")));
  PG_RETURN_NULL();
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_run_counter(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  return Runner::number(fcinfo, step_in_process, ask_for_step);
}
