// dpmix.release_cube: the tables of a query with grouping sets, drawn once and stored. In the
// caller.
#include "pg/cube/kind.hpp"

#include <bit>

#include "pg/cube/answers.hpp"
#include "pg/query/ask.hpp"
#include "pg/query/preview/answer_error.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/release/run.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_release_cube);
}

namespace dpmix::pg {
namespace {

// The noisy number of all rows, if it was counted.
PlainNumbers rows_in_all(const PricedQuery& priced, const MadeModel& made) {
  StoredCube cube = unpack_cube(made.numbers, made.texts, key_names(priced), priced.groups->keys);
  const AgreeingCells agreed = agree(&cube);
  for (int i = 0; i < cube.shape->aggregates; i++) {
    if (cube.shape->aggregate[i].row->takes != Takes::rows) continue;
    for (int set = 0; set < cube.shape->sets->count; set++) {
      if (cube.shape->sets->keys[set] != 0) continue;
      const int group = cube.groups->cube->first[set];
      double* rows = (double*)palloc(sizeof(double));
      *rows = Max(answer_of(cube, agreed, i, set, group, {}).value, 0);
      return {rows, 1};
    }
  }
  return {};
}

// Their names, as a model has its columns; values are told by their numbers.
ModelColumns* model_columns_of(const PricedQuery& priced) {
  ModelColumns* columns = (ModelColumns*)palloc0(sizeof(ModelColumns));
  columns->features = priced.groups->keys;
  columns->name = key_names(priced);
  columns->lower = (double*)palloc0(sizeof(double) * columns->features);
  columns->upper = (double*)palloc0(sizeof(double) * columns->features);
  for (int k = 0; k < columns->features; k++) {
    columns->upper[k] = priced.groups->key[k].categories - 1;
  }
  return columns;
}

int most_keys(const PricedQuery& priced) {
  int most = 0;
  const QuerySets* sets = priced.groups->cube->sets;
  for (int i = 0; i < sets->count; i++) most = Max(most, std::popcount(sets->keys[i]));
  return most;
}

MadeModel make_cube(const InProcess&, const CubeCall&, const PricedQuery& priced) {
  const DrawnCells drawn = draw_groups(&priced);
  MadeModel made = {};
  made.charge = drawn.charge;
  pack_cube(priced, drawn.cell, &made.numbers, &made.texts);
  made.quality = psprintf("%d tables of up to %d keys together, which agree with each other",
                          priced.groups->cube->sets->count, most_keys(priced));
  made.rows = rows_in_all(priced, made);
  return made;
}

}  // namespace

void CubeKind::preview(FunctionCallInfo fcinfo, Preview* preview) {
  tell_kept(priced_cube(cube_call(fcinfo)), preview);
}

void tell_kept(const PricedQuery& priced, Preview* preview) {
  preview->epsilon = priced.plan.epsilon;
  preview->delta = priced.plan.delta;
  preview->outlook = nearest_outlook(&priced);
  const ProtectedTable** tables;
  const int count = protected_tables(priced.scope.sources, &tables);
  for (int i = 0; i < count; i++) tell_table(preview, tables[i]);
  for (int i = 0; preview->shown != NULL && i < priced.statistics->count; i++) {
    const double step = priced.statistics->statistic[i].step();
    for (int set = 0; set < sets_of(priced.groups); set++) {
      const AnswerError error = answer_error(&priced, i, set);
      add_previewed(*preview->shown,
                    {.statistic = error.text,
                     .mechanism = name(priced.plan.family).data(),
                     .epsilon = priced.plan.epsilon,
                     .delta = priced.plan.delta,
                     .stddev = error.stddev * step,
                     .half_width = error.half_width * step},
                    preview->outlook);
    }
  }
}

Terms CubeKind::terms(const CubeCall& call, const PricedQuery& priced) {
  return {.kind = "cube",
          .name = call.name,
          .method = "least squares",
          .columns = model_columns_of(priced),
          .table = priced.table,
          .source = call.source,
          .epsilon = call.query.epsilon,
          .delta = call.query.delta};
}

ModelRecord CubeKind::record(const CubeCall&, const PricedQuery& priced, const MadeModel& made) {
  const int keys = priced.groups->keys;
  Oid* types = (Oid*)palloc(sizeof(Oid) * keys);
  for (int k = 0; k < keys; k++) types[k] = priced.groups->key[k].shown_type;
  return {.rows = float8_array(made.rows.number, made.rows.count),
          .types = oid_array(types, keys, REGTYPEOID),
          .model = float8_array(made.numbers.number, made.numbers.count),
          .texts = text_array(made.texts.text, made.texts.count),
          .dimensions = most_keys(priced),
          .adjacency = priced.shape->joined.adjacency};
}

Datum CubeKind::summary(FunctionCallInfo fcinfo, const CubeCall& call, const PricedQuery& priced,
                        const MadeModel& made) {
  return row_datum(
      fcinfo,
      {call.name, call.relation, name_array(key_names(priced), priced.groups->keys),
       priced.groups->cube->sets->count, priced.groups->count, call.query.epsilon, call.query.delta,
       made.rows.count > 0 ? Value(*made.rows.number) : Value(FLOAT8OID, (Datum)0, true)});
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_release_cube(PG_FUNCTION_ARGS) {
  return Runner::model<CubeKind>(fcinfo, make_cube);
}
