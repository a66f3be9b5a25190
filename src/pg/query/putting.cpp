#include "pg/query/putting.hpp"

#include "pg/border/fault.hpp"
#include "pg/query/answer/cube_answers.hpp"
#include "pg/query/answer/released_rows.hpp"
#include "pg/query/answer/weak_answers.hpp"

namespace dpmix::pg {

Int128* noisy_groups(const PricedQuery* priced, const StatisticNoise* drawn, Keeping* keeping,
                     ExactGroups* exact, GroupNoise* noise) {
  const QueryGroups* groups = priced->groups;
  const Size width = (Size)priced->statistics->cells;
  Int128* cells = NULL;
  while (next_group(exact)) {
    Int128* here = group_cells(exact);
    if (cells == NULL) cells = here;
    if (groups->cube != NULL) {
      const int group = (int)((here - cells) / width), set = set_of(groups, group);
      if (group == groups->cube->first[set]) {
        stretch_noise(noise, drawn, groups->cube->stretch[set]);
      }
    }
    add_noise(noise, here);
    DPMIX_FAULT("query.noised");
    keep_group(keeping, NULL, NULL, here);
  }
  return cells;
}

struct Putting {
  const PricedQuery* priced;
  AnswerNoise noise;
  AnswerCells* answer;
  Keeping* keeping;  // NULL: nothing is drawn, or kept
  ReleasedRows* rows;
  EndReach* reach;
  WeakAnswers* weak;
  ColumnIntervals* columns;  // NULL: nobody asks
  int64 number;              // the group's
  Datum* values;
  bool* nulls;
  MemoryContext row;
};

Putting* begin_putting(const PricedQuery* priced, const Recall& recalled, const AnswerNoise& noise,
                       const RowReceiver& receive, ColumnIntervals** columns) {
  Putting* putting = (Putting*)palloc0(sizeof(Putting));
  const int width = priced->shape->keys + priced->shape->values;
  putting->priced = priced;
  putting->noise = noise;
  putting->answer = answer_cells(priced, recalled);
  putting->rows = released_rows(priced->shape, receive);
  const CubeReach* sums = recalled.derived != NULL ? recalled.derived->reach : NULL;
  putting->reach = recalled.verdict == Remembered::miss
                       ? priced->reach
                       : end_reaches(priced->shape, priced->groups, priced->statistics,
                                     putting->noise.shown, sums);
  putting->weak = weak_answers(&priced->scope, priced->shape, priced->groups, priced->statistics,
                               putting->noise.shown, sums);
  if (columns != NULL) {
    *columns = putting->columns = column_intervals(&priced->scope, priced->shape, priced->groups,
                                                   priced->statistics, putting->noise.shown, sums);
  }
  putting->values = (Datum*)palloc(sizeof(Datum) * width);
  putting->nulls = (bool*)palloc0(sizeof(bool) * width);
  putting->row =
      AllocSetContextCreate(CurrentMemoryContext, "dpmix released row", ALLOCSET_DEFAULT_SIZES);
  return putting;
}

namespace {

// The released values of a group of a grouping set, whose keys are in place.
void put_values(Putting* putting, int set, const GroupAnswer& answer) {
  const QueryShape* shape = putting->priced->shape;
  use_scales_of_group(putting->priced->statistics, putting->values, putting->nulls, shape);
  look_at_answers(putting->weak, set, answer.noisy);
  if (putting->columns != NULL) look_at_columns(putting->columns, set, answer);
  for (int i = 0; i < shape->values; i++) {
    putting->values[shape->keys + i] =
        released_value(shape, putting->priced->statistics, putting->noise.shown,
                       putting->reach + set * shape->values, i, answer);
  }
}

void put_key(Putting* putting, int k, const NullableDatum& key) {
  putting->values[k] = key.value;
  putting->nulls[k] = key.isnull;
}

// key(k): of the group; cells: what was drawn. Its keys, then its released values.
template <class Key>
void put_group(Putting* putting, const Key& key, Int128* cells) {
  const QueryShape* shape = putting->priced->shape;
  MemoryContextReset(putting->row);
  MemoryContext old = MemoryContextSwitchTo(putting->row);
  for (int k = 0; k < shape->keys; k++) put_key(putting, k, key(k));
  keep_group(putting->keeping, putting->values, putting->nulls, cells);
  combine_cells(putting->answer, putting->number++, cells);
  put_values(putting, 0, {cells, cells, 0, NULL});
  MemoryContextSwitchTo(old);
  put_released_row(putting->rows, putting->values, putting->nulls);
}

// Puts the rows of grouping sets, one after the other, from tables that agree.
void put_agreed_sets(Putting* putting, const Int128* cells, const AgreeingCells& agreed) {
  const QueryGroups* groups = putting->priced->groups;
  const QuerySets* sets = groups->cube->sets;
  const Size width = (Size)putting->priced->statistics->cells;
  for (int i = 0; i < sets->answers; i++) {
    const int set = sets->order[i];
    for (int group = groups->cube->first[set]; group < groups->cube->first[set + 1]; group++) {
      if (!is_shown(groups, group)) continue;
      MemoryContextReset(putting->row);
      MemoryContext old = MemoryContextSwitchTo(putting->row);
      for (int k = 0; k < groups->keys; k++) {
        const bool lacks = (sets->keys[set] >> k & 1) == 0;
        put_key(putting, k, lacks ? NullableDatum{0, true} : key_of(groups, group, k));
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

void put_noisy_sets(Putting* putting, ExactGroups* exact, GroupNoise* noise) {
  const PricedQuery* priced = putting->priced;
  const Size width = (Size)priced->statistics->cells;
  Int128* cells = noisy_groups(priced, putting->noise.drawn, putting->keeping, exact, noise);
  for (int g = 0; g < priced->groups->count; g++) {
    combine_cells(putting->answer, g, cells + g * width);
  }
  put_sets(putting, cells);
}

}  // namespace

void put_noisy_rows(Putting* putting, Keeping* keeping, ExactGroups* groups) {
  putting->keeping = keeping;
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

void put_answer_of_nothing(Putting* putting) {
  const QueryShape* shape = putting->priced->shape;
  const QueryStatistics* statistics = putting->priced->statistics;
  const QuerySets* sets = shape->sets;
  const Int128* none = make_cells((Size)statistics->cells);
  const EndReach* exact = (EndReach*)palloc0(sizeof(EndReach) * (shape->values + 1));
  const GroupAnswer nobody = {none, none, ~KeySet{0}, NULL};
  for (int k = 0; k < shape->keys; k++) putting->nulls[k] = true;
  for (int i = 0; i < (sets == NULL ? 1 : sets->answers); i++) {
    const bool groups = sets == NULL ? shape->keys > 0 : sets->keys[sets->order[i]] != 0;
    if (groups) continue;
    for (int value = 0; value < shape->values; value++) {
      const int column = shape->keys + value;
      putting->nulls[column] = !is_count(shape, value);
      if (putting->nulls[column]) continue;
      putting->values[column] =
          released_value(shape, statistics, putting->noise.shown, exact, value, nobody);
    }
    put_released_row(putting->rows, putting->values, putting->nulls);
  }
  end_released_rows(putting->rows);
}

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
    for (int k = 0; k < groups->keys; k++) put_key(putting, k, key_of(groups, group, k));
    put_values(putting, 0,
               {derived.shown + group * width, derived.centre + group * width, 0, derived.slack});
    MemoryContextSwitchTo(old);
    put_released_row(putting->rows, putting->values, putting->nulls);
  }
  end_released_rows(putting->rows);
}

void end_putting(const Putting* putting) {
  warn_of_answers(putting->weak);
}

}  // namespace dpmix::pg
