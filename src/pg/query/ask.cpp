// From a query that was priced to its answer: memory, charge, scan, noise, post-processing, rows.
#include "pg/query/ask.hpp"

#include <algorithm>

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/memory/settings.hpp"
#include "pg/process/lock.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/answer/cube_answers.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/answer/group_noise.hpp"
#include "pg/query/answer/weak_answers.hpp"
#include "pg/query/check/released_columns.hpp"
#include "pg/query/read/text.hpp"
#include "pg/query/record.hpp"
#include "pg/query/remember.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_query);
PG_FUNCTION_INFO_V1(dpmix_outside_query);
}

namespace dpmix::pg {

namespace {

bool states_columns(FunctionCallInfo fcinfo) {
  const ReturnSetInfo* result = (const ReturnSetInfo*)fcinfo->resultinfo;
  return result != NULL && IsA(result, ReturnSetInfo) &&
         (result->allowedModes & SFRM_Materialize) != 0 && result->expectedDesc != NULL;
}

// SELECT dpmix.query(...), outside of FROM: the list that FROM needs is the query's own to tell.
[[noreturn]] void refuse_without_columns(FunctionCallInfo fcinfo) {
  const QueryCall call = query_call(fcinfo);
  const CheckedQuery checked =
      check_query(analyse_query_text(call.text, call.params), call.discover, call.all_blocks);
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
  return release_rows(fcinfo, rows, &attachment);
}

namespace {

// What is done with the noisy integers of one group: memory, then the caller's rows.
struct Putting {
  const PricedQuery* priced;
  AnswerNoise noise;
  AnswerCells* answer;
  Keeping* keeping;  // NULL: nothing is drawn, or kept
  ReleasedRows* rows;
  EndReach* reach;
  WeakAnswers* weak;
  int64 number;  // of the group
  Datum* values;
  bool* nulls;
  MemoryContext row;
};

Putting begin_putting(const PricedQuery* priced, const Recall& recalled, ReleasedRows* rows) {
  Putting putting = {};
  const int columns = priced->shape->keys + priced->shape->values;
  putting.priced = priced;
  putting.noise = answer_noise(priced, recalled);
  putting.answer = answer_cells(priced, recalled);
  putting.rows = rows;
  const CubeReach* sums = recalled.derived != NULL ? recalled.derived->reach : NULL;
  putting.reach = recalled.verdict == Remembered::miss
                      ? priced->reach
                      : end_reaches(priced->shape, priced->groups, priced->statistics,
                                    putting.noise.shown, sums);
  putting.weak = weak_answers(&priced->scope, priced->shape, priced->groups, priced->statistics,
                              putting.noise.shown, sums);
  putting.values = (Datum*)palloc(sizeof(Datum) * columns);
  putting.nulls = (bool*)palloc0(sizeof(bool) * columns);
  putting.row =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix released row", ALLOCSET_DEFAULT_SIZES);
  return putting;
}

// The released values of a group of a grouping set, whose keys are in place.
void put_values(Putting* putting, int set, const GroupAnswer& answer) {
  const QueryShape* shape = putting->priced->shape;
  look_at_answers(putting->weak, set, answer.noisy);
  for (int i = 0; i < shape->values; i++) {
    putting->values[shape->keys + i] =
        released_value(shape, putting->priced->statistics, putting->noise.shown,
                       putting->reach + set * shape->values, i, answer);
  }
}

// key(k): of the group; cells: what was drawn. Its keys, then its released values.
template <class Key>
void put_group(Putting* putting, const Key& key, Int128* cells) {
  const QueryShape* shape = putting->priced->shape;
  MemoryContextReset(putting->row);
  MemoryContext old = MemoryContextSwitchTo(putting->row);
  for (int k = 0; k < shape->keys; k++) putting->values[k] = key(k);
  keep_group(putting->keeping, putting->values, cells);
  combine_cells(putting->answer, putting->number++, cells);
  put_values(putting, 0, {cells, cells, 0, NULL});
  MemoryContextSwitchTo(old);
  put_released_row(putting->rows, putting->values, putting->nulls);
}

// Of grouping sets: tables that agree, one set after the other.
void put_agreed_sets(Putting* putting, const Int128* cells, const AgreeingCells& agreed) {
  const QueryGroups* groups = putting->priced->groups;
  const QuerySets* sets = groups->cube->sets;
  const Size width = (Size)putting->priced->statistics->cells;
  for (int i = 0; i < sets->answers; i++) {
    const int set = sets->order[i];
    for (int group = groups->cube->first[set]; group < groups->cube->first[set + 1]; group++) {
      MemoryContextReset(putting->row);
      MemoryContext old = MemoryContextSwitchTo(putting->row);
      for (int k = 0; k < groups->keys; k++) {
        putting->nulls[k] = (sets->keys[set] >> k & 1) == 0;
        putting->values[k] = putting->nulls[k] ? (Datum)0 : key_of(groups, group, k);
      }
      put_values(putting, set,
                 {cells + group * width, agreed.centre + group * width, ~sets->keys[set],
                  agreed.slack + set * width});
      MemoryContextSwitchTo(old);
      put_released_row(putting->rows, putting->values, putting->nulls);
    }
  }
}

// What was drawn for all of them.
void put_sets(Putting* putting, Int128* cells) {
  const PricedQuery* priced = putting->priced;
  put_agreed_sets(putting, cells, agreeing_cells(priced->groups, priced->statistics, cells));
}

// The noisy cells of all groups of grouping sets.
Int128* noisy_sets(const PricedQuery* priced, const StatisticNoise* drawn, Keeping* keeping,
                   ExactGroups* exact, GroupNoise* noise) {
  const QueryGroups* groups = priced->groups;
  const Size width = (Size)priced->statistics->cells;
  Int128* cells = NULL;
  while (next_group(exact)) {
    Int128* here = group_cells(exact);
    if (cells == NULL) cells = here;
    const int group = (int)((here - cells) / width), set = set_of(groups, group);
    if (group == groups->cube->first[set]) {
      stretch_noise(noise, drawn, groups->cube->stretch[set]);
    }
    add_noise(noise, here);
    DPMIX_FAULT("query.noised");
    keep_group(keeping, NULL, here);
  }
  return cells;
}

void put_noisy_sets(Putting* putting, ExactGroups* exact, GroupNoise* noise) {
  const PricedQuery* priced = putting->priced;
  const Size width = (Size)priced->statistics->cells;
  Int128* cells = noisy_sets(priced, putting->noise.drawn, putting->keeping, exact, noise);
  for (int g = 0; g < priced->groups->count; g++) {
    combine_cells(putting->answer, g, cells + g * width);
  }
  put_sets(putting, cells);
}

// Post-processing begins where noise is added.
void put_noisy_rows(Putting* putting, ExactGroups* groups) {
  end_groups(groups);
  DPMIX_FAULT("query.scanned");
  GroupNoise* noise =
      group_noise(putting->priced->statistics, putting->noise.drawn, drawn_statistic(groups));
  if (putting->priced->groups->cube != NULL) {
    put_noisy_sets(putting, groups, noise);
  } else {
    while (next_group(groups)) {
      add_noise(noise, group_cells(groups));
      DPMIX_FAULT("query.noised");
      put_group(
          putting, [&](int k) { return group_key(groups, k); }, group_cells(groups));
    }
  }
  end_keeping(putting->keeping);
  end_released_rows(putting->rows);
}

void put_remembered_sets(Putting* putting) {
  const QueryGroups* groups = putting->priced->groups;
  const Size width = (Size)putting->priced->statistics->cells;
  Int128* cells = make_cells((Size)groups->count * width);
  for (int g = 0; g < groups->count; g++) {
    CHECK_FOR_INTERRUPTS();
    combine_cells(putting->answer, g, cells + g * width);
  }
  put_sets(putting, cells);
}

// Of a hit: no row is read and nothing is drawn.
void put_remembered_rows(Putting* putting, const Recall& recalled) {
  const QueryGroups* groups = putting->priced->groups;
  const int64 count = groups->discovered ? recalled.found.count : groups->count;
  if (groups->cube != NULL) put_remembered_sets(putting);
  Int128* cells = make_cells((Size)putting->priced->statistics->cells);
  for (int64 g = 0; groups->cube == NULL && g < count; g++) {
    CHECK_FOR_INTERRUPTS();
    put_group(
        putting,
        [&](int k) {
          return groups->discovered ? recalled.found.key[g * groups->keys + k]
                                    : key_of(groups, (int)g, k);
        },
        cells);
  }
  end_released_rows(putting->rows);
}

// Sums of cells of other tables.
void put_derived_rows(Putting* putting, const DerivedAnswer& derived) {
  const QueryGroups* groups = putting->priced->groups;
  const Size width = (Size)putting->priced->statistics->cells;
  if (groups->cube != NULL) {
    put_agreed_sets(putting, derived.shown, {derived.centre, derived.slack});
  }
  for (int group = 0; groups->cube == NULL && group < groups->count; group++) {
    CHECK_FOR_INTERRUPTS();
    MemoryContextReset(putting->row);
    MemoryContext old = MemoryContextSwitchTo(putting->row);
    for (int k = 0; k < groups->keys; k++) putting->values[k] = key_of(groups, group, k);
    put_values(putting, 0,
               {derived.shown + group * width, derived.centre + group * width, 0, derived.slack});
    MemoryContextSwitchTo(old);
    put_released_row(putting->rows, putting->values, putting->nulls);
  }
  end_released_rows(putting->rows);
}

int64 charge_table(const PricedQuery* priced, const Recall& recalled, int i) {
  TablePrice price = priced->price[i];
  const bool upgrade = recalled.verdict == Remembered::upgrade;
  if (upgrade) price.plan = recalled.plan[i];
  ChargeRequest request = request_of(price);
  const AnswerNoise noise = answer_noise(priced, recalled);
  if (priced->cube != NULL) {
    request.kind = "cube";
    request.release = priced->cube;
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
int64* charge_for(const PricedQuery* priced, const Recall& recalled) {
  int64* charges = (int64*)palloc0(sizeof(int64) * priced->prices);
  for (int i = 0; priced->prices > 1 && i < priced->prices; i++) {
    if (outlook_of(request_of(priced->price[i])).calls > 0) continue;
    charges[i] = charge_table(priced, recalled, i);
  }
  for (int i = 0; i < priced->prices; i++) {
    if (charges[i] == 0) charges[i] = charge_table(priced, recalled, i);
  }
  return charges;
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

void tell_of_hit(const PricedQuery* priced, const Recall& recalled) {
  int count;
  int64* charges = charges_of(priced, recalled, priced->table, &count);
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

// Exact integers, of groups that come back.
void scan_groups(const PricedQuery* priced, ExactGroups* groups) {
  run_scan(
      priced->scan,
      [&](const Datum* values, const bool* nulls) { receive_group(groups, values, nulls); },
      PointerGetDatum(priced->memory), [&] { count_only_share(priced->memory); });
}

}  // namespace

void answer_query(const PricedQuery* priced, const RowReceiver& receive,
                  const BeforeCharge& before) {
  ReleasedRows* rows = released_rows(priced->shape, receive);
  const Recall recalled = recall_in_turn(priced);
  Putting putting = begin_putting(priced, recalled, rows);
  see_remembered(priced, recalled);
  if (is_free(recalled.verdict)) {
    end_locking();
    if (recalled.derived != NULL) {
      put_derived_rows(&putting, *recalled.derived);
    } else {
      put_remembered_rows(&putting, recalled);
    }
    warn_of_answers(putting.weak);
    tell_of_hit(priced, recalled);
    return;
  }
  before(recalled);
  ExactGroups* groups =
      exact_groups(priced->groups, priced->statistics, priced->plan.search, priced->noise);
  const int64* charges = charge_for(priced, recalled);  // committed, whatever happens from here on
  putting.keeping = begin_keeping(priced, recalled, putting.noise, charges);
  scan_groups(priced, groups);
  run_silently([&] { put_noisy_rows(&putting, groups); });
  warn_of_answers(putting.weak);
}

DrawnCells draw_sets(const PricedQuery* priced) {
  const Recall recalled = recall_in_turn(priced);
  const AnswerNoise noise = answer_noise(priced, recalled);
  ExactGroups* groups =
      exact_groups(priced->groups, priced->statistics, priced->plan.search, priced->noise);
  const int64* charges = charge_for(priced, recalled);
  Keeping* keeping = begin_keeping(priced, recalled, noise, charges);
  scan_groups(priced, groups);
  Int128* cells = NULL;
  run_silently([&] {
    end_groups(groups);
    DPMIX_FAULT("cube.scanned");
    GroupNoise* random = group_noise(priced->statistics, noise.drawn, drawn_statistic(groups));
    cells = noisy_sets(priced, noise.drawn, keeping, groups, random);
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
  const PricedQuery priced = priced_query(query_call(fcinfo));  // refuses what it may; free
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
