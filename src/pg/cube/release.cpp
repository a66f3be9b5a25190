// dpmix.release_cube: the tables of a query with grouping sets, drawn once and stored;
// dpmix.preview_cube: its noise and its price.
#include <cmath>

#include "pg/border/arguments.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/cube/answers.hpp"
#include "pg/cube/request.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/answer_error.hpp"

extern "C" {
#include "libpq/pqformat.h"
PG_FUNCTION_INFO_V1(dpmix_release_cube);
PG_FUNCTION_INFO_V1(dpmix_preview_cube);
}

namespace dpmix::pg {
namespace {

// In the process.
Datum release(const PricedQuery& priced) {
  const DrawnCells drawn = draw_sets(&priced);
  StringInfoData bytes;
  initStringInfo(&bytes);
  pq_sendint64(&bytes, drawn.charge);
  put_packed(&bytes, pack_cube(priced, drawn.cell));
  return return_bytes(bytes);
}

// The noisy number of all rows; below 0: it was not counted.
double rows_in_all(StoredCube* cube) {
  const AgreeingCells agreed = agree(cube);
  for (int i = 0; i < cube->shape->aggregates; i++) {
    if (cube->shape->aggregate[i].kind != AggregateKind::count_rows) continue;
    for (int set = 0; set < cube->shape->sets->count; set++) {
      if (cube->shape->sets->keys[set] != 0) continue;
      const int group = cube->groups->cube->first[set];
      return Max(answer_of(*cube, agreed, i, set, group, {}).value, 0);
    }
  }
  return -1;
}

// Their names, as a model has its columns; values are told by their numbers.
ModelColumns* columns_of(const PricedQuery& priced) {
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

// In the caller, whose the cube is: it takes the name, and stores what the process has made.
Datum store(FunctionCallInfo fcinfo, const CubeCall& call, const PricedQuery& priced) {
  require_primary();
  const ModelColumns* columns = columns_of(priced);
  reserve_release(call.name, "cube", priced.table, "least squares", call.query.epsilon,
                  call.query.delta, columns);
  StringInfoData bytes = release_bytes(fcinfo);
  const int64 charge_id = pq_getmsgint64(&bytes);
  const PackedCube packed = get_packed(&bytes);
  StoredCube cube = unpack_cube(packed, columns->name, columns->features);
  const double rows = rows_in_all(&cube);
  store_cube(call.name, packed, priced, rows, charge_id);
  DPMIX_FAULT("cube.stored");
  return row_datum(fcinfo, {call.name, call.relation, name_array(columns->name, columns->features),
                            cube.shape->sets->count, cube.groups->count, call.query.epsilon,
                            call.query.delta, value_if(rows >= 0, rows)});
}

void preview_table(const PricedQuery& priced, int i, int set, const Outlook& outlook,
                   const ResultRows& rows) {
  const double step = priced.statistics->statistic[i].step();
  const AnswerError error = answer_error(&priced, i, set);
  add_row(rows, {error.text, name(priced.plan.family).data(), error.stddev * step,
                 error.half_width * step, priced.plan.epsilon, priced.plan.delta, outlook.cost,
                 outlook.delta, outlook.share, outlook.calls});
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_release_cube(PG_FUNCTION_ARGS) {
  const CubeCall call = cube_call(fcinfo);
  const PricedQuery priced = priced_cube(call);
  return in_release_process() ? release(priced) : store(fcinfo, call, priced);
}

Datum dpmix_preview_cube(PG_FUNCTION_ARGS) {
  const ResultRows rows = begin_rows(fcinfo);
  const PricedQuery priced = priced_cube(cube_call(fcinfo));
  const Outlook outlook = nearest_outlook(&priced);
  for (int i = 0; i < priced.statistics->count; i++) {
    for (int set = 0; set < sets_of(priced.groups); set++) {
      preview_table(priced, i, set, outlook, rows);
    }
  }
  return (Datum)0;
}
