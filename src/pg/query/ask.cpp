// What turns a priced query into its answer: memory, charge, scan, noise, post-processing, rows.
#include "pg/query/ask.hpp"

#include <algorithm>

#include "pg/border/arguments.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/replay.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/memory/settings.hpp"
#include "pg/process/lock.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/check/released_columns.hpp"
#include "pg/query/keys/found_nulls.hpp"
#include "pg/query/layers/layered.hpp"
#include "pg/query/price/bounded_totals.hpp"
#include "pg/query/price/left_out.hpp"
#include "pg/query/putting.hpp"
#include "pg/query/read/temporary_tables.hpp"
#include "pg/query/read/text.hpp"
#include "pg/query/recall/found_groups.hpp"
#include "pg/query/record.hpp"
#include "pg/query/statistics/shard_weighing.hpp"
#include "pg/units/held_units.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_query);
PG_FUNCTION_INFO_V1(dpmix_outside_query);
}

namespace dpmix::pg {

namespace {

constexpr int kMaxRows = 8;  // the place of an argument of dpmix.query

bool states_columns(FunctionCallInfo fcinfo) {
  const ReturnSetInfo* result = (const ReturnSetInfo*)fcinfo->resultinfo;
  return result != NULL && IsA(result, ReturnSetInfo) &&
         (result->allowedModes & SFRM_Materialize) != 0 && result->expectedDesc != NULL;
}

// SELECT dpmix.query(...), outside of FROM: the list that FROM needs is the query's own to tell.
[[noreturn]] void refuse_without_columns(FunctionCallInfo fcinfo) {
  const QueryCall call = query_call(fcinfo, kMaxRows);
  const CheckedQuery checked =
      check_query(analyse_query_text(call.text, call.params), checks_of(call));
  refuse_argument(
      "the query's columns are not stated", "The call stands outside of FROM.",
      psprintf("Write SELECT * FROM dpmix.query(...) AS t(%s).",
               column_list(checked.shape->released->columns, checked.shape->released->column)));
}

}  // namespace

ResultRows begin_answer(FunctionCallInfo fcinfo, const char* function) {
  if (!states_columns(fcinfo)) {
    refuse_argument("the query's columns are not stated", "The call stands outside of FROM.",
                    psprintf("Write SELECT * FROM dpmix.%s(...) AS t(name type, ...).", function));
  }
  return begin_rows(fcinfo, true);
}

Datum release_query(FunctionCallInfo fcinfo, const ResultRows& rows) {
  const StringInfoData attachment = asked_age_attachment();
  const StringInfoData tables = temporary_tables_in(text_argument(fcinfo, 0));
  return release_rows(fcinfo, rows, &attachment, &tables);
}

namespace {

int64 charge_table(const PricedQuery* priced, const Recall& recalled, const AnswerNoise& noise,
                   int i) {
  TablePrice price = priced->price[i];
  const bool upgrade = recalled.verdict == Remembered::upgrade;
  if (upgrade) price.plan = recalled.plan[i];
  ChargeRequest request = request_of(price);
  if (priced->kept.name != NULL) {
    request.kind = priced->kept.kind;
    request.release = priced->kept.name;
  }
  request.parameters = query_record(priced, request, noise.drawn, price.plan.search, recalled.mu);
  const auto again = [priced](const Filter& filter, double epsilon) {
    return charge_at(priced, filter, epsilon);
  };
  const Repricing repricing = {priced->request.epsilon, priced->request.delta, again};
  if (upgrade) {
    request.asked_epsilon = priced->plan.epsilon;
  } else {
    request.repricing = &repricing;
  }
  return charge(request);
}

// Every protected table, for the same release. First those that will refuse it, so that a refusal
// that can be foreseen leaves all budgets as they are. Their numbers.
int64* charge_for(const PricedQuery* priced, const Recall& recalled, const AnswerNoise& noise) {
  int64* charges = (int64*)palloc0(sizeof(int64) * priced->prices);
  for (int i = 0; priced->prices > 1 && i < priced->prices; i++) {
    if (outlook_of(request_of(priced->price[i])).calls > 0) continue;
    charges[i] = charge_table(priced, recalled, noise, i);
  }
  for (int i = 0; i < priced->prices; i++) {
    if (charges[i] == 0) charges[i] = charge_table(priced, recalled, noise, i);
  }
  return charges;
}

// What is free because there is nothing to answer is judged as a charge would be.
void require_admitted(const PricedQuery* priced) {
  for (int i = 0; i < priced->prices; i++) {
    const TablePrice* price = &priced->price[i];
    if (table_outlook(price).calls > 0) continue;
    refuse(ErrorCode::budget_exhausted,
           psprintf("the budget of %s does not admit this query", price->table->name),
           "No row satisfies it, so it would be free; it is judged as if it were charged.",
           "Ask with a smaller epsilon, or ask the owner for more budget.");
  }
}

// Equal questions of one grant that come together: the first one asks, the others wait for what it
// keeps.
Recall recall_in_turn(const PricedQuery* priced) {
  Recall recalled = recall(priced, true);
  if (!recalled.keeps || is_free(recalled.verdict) || !in_release_process()) {
    return recalled;
  }
  take_question_lock(number_of(recalled.query));
  return recall(priced, true);
}

// What others paid for counts against the caller's cap, at its first sight.
void see_remembered(const PricedQuery* priced, const Recall& recalled) {
  if (!recalled.terms.shared || recalled.verdict == Remembered::miss) return;
  for (int i = 0; i < priced->prices; i++) {
    int count;
    const int64* charges = charges_of(priced, recalled, priced->price[i].table, &count);
    see_charges(priced->price[i].table, charges, count);
  }
}

// 1, 2 and 3
const char* enumerated(const int64* numbers, int count) {
  StringInfoData text;
  initStringInfo(&text);
  for (int i = 0; i < count; i++) {
    const char* between = i == 0 ? "" : i == count - 1 ? " and " : ", ";
    appendStringInfo(&text, "%s" INT64_FORMAT, between, numbers[i]);
  }
  return text.data;
}

void tell_of_free(const PricedQuery* priced, const Recall& recalled) {
  if (recalled.verdict == Remembered::nothing) {
    ereport(NOTICE, (errmsg("%s: nothing was charged", nothing_possible(priced->groups))));
    return;
  }
  int count;
  int64* charges = charges_of(priced, recalled, priced->price[0].table, &count);
  if (recalled.derived != NULL) {
    std::sort(charges, charges + count);
    ereport(NOTICE, (errmsg("answered from memory: nothing was charged"),
                     errdetail("It follows from the tables of %s, which were charged as %s of "
                               "dpmix.ledger.",
                               recalled.derived->tables, enumerated(charges, count))));
    return;
  }
  ereport(NOTICE,
          (errmsg("answered from memory: nothing was charged"),
           errdetail("It was charged before, as " INT64_FORMAT "%s of dpmix.ledger.", charges[0],
                     count > 1 ? psprintf(" and %d other charges", count - 1) : "")));
}

// Who did not ask for it should know that groups are missing.
void tell_of_found(const PricedQuery* priced) {
  if (!priced->groups->automatic) return;
  ereport(
      NOTICE,
      (errmsg("groups by %s are found: those of few people do not come back", found_keys(priced)),
       errdetail("Their values are not declared. A group of %s comes back half of the time.",
                 half_kept_text(priced))));
}

void tell_of_people_left_out(const PricedQuery* priced) {
  const Layer* layer = priced->scope.sources->source[0].layer;
  if (layer == NULL || layer->without == NULL) return;
  ereport(NOTICE, (errmsg("people without a row in %s are left out", layer->without),
                   errdetail("The rows are grouped by person."),
                   errhint("To count everybody, begin with a table that has one row a person, and "
                           "LEFT JOIN this one.")));
}

void tell_of_cut_off(const PricedQuery* priced) {
  const char* counts = counts_cut_off(priced);
  if (*counts == '\0') return;
  ereport(NOTICE,
          (errmsg("%s", counts),
           errdetail("It is what the owners of the tables say that a person has at most.")));
}

// Exact integers, of groups that come back.
void scan_groups(const PricedQuery* priced, ExactGroups* groups) {
  DPMIX_REPLAY_HOOK(see_query(priced));
  MemoryContext context =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix share", ALLOCSET_DEFAULT_SIZES);
  MemoryContext outer = MemoryContextSwitchTo(context);
  HeldUnits* held = held_by(priced->scope.sources);
  const int units = shares_of(held), keys = priced->shares.count;
  const int targets = key_columns(priced->groups) + priced->statistics->count;
  for (int share = 0; share < units * keys; share++) {  // one of the two is 1
    run_scan(
        priced->scan,
        [&](const Datum* values, const bool* nulls) {
          receive_group(groups, values, nulls);
          add_weighed_down(priced->weighing, values, nulls, targets);
        },
        scan_parameter(priced->memory, priced->shares, share % keys),
        [&] {
          read_held_units(held, share / keys);
          count_only_share(priced->memory);
        });
    if (units > 1) go_on_counting(priced->memory);
    MemoryContextReset(context);
  }
  MemoryContextSwitchTo(outer);
  MemoryContextDelete(context);
}

}  // namespace

void answer_query(const PricedQuery* priced, const RowReceiver& receive, const BeforeCharge& before,
                  ColumnIntervals** columns) {
  const Recall recalled = recall_in_turn(priced);
  const AnswerNoise noise = answer_noise(priced, recalled);
  Putting* putting = begin_putting(priced, recalled, noise, receive, columns);
  see_remembered(priced, recalled);
  tell_of_bound(priced);
  tell_of_found(priced);
  tell_of_people_left_out(priced);
  tell_of_cut_off(priced);
  if (priced->groups->cube != NULL) notice_left_out(priced);
  if (is_free(recalled.verdict)) {
    end_locking();
    if (recalled.verdict == Remembered::nothing) {
      require_admitted(priced);
      put_answer_of_nothing(putting);
    } else if (recalled.derived != NULL) {
      put_derived_rows(putting, *recalled.derived);
    } else {
      put_remembered_rows(putting, recalled);
    }
    end_putting(putting);
    if (shows_again(recalled.terms.keep_seconds)) note_kept();
    tell_of_free(priced, recalled);
    return;
  }
  before(recalled);
  BoundedUnits* bounded =
      recalled.verdict == Remembered::miss ? bounded_units_to_tell(priced) : NULL;
  ExactGroups* groups =
      exact_groups(priced->groups, priced->statistics, priced->plan.search, priced->noise);
  // Committed, whatever happens from here on.
  const int64* charges = charge_for(priced, recalled, noise);
  Keeping* keeping = begin_keeping(priced, recalled, noise, charges);
  scan_groups(priced, groups);
  run_silently([&] {
    put_noisy_rows(putting, keeping, groups);
    add_noise(bounded);
  });
  end_putting(putting);
  tell_of(bounded);
}

DrawnCells draw_groups(const PricedQuery* priced) {
  const Recall recalled = recall_in_turn(priced);
  const AnswerNoise noise = answer_noise(priced, recalled);
  tell_of_bound(priced);
  ExactGroups* groups =
      exact_groups(priced->groups, priced->statistics, priced->plan.search, priced->noise);
  const int64* charges = charge_for(priced, recalled, noise);
  Keeping* keeping = begin_keeping(priced, recalled, noise, charges);
  scan_groups(priced, groups);
  Int128* cells = NULL;
  run_silently([&] {
    end_groups(groups);
    DPMIX_FAULT("cube.scanned");
    GroupNoise* random = group_noise(priced->statistics, noise.drawn, drawn_statistic(groups));
    cells = noisy_groups(priced, noise.drawn, keeping, groups, random);
    end_keeping(keeping);
  });
  return {cells, charges[0]};
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_query(PG_FUNCTION_ARGS) {
  if (!states_columns(fcinfo)) refuse_without_columns(fcinfo);
  const ResultRows rows = begin_answer(fcinfo);
  if (!in_release_process()) return release_query(fcinfo, rows);
  const PricedQuery priced =
      priced_query(query_call(fcinfo, kMaxRows));  // refuses what it may; free
  check_columns(priced.shape->released, rows.type);
  answer_query(&priced, [&](const Datum* values, const bool* nulls) {
    tuplestore_putvalues(rows.store, rows.type, (Datum*)values, (bool*)nulls);
  });
  return (Datum)0;
}

// Every function of the dp_* aggregates, dp_low and dp_high: they mean something only inside
// dpmix.query, which reads their names and never runs them.
Datum dpmix_outside_query(PG_FUNCTION_ARGS) {
  refuse(ErrorCode::query_not_allowed, "dp_* functions stand only in the text of dpmix.query",
         "One was called in an ordinary statement.",
         "Write SELECT * FROM dpmix.query($$SELECT dp_count(*) FROM ...$$, epsilon => 0.5) AS "
         "t(count bigint).");
}
}
